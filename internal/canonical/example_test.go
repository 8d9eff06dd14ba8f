package canonical_test

import (
	"fmt"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// The value of the package comment.
func ExampleMarshal() {
	text, err := canonical.Marshal(map[string]any{"b": []float64{1.0, 2e-7}, "a": "x\u000ay"})
	fmt.Println(string(text), err)
	fmt.Println(canonical.Sum(text))
	// Output:
	// {"a":"x\ny","b":[1,2e-7]} <nil>
	// edb7120e74aff813ec60f07e5fcd58db09e881fd4077305055646e98b7d1ab2e
}
