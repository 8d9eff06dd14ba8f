package modelsdev_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/sources/offer/offertest"
)

func read(body, _ string) (*offer.Listing, error) { return modelsdev.Read(body) }

func TestVectors(t *testing.T) { offertest.Check(t, "models-dev", read) }

func TestSuccession(t *testing.T) { offertest.CheckSuccession(t, "models-dev", read) }
