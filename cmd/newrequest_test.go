package cmd

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/option"
)

// The words of a question are those that its options were set by, in every spelling, and no
// others.
func TestQuestionWords(t *testing.T) {
	for _, test := range []struct{ words, want []string }{
		{[]string{"--against", "c.json"}, nil},
		{[]string{"--at-most", "price.output=5/M", "--request", "r.json", "--cheapest"}, []string{"--at-most", "price.output=5/M", "--cheapest"}},
		{[]string{"--maximize=a b", "--all", "--weight=b=1", "--at-least=-x=5"}, []string{"--maximize", "a b", "--all", "--weight", "b=1", "--at-least=-x=5"}},
		{[]string{"--request", "--model", "--model", "--request"}, []string{"--model=--request"}},
		{[]string{"--cheapest=false"}, []string{"--cheapest=false"}},
	} {
		var opts pageOptions
		c := option.Declare(&cobra.Command{Use: "x"}, opts.options()...)
		if err := c.ParseFlags(test.words); err != nil || !slices.Equal(opts.words, test.want) {
			t.Errorf("%q: %q, error %v", test.words, opts.words, err)
		}
	}
}
