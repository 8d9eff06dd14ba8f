package outward_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/internal/outward"
)

func TestError(t *testing.T) {
	fault := &problem.Error{Code: problem.InvalidCatalog, Path: "$.a", Reason: "is wrong"}
	list, ok := outward.Error(fmt.Errorf("inside: %w", fault)).(service.ErrorList)
	if !ok || len(list) != 1 || list[0].Code != service.InvalidCatalog || list[0].Path != "$.a" {
		t.Errorf("%v", list)
	}
	for _, err := range []error{nil, context.Canceled} {
		if got := outward.Error(err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}

func TestTimestamp(t *testing.T) {
	if got := outward.Timestamp(time.Unix(0, 1e6)); got != "1970-01-01T00:00:00.001Z" {
		t.Error(got)
	}
	if got := outward.Timestamp(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)); got != "" {
		t.Error(got)
	}
}
