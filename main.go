// Svc ranks the models you can run for a task, and shows the evidence. Package cmd is
// its command line.
package main

import (
	"os"

	"github.com/model-catalog-service/svc/cmd"
)

func main() { os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
