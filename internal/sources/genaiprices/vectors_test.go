package genaiprices_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/sources/genaiprices"
	"github.com/model-catalog-service/svc/internal/sources/offer/offertest"
)

func TestVectors(t *testing.T) { offertest.Check(t, "genai-prices", genaiprices.Read) }

func TestSuccession(t *testing.T) { offertest.CheckSuccession(t, "genai-prices", genaiprices.Read) }
