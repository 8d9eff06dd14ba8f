package comparetest

import (
	"fmt"
	"strings"
)

// Shapes are statements of catalogs that are large in one way each: their texts together
// grow as n does. Nearly all of them change from the first catalog to the second.
var Shapes = map[string]func(n int) (old, new []Statement){
	"models": func(n int) (old, new []Statement) {
		for i := range n {
			old = append(old, Statement{ID: fmt.Sprint("m", i), Measurements: []any{Fact("k", 1)}})
			new = append(new, Statement{ID: fmt.Sprint("m", i), Measurements: []any{Fact("k", 2)}})
		}
		return old, new
	},
	"models of one id": func(n int) (old, new []Statement) {
		for i := range n {
			old = append(old, Statement{Model: Object{"id": "m", "revision": fmt.Sprint(i), "quantization": nil},
				Measurements: []any{Fact("k", 1)}})
			new = append(new, Statement{Model: Object{"id": "m", "revision": nil, "quantization": fmt.Sprint(i)},
				Measurements: []any{Fact("k", 1)}})
		}
		return old, new
	},
	"slots of one model": func(n int) (old, new []Statement) {
		for i := range n {
			old = append(old, Statement{ID: "m", Measurements: []any{Fact(fmt.Sprint("k", i), 1)}})
			new = append(new, Statement{ID: "m", Measurements: []any{Fact(fmt.Sprint("k", i), 2)}})
		}
		return old, new
	},
	"values of one slot": func(n int) (old, new []Statement) {
		for i := range n {
			old = append(old, Statement{ID: "m", Evidence: []string{fmt.Sprint(i)}, Measurements: []any{Fact("k", i)}})
			new = append(new, Statement{ID: "m", Evidence: []string{fmt.Sprint(i)}, Measurements: []any{Fact("k", i+1)}})
		}
		return old, new
	},
	"scopes and tasks": func(n int) (old, new []Statement) {
		for i := range n {
			s := Statement{ID: "m", Execution: Ran(fmt.Sprint("r", i)), Task: Job("f", fmt.Sprint("s", i), nil),
				Measurements: []any{Fact("k", 1), Sample("k", 1)}}
			old = append(old, s)
			s.Measurements = []any{Fact("k", 2), Sample("k", 2)}
			new = append(new, s)
		}
		return old, new
	},
	"samples of one group": func(n int) (old, new []Statement) {
		for i := range n {
			old = append(old, Statement{ID: "m", Evidence: []string{fmt.Sprint(i)}, Measurements: []any{Sample("k", 1)}})
			new = append(new, Statement{ID: "m", Evidence: []string{fmt.Sprint(i)}, Measurements: []any{Sample("k", 2)}})
		}
		return old, new
	},
	"runtimes": func(n int) (old, new []Statement) {
		for i := range n {
			old = append(old, Statement{ID: "m", Execution: At(fmt.Sprint("r", i)), Measurements: []any{Fact("k", 1)}})
		}
		return old, old
	},
	"versions of runtimes": func(n int) (old, new []Statement) { // which no plain use matches
		for i := range n {
			at := At(fmt.Sprint("r", i))
			at["runtime"] = Object{"id": fmt.Sprint("r", i), "version": "1"}
			old = append(old, Statement{ID: "m", Execution: at, Measurements: []any{Fact("k", 1)}})
		}
		return old, old
	},
	"offers": func(n int) (old, new []Statement) {
		for i := range n {
			runtime := fmt.Sprint("r", i%7)
			s := Statement{ID: fmt.Sprintf("%s/m%d", runtime, i), Execution: At(runtime), Measurements: []any{
				Fact("price.input", 1e-6, "USD/token"), Fact("price.output", 2e-6, "USD/token"),
				Fact("limits.context", 8192, "tokens")}}
			old = append(old, s)
			s.Measurements = []any{Fact("price.input", 2e-6, "USD/token"), Fact("price.output", 2e-6, "USD/token"),
				Fact("limits.context", 8192, "tokens")}
			new = append(new, s)
		}
		return old, new
	},
	"times of one slot": func(n int) (old, new []Statement) {
		for i := range n {
			at := func(i int) string { return fmt.Sprintf("2026-05-03T00:%02d:%02d.%03dZ", i/60_000, i/1000%60, i%1000) }
			s := Statement{ID: "m", From: at(i), Until: at(n + i), Measurements: []any{Fact("k", i%3)}}
			old = append(old, s)
			s.Until = at(n + i + 1)
			new = append(new, s)
		}
		return old, new
	},
	"long texts": func(n int) (old, new []Statement) {
		for i := range 4 {
			text := strings.Repeat(fmt.Sprint("text", i, "/"), n)
			s := Statement{ID: text, Execution: At(text), Task: Job(text, text, nil),
				Evidence: []string{text + ":" + text + "#" + text}, Measurements: []any{Fact(text, text, text)}}
			old = append(old, s)
			s.Measurements = []any{Fact(text, text[1:], text)}
			new = append(new, s)
		}
		return old, new
	},
	"evidence of one fact": func(n int) (old, new []Statement) {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("s%d:r%d#k", i, i))
		}
		return []Statement{{ID: "m", Evidence: list, Measurements: []any{Fact("k", 1)}}},
			[]Statement{{ID: "m", Evidence: list, Measurements: []any{Fact("k", 2)}}}
	},
	"measurements of one observation": func(n int) (old, new []Statement) {
		var before, after []any
		for i := range n {
			before, after = append(before, Fact(fmt.Sprint("k", i), 1)), append(after, Fact(fmt.Sprint("k", i), 2))
		}
		return []Statement{{ID: "m", Measurements: before}}, []Statement{{ID: "m", Measurements: after}}
	},
}
