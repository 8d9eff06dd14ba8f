// Command generate writes the inputs that the benchmarks run on to standard
// output. The same flags give the same bytes everywhere.
//
//	generate -n 100000 > observations.jsonl
//	generate -n 100000 -form list > observations.json
//	generate -case conflict -n 100000 > conflict.jsonl
//	generate -case bundle -n 100000 > bundle.json
//	generate -case request -candidates 16 -criteria 8 -advisories 4 > request.json
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/model-catalog-service/svc/bench/workload"
)

func main() {
	which := flag.String("case", "observations", "what to write: observations, conflict, bundle or request")
	var c workload.Config
	var r workload.RequestConfig
	flag.Uint64Var(&c.Seed, "seed", 1, "seed of the observations or claims")
	flag.IntVar(&c.N, "n", 1000, "number of observations or claims")
	form := flag.String("form", string(workload.Lines), "form of the observations: lines or list")
	flag.IntVar(&r.Candidates, "candidates", 4, "number of candidates in the request")
	flag.IntVar(&r.Criteria, "criteria", 3, "number of requirements and preferences in the request")
	flag.IntVar(&r.Advisories, "advisories", 0, "number of advisories in the request")
	flag.Parse()
	c.Form = workload.Form(*form)
	if flag.NArg() > 0 || c.N < 0 || r.Candidates < 0 || r.Criteria < 0 || r.Advisories < 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := write(*which, c, r); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func write(which string, c workload.Config, r workload.RequestConfig) error {
	switch which {
	case "observations":
		return workload.Observations(os.Stdout, c)
	case "conflict":
		return workload.Conflict(os.Stdout, c)
	case "bundle":
		return workload.Bundle(os.Stdout, c.Seed, c.N)
	case "request":
		return workload.Request(os.Stdout, r)
	}
	return fmt.Errorf("unknown case %q", which)
}
