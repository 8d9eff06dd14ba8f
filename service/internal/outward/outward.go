// Package outward turns what the packages inside return into what callers of the library get, for
// the packages below service.
package outward

import (
	"encoding/json"
	"time"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/record"
)

// Error makes a [service.ErrorList] of an error with faults. Other errors, those of callers among
// them, stay as they are.
func Error(err error) error {
	if faults := service.Faults(err); faults != nil {
		return faults
	}
	return err
}

// Timestamp returns an instant as a timestamp, empty if it has none.
func Timestamp(t time.Time) string { return string(record.NewTimestamp(t)) }

// Decode reads a record from JSON that this module wrote or validated. That it always can is held
// by the tests of records and schemas.
func Decode[T any](text []byte) (record T) {
	if err := json.Unmarshal(text, &record); err != nil {
		panic(err)
	}
	return record
}

// Convert returns records of another package.
func Convert[To, From ~struct{ ID, JSON string }](list []From) []To {
	converted := make([]To, len(list))
	for i, r := range list {
		converted[i] = To(r)
	}
	return converted
}
