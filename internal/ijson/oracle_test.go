package ijson_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/gowebpki/jcs"
)

// canonicalAny writes what encoding/json decoded as canonical JSON, by the text
// of RFC 8785 and with nothing of the code under test.
func canonicalAny(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case float64:
		text, err := jcs.NumberToJSON(v)
		if err != nil {
			return err.Error()
		}
		return text
	case string:
		return quote(v)
	case []any:
		items := make([]string, len(v))
		for i := range v {
			items[i] = canonicalAny(v[i])
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	object := v.(map[string]any)
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	})
	for i, name := range names {
		names[i] = quote(name) + ":" + canonicalAny(object[name])
	}
	return "{" + strings.Join(names, ",") + "}"
}

// quote takes away the escapes that encoding/json adds to what JSON demands.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return err.Error()
	}
	quoted := strings.TrimSuffix(b.String(), "\n")
	var out strings.Builder
	for i := 0; i < len(quoted); i++ {
		switch {
		case quoted[i] != '\\':
			out.WriteByte(quoted[i])
		case strings.HasPrefix(quoted[i:], `\u2028`), strings.HasPrefix(quoted[i:], `\u2029`):
			c, _ := strconv.ParseUint(quoted[i+2:i+6], 16, 16)
			out.WriteRune(rune(c))
			i += 5
		default:
			out.WriteString(quoted[i : i+2])
			i++
		}
	}
	return out.String()
}
