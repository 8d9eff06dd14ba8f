package schemas_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// strangers are values that are put in the place of others.
func strangers() []any {
	return []any{
		nil, true, json.Number("0"), json.Number("-1"), json.Number("1.5"), json.Number("1e3"),
		"", "x", "no-such-word", []any{}, []any{"x"}, []any{"x", "x"}, map[string]any{}, map[string]any{"x": "y"},
	}
}

// numbers are put in the place of numbers.
func numbers() []any {
	return []any{json.Number("9007199254740991"), json.Number("9007199254740992"), json.Number("16777216"), json.Number("16777217"), json.Number("878400"), json.Number("878401"), json.Number("1e300"), json.Number("7.0")}
}

// strangeTexts are put in the place of a text: near misses and near hits of its
// kind.
func strangeTexts(text string) []any {
	switch {
	case isDated.MatchString(text):
		return []any{
			"2026-02-29T00:00:00.000Z", "2000-02-29T23:59:59.999Z", "1900-02-29T00:00:00.000Z", "2026-06-30T23:59:60.000Z", "2026-06-30T00:00:00Z",
			"2026-12-31T24:00:00.000Z", "2026-04-31T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "0000-01-01T00:00:00.000Z", "10000-01-01T00:00:00.000Z",
			"2026-06-30t00:00:00.5z", "2026-06-30T00:00:00+23:59", "2026-06-30T00:00:00+24:00", "2026-06-30",
			"1900-02-29", "2000-02-29", "2400-02-29", "2024-02-30", "2026-00-01",
		}
	case canonical.IsHash(text):
		return []any{strings.Repeat("0", 64), strings.Repeat("A", 64), strings.Repeat("a", 65)}
	}
	return []any{
		" x", "x\u00a0", "\ufeffx", "a\nb", "\u0085x", strings.Repeat("y", 256), strings.Repeat("y", 257), strings.Repeat("é", 129), "eA==", "eB==", "2026-06-30",
	}
}

var isDated = regexp.MustCompile(`^[0-9]{4}-`)

// mutate calls do with mutants of a document: without a member or item, with one
// more, and with every stranger in every place. The mutant is valid until do
// returns.
func mutate(root any, do func(what string, mutant any)) {
	whole := root
	var walk func(path string, node any, set func(any))
	walk = func(path string, node any, set func(any)) {
		try := func(what string, value any) {
			set(value)
			do(path+": "+what, whole)
			set(node)
		}
		for _, stranger := range strangers() {
			try(fmt.Sprintf("%.40v", stranger), stranger)
		}
		switch v := node.(type) {
		case json.Number:
			for _, stranger := range numbers() {
				try(fmt.Sprint(stranger), stranger)
			}
		case string:
			for _, stranger := range strangeTexts(v) {
				try(fmt.Sprintf("%.40q", stranger), stranger)
			}
			try("upper case", strings.ToUpper(v))
			try("more", v+"x")
			try("less", v[:len(v)/2])
			if strings.HasPrefix(v, "https://") {
				for _, url := range oddURLs(v) {
					try(url, url)
				}
			}
		case map[string]any:
			v["odd"] = nil
			do(path+": odd", whole)
			delete(v, "odd")
			for _, name := range sortedNames(v) {
				value := v[name]
				delete(v, name)
				do(path+": without "+name, whole)
				v[name] = value
				walk(path+"."+name, value, func(x any) { v[name] = x })
			}
		case []any:
			if len(v) > 0 {
				try("first twice", append(slices.Clone(v), v[0]))
				try("without first", slices.Clone(v[1:]))
				backwards := slices.Clone(v)
				slices.Reverse(backwards)
				try("backwards", backwards)
				for _, twin := range twins(v[0]) {
					try("with a twin of the first", append(slices.Clone(v), twin))
				}
				for _, n := range []int{32, 33, 64, 65, 128, 129} {
					try(fmt.Sprint(n, " items"), many(v[0], n))
				}
			}
			const enough = 1 // items of a list are alike
			for i, item := range v[:min(len(v), enough)] {
				walk(fmt.Sprintf("%s[%d]", path, i), item, func(x any) { v[i] = x })
			}
		}
	}
	walk("$", root, func(x any) { whole = x })
}

// twins returns an object with each of its texts and truths changed.
func twins(item any) (list []any) {
	object, _ := item.(map[string]any)
	for _, name := range sortedNames(object) {
		twin := maps.Clone(object)
		switch v := object[name].(type) {
		case string:
			twin[name] = v + "x"
		case bool:
			twin[name] = !v
		default:
			continue
		}
		list = append(list, twin)
	}
	return list
}

// many returns so many items like one, each with an id of its own if they have
// one.
func many(item any, n int) (list []any) {
	object, _ := item.(map[string]any)
	for i := range n {
		for _, name := range []string{"id", "measurementKey"} {
			if text, ok := object[name].(string); ok {
				like := maps.Clone(object)
				like[name] = fmt.Sprint(text, i)
				item = like
				break
			}
		}
		list = append(list, item)
	}
	return list
}

func sortedNames(object map[string]any) []string {
	return slices.Sorted(maps.Keys(object))
}

// oddURLs are spellings of a URL that are refused, nearly all.
func oddURLs(url string) []string {
	rest := strings.TrimPrefix(url, "https://")
	host, path, _ := strings.Cut(rest, "/")
	return []string{
		"http://" + rest, "HTTPS://" + rest, "https://user@" + rest, url + "#part", url + "?a=/../b", "https://" + strings.ToUpper(host) + "/" + path,
		"https://" + host + ":443/" + path, "https://" + host + ":/" + path, "https://" + host + ":8443/" + path, "https://" + host + "/./" + path, "https://" + host + "/a/%2E%2e/" + path, url + "/..",
		url + " ", url + "é", url + `\`, "https:///" + path, "https://" + host, "https://" + host + "?" + path, "https://[::1]/" + path, "https://other.example/" + path,
		url + "{revision}", url + "{revision_underscore}", url + "{}", "https://" + host + "{revision}/",
	}
}
