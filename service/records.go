package service

import (
	"encoding/json"
	"time"

	"github.com/model-catalog-service/svc/service/record"
)

// timestampText returns an instant as a timestamp, empty if it has none.
func timestampText(t time.Time) string { return string(record.NewTimestamp(t)) }

// decode reads a record from JSON that this module wrote or validated. That it
// always can is held by the tests of records and schemas.
func decode[T any](text []byte) (record T) {
	if err := json.Unmarshal(text, &record); err != nil {
		panic(err)
	}
	return record
}
