package main

import (
	"log"
	"os"
	"strings"
	"testing"
)

// The program runs in the repository's root.
func Example() {
	if err := os.Chdir("../.."); err != nil {
		log.Fatal(err)
	}
	main()
	// Output:
	// 1 (1 to 2)  gpt-5               88.0% (83.1 to 91.6)
	// 2 (1 to 2)  grok-4              79.6% (73.9 to 84.3)
	// 3 (3 to 5)  o1                  61.7% (55.2 to 67.8)
	// 4 (3 to 5)  kimi-k2             59.1% (52.6 to 65.3)
	// 5 (3 to 6)  grok-3-beta         53.3% (46.8 to 59.7)
	// 6 (5 to 8)  gpt-oss-120b        41.8% (35.5 to 48.3)
	// 7 (6 to 8)  qwen3-32b           40.0% (33.8 to 46.5)
	// 8 (6 to 8)  grok-3-mini-beta    34.7% (28.8 to 41.1)
	// 9 (9 to 9)  gemma-3-27b-it      4.9% (2.8 to 8.6)
}

// The README shows this program, byte for byte but for the comment of the package.
func TestREADME(t *testing.T) {
	const first = "package main\n"
	file, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(file), first)
	_, shown, _ := strings.Cut(string(page), "```go\n"+first)
	shown, _, _ = strings.Cut(shown, "```")
	if shown != program {
		t.Errorf("the README shows another program:\n%s", shown)
	}
}
