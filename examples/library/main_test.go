package main

import (
	"log"
	"os"
)

// The program runs in the repository's root.
func Example() {
	if err := os.Chdir("../.."); err != nil {
		log.Fatal(err)
	}
	main()
	// Output:
}
