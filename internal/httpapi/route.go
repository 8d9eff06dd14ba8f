package httpapi

import "strings"

// route is a path pattern. Unlike paths, there are few of them.
type route string

const (
	routeUnknown      route = ""
	routeOtherVersion route = "/v*" // a version of the interface that there is not
	routeModels       route = "/v1/models"
	routeModel        route = "/v1/models/{key}"
	routeSnapshot     route = "/v1/catalog/snapshot"
	routeRank         route = "/v1/rank"
)

// routeOf judges a path by its segments, of which empty ones do not count.
// Nothing is unescaped, "." and ".." are segments like others, case matters.
// key is the last segment of routeModel.
func routeOf(path string) (r route, key string) {
	version, path := nextSegment(path)
	if version != "v1" {
		if strings.HasPrefix(version, "v") {
			return routeOtherVersion, ""
		}
		return routeUnknown, ""
	}
	first, path := nextSegment(path)
	second, path := nextSegment(path)
	third, _ := nextSegment(path)
	switch {
	case third != "":
	case first == "models" && second == "":
		return routeModels, ""
	case first == "models":
		return routeModel, second
	case first == "catalog" && second == "snapshot":
		return routeSnapshot, ""
	case first == "rank" && second == "":
		return routeRank, ""
	}
	return routeUnknown, ""
}

// nextSegment returns the first segment that is not empty, "" if there is none,
// and the path after it.
func nextSegment(path string) (segment, rest string) {
	path = strings.TrimLeft(path, "/")
	if i := strings.IndexByte(path, '/'); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

// pattern is the route as metrics and logs name it, "" for a path that is not served.
func (r route) pattern() string {
	if r == routeOtherVersion {
		return ""
	}
	return string(r)
}
