package httpserver

import "strings"

// MatchesETag reports whether If-None-Match, whose lines are given, holds the
// entity tag or "*" (RFC 9110 section 13.1.2). Tags are compared weakly: W/ does
// not count. A list is read as far as it is one.
func MatchesETag(lines []string, etag string) bool {
	for _, list := range lines {
		for {
			list = strings.TrimLeft(list, " \t,")
			if strings.HasPrefix(list, "*") {
				return true
			}
			tag, rest, ok := cutTag(list)
			if !ok {
				break
			}
			if tag == etag {
				return true
			}
			list = rest
		}
	}
	return false
}

// cutTag cuts an entity tag off the front of a list and returns it with its
// quotes, without W/.
func cutTag(list string) (tag, rest string, ok bool) {
	list = strings.TrimPrefix(list, "W/")
	if !strings.HasPrefix(list, `"`) {
		return "", "", false
	}
	end := strings.IndexByte(list[1:], '"')
	if end < 0 {
		return "", "", false
	}
	end += len(`""`)
	return list[:end], list[end:], true
}
