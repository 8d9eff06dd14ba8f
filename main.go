// Svc answers which of the models that one can launch should do a job, and on
// what evidence. Package cmd is its command line.
package main

import (
	"os"

	"github.com/model-catalog-service/svc/cmd"
)

func main() { os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
