package sources

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/sources/offer"
)

// What a list does not tell of some prices, beyond what it tells of none.
const (
	gapStorage  = "Google charges for the time that a cache is kept on top, which the price leaves out"
	gapRequests = "the list has prices of requests or searches besides, which are not taken"
	gapOver     = "the date of deprecation has passed: whether it still answers is not stated"
)

// doubt says what is not known of the facts of a row that is a model, on a day: YYYY-MM-DD.
func doubt(row *offer.Row, model, day string) {
	for i := range row.Declarations {
		d := &row.Declarations[i]
		price, _, _ := strings.Cut(d.Name, "@")
		switch {
		case price == offer.PriceKey(offer.CacheWrite, offer.Band{}) && strings.HasPrefix(model, "google/"):
			d.Gaps = append(slices.Clip(d.Gaps), gapStorage)
		case row.PerRequest && (price == offer.PriceKey(offer.Input, offer.Band{}) ||
			price == offer.PriceKey(offer.Output, offer.Band{})):
			d.Gaps = append(slices.Clip(d.Gaps), gapRequests)
		case d.Name == offer.Lifecycle:
			doubtLifecycle(d, day)
		}
	}
}

// doubtLifecycle says that a row is deprecated whose date of deprecation has come.
func doubtLifecycle(d *offer.Declaration, day string) {
	isOver := false
	for _, f := range d.Facts {
		switch f.Key {
		case offer.Deprecated:
			date := f.Value.Text
			isOver = date == day || date < day[:len(date)] // which may be a month
		case offer.Status:
			return // which the list says itself
		}
	}
	if isOver {
		d.Facts = append(slices.Clip(d.Facts), offer.Fact{Key: offer.Status, Value: offer.Text("deprecated")})
		slices.SortFunc(d.Facts, func(a, b offer.Fact) int { return strings.Compare(a.Key, b.Key) })
		d.Gaps = append(slices.Clip(d.Gaps), gapOver)
	}
}
