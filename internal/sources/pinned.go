package sources

import (
	"path"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// Pinned files are named by when they were fetched and by the beginning of their
// digest, so that no look takes the place of another, and names order by time:
//
//	models.json  models.20260717T155857000Z.59a37d5de2df.json
//
// The same bytes that are seen again are a file of their own: what was looked at
// today holds from today on.

const lenShortDigest = 12

// PinnedName returns the name of a body that was downloaded under a name, without a
// folder. A name that pinning gave is given up for the new one.
func PinnedName(name string, e *Envelope) string {
	stem, ending := cutPinned(name)
	stamp := strings.NewReplacer("-", "", ":", "", ".", "").Replace(e.FetchedAt)
	return stem + "." + stamp + "." + e.BodySHA256[:lenShortDigest] + ending
}

// IsPinnedName reports whether a name is one that pinning gives to a body which was
// downloaded under another.
func IsPinnedName(name, body, pinned string) bool {
	stem, ending := cutPinned(name)
	otherStem, otherEnding := cutPinned(pinned)
	sum := "." + canonical.SumText(body)[:lenShortDigest] + ending
	return pinned != name && stem == otherStem && ending == otherEnding && strings.HasSuffix(pinned, sum)
}

// IsPinnedAs reports whether a name is one that pinning gives to some body that was
// downloaded under another.
func IsPinnedAs(name, pinned string) bool {
	stem, ending := cutPinned(name)
	otherStem, otherEnding := cutPinned(pinned)
	return pinned != name && stem == otherStem && ending == otherEnding
}

// cutPinned cuts a name into what comes before and after the time and the digest that
// pinning puts into it.
func cutPinned(name string) (stem, ending string) {
	ending = path.Ext(name)
	stem = strings.TrimSuffix(name, ending)
	digest := path.Ext(stem)
	rest := strings.TrimSuffix(stem, digest)
	stamp := path.Ext(rest)
	if isLowerHex(strings.TrimPrefix(digest, "."), lenShortDigest) && len(stamp) == 1+len(timestamp.Layout)-len("--::.") &&
		strings.HasSuffix(stamp, "Z") {
		return strings.TrimSuffix(rest, stamp), ending
	}
	return stem, ending
}
