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
	// 1  group 1  openai/gpt-5        88.0% (83.1 to 91.6)
	// 2  group 2  x-ai/grok-4         79.6% (73.9 to 84.3)
	// 3  group 3  moonshotai/kimi-k2  59.1% (52.6 to 65.3)
	// 4  group 3  x-ai/grok-3-beta    53.3% (46.8 to 59.7)
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
