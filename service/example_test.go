package service_test

import (
	"errors"
	"fmt"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
)

// Code and path tell a program what is wrong, the message a person.
func ExampleError() {
	_, err := catalog.ValidateModel(`{"id": "acme/atlas", "revision": 3, "quantization": null}`)
	if e, ok := errors.AsType[*service.Error](err); ok {
		fmt.Println(e.Code == service.InvalidObservation, e.Path)
		fmt.Println(e)
	}
	// Output:
	// true $.revision
	// $.revision: must be null or a non-empty string without white space at its ends
}

// All faults of a document are listed.
func ExampleFaults() {
	_, err := catalog.ValidateModel(`{"id": "", "revision": 3, "quantization": null}`)
	for _, e := range service.Faults(err) {
		fmt.Println(e.Path, e.Reason)
	}
	// Output:
	// $.id must be a non-empty string without white space at its ends
	// $.revision must be null or a non-empty string without white space at its ends
}

func ExampleCanonicalJSON() {
	c, err := service.CanonicalJSON(`{ "price": 1.50e-6, "id": "\u0061cme" }`)
	fmt.Printf("%s %v\n", c, err)
	_, err = service.CanonicalJSON(`{"price": 1, "price": 2}`)
	fmt.Println(err)
	// Output:
	// {"id":"acme","price":0.0000015} <nil>
	// $.price: duplicate field
}
