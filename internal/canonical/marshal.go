package canonical

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Marshal returns the canonical JSON of a Go value, as encoding/json sees it. It
// is for documents that are written seldom: a struct with tags says what they look
// like. Bytes of its texts that are not UTF-8 become U+FFFD.
func Marshal(v any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	d := json.NewDecoder(&text)
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	return appendTree(nil, tree)
}

// MustMarshal is [Marshal] for values of types that always have a JSON text.
func MustMarshal(v any) []byte {
	text, err := Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("canonical.MustMarshal: %v", err)) // a fault of the program
	}
	return text
}

// appendTree appends what encoding/json makes of a JSON text.
func appendTree(dst []byte, tree any) ([]byte, error) {
	switch v := tree.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		e := Encoder{Buf: dst}
		e.Bool(v)
		return e.Buf, nil
	case string:
		return AppendString(dst, v), nil
	case json.Number:
		f, err := v.Float64()
		number := AppendNumber(nil, f)
		if isInteger := !strings.ContainsAny(v.String(), ".e") && f != 0; err != nil || isInteger &&
			string(number) != v.String() {
			return nil, fmt.Errorf("number %s: binary64 cannot hold it", v)
		}
		return append(dst, number...), nil
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			var err error
			if dst, err = appendTree(comma(dst, i), item); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	}
	object := tree.(map[string]any)
	dst = append(dst, '{')
	for i, name := range slices.SortedFunc(maps.Keys(object), CompareText) {
		var err error
		dst = append(AppendString(comma(dst, i), name), ':')
		if dst, err = appendTree(dst, object[name]); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// comma appends a comma before any item but the first.
func comma(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return dst
}
