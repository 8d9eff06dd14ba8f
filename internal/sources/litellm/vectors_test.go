package litellm_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/sources/offer/offertest"
)

func read(body, _ string) (*offer.Listing, error) { return litellm.Read(body) }

func TestVectors(t *testing.T) { offertest.Check(t, "litellm", read) }

func TestSuccession(t *testing.T) { offertest.CheckSuccession(t, "litellm-prices", read) }
