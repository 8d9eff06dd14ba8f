package openrouter_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/sources/offer/offertest"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
)

// readCapture reads what a collector kept: the list of data without its envelope.
func readCapture(body, _ string) (*offer.Listing, error) {
	return openrouter.ReadListing(`{"data":` + body + `}`)
}

func TestVectors(t *testing.T) { offertest.Check(t, "openrouter", readCapture) }

func TestSuccession(t *testing.T) { offertest.CheckSuccession(t, "openrouter-models", readCapture) }
