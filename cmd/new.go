package cmd

import "github.com/spf13/cobra"

// newNew is the parent of the commands that write a document to start from.
func newNew(p *program) *cobra.Command {
	c := &cobra.Command{
		Use:        "new",
		Short:      "Write a document to start from",
		SuggestFor: []string{"init", "create"},
		Args:       cobra.ArbitraryArgs, // the strict layer has judged them
	}
	c.AddCommand(newNewObservation(p.newObservation), newNewRequest(p.newRequest))
	return c
}
