package service_test

import (
	"context"
	"errors"
	"testing"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
)

func TestTextAndHash(t *testing.T) {
	if service.CompareText("\U0001F600", "\uFB33") >= 0 {
		t.Error("U+1F600 must sort before U+FB33")
	}
	const empty = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" // printf '{}' | sha256sum
	if got, err := service.SHA256("{\n}"); err != nil || got != empty {
		t.Errorf("hash of {}: %s, %v", got, err)
	}
}

func TestErrorList(t *testing.T) {
	_, err := catalog.ValidateModel(`{"id": "", "revision": 3, "quantization": null}`)
	if want := "$.id: must be a non-empty string without white space at its ends (and 1 more)"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if faults := service.Faults(err); len(faults) != 2 || faults[1].Path != "$.revision" {
		t.Errorf("%v", faults)
	}
	if faults := service.Faults(context.Canceled); faults != nil {
		t.Errorf("a context has the faults %v", faults)
	}
	long := service.ErrorList{{Path: "$[0]", Reason: "a"}, {Path: "$[1]", Reason: "b"}, {Path: "$", Reason: "c", Rest: 40}}
	if want := "$[0]: a (and 41 more)"; long.Error() != want {
		t.Errorf("%v, want %s", long, want)
	}
	if faults := service.Faults(&service.Error{Path: "$"}); len(faults) != 1 || faults[0].Path != "$" {
		t.Errorf("one fault: %v", faults)
	}
	cause := errors.New("cause")
	if err := (service.ErrorList{{Err: cause}}); !errors.Is(err, cause) {
		t.Error("the cause of a fault is not found")
	}
}
