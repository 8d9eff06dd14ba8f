package sources

import (
	"net/url"
	"strings"
)

// checkURL says what is wrong with a URL of a source, "" if nothing: it must be
// absolute, HTTPS, without credentials and fragment, written as URLs are
// serialized, and on the origin unless that is "".
func checkURL(s, origin string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "https" || u.Host == "" || u.Opaque != "":
		return "must be an absolute URL with https"
	case u.User != nil:
		return "must not hold credentials"
	case strings.Contains(s, "#"):
		return "must not have a fragment"
	case !isPlainURL(s, u):
		return "must be written in normal form: host in lower case, no spaces, no . or .. segments"
	case origin != "" && originOf(s) != origin:
		return "must be on the origin " + origin
	}
	return ""
}

// isPlainURL reports whether a URL is written as it is serialized, so that two
// that differ as texts differ as resources.
func isPlainURL(s string, u *url.URL) bool {
	if u.String() != s || u.Host != strings.ToLower(u.Host) || strings.HasSuffix(u.Host, ":") || u.Port() == "443" {
		return false
	}
	for _, c := range s {
		if c <= ' ' || c >= 0x7F || c == '\\' {
			return false
		}
	}
	for segment := range strings.SplitSeq(u.EscapedPath(), "/") {
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case ".", "..":
			return false
		}
	}
	return strings.HasPrefix(u.Path, "/")
}

// originOf returns the scheme and host of an absolute URL.
func originOf(s string) string {
	scheme, rest, _ := strings.Cut(s, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

// checkOrigin says what is wrong with an origin, "" if nothing.
func checkOrigin(s string) string {
	if reason := checkURL(s+"/", ""); reason != "" || originOf(s) != s {
		return "must be an origin: https, a host in lower case and nothing else"
	}
	return ""
}
