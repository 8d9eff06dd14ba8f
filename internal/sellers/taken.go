package sellers

import (
	"time"

	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// IsEnded reports whether some list says that nobody should begin to use an offer, at an instant.
// The function returns the texts that are stated under a key.
func IsEnded(instant string, stated func(key string) []string) bool {
	for _, status := range stated(record.LifecycleStatus) {
		if status == record.StatusDeprecated || status == record.StatusWithdrawn {
			return true
		}
	}
	today, _ := time.Parse(timestamp.Layout, instant)
	for _, key := range []string{record.LifecycleDeprecated, record.LifecycleRetires} {
		for _, text := range stated(key) {
			if day, ok := timestamp.LastDay(text); ok && !day.After(today) {
				return true
			}
		}
	}
	return false
}

// IsUsual reports whether an offer is one that a question takes which asks for nothing in
// particular: of a model, sold as usual, and not ended at an instant. The function is that of
// [IsEnded].
func IsUsual(instant string, stated func(key string) []string) bool {
	for _, service := range stated(record.OfferService) {
		if service != record.ServiceStandard {
			return false
		}
	}
	return len(stated(record.OfferKind)) == 0 && !IsEnded(instant, stated)
}
