package catalog_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// This file writes one value in many ways that all mean the same.

// backwards writes a value with the members of objects in descending order and
// each on a line of its own.
func backwards(v any, newline string) string {
	switch v := v.(type) {
	case object:
		names := slices.Sorted(maps.Keys(v))
		slices.Reverse(names)
		members := make([]string, len(names))
		for i, name := range names {
			members[i] = newline + "  " + canonicalJSON(name) + " : " + backwards(v[name], newline+"  ")
		}
		return "{" + strings.Join(members, " ,") + newline + "}"
	case []any:
		items := make([]string, len(v))
		for i := range v {
			items[i] = newline + "  " + backwards(v[i], newline+"  ")
		}
		return "[" + strings.Join(items, " ,") + newline + "]"
	}
	return canonicalJSON(v)
}

// respell writes an observation with its members, and the items of its lists, in
// random order, with random white space, escapes and spellings of numbers. All
// of that is the same observation.
func respell(rnd *rand.Rand, doc string) string {
	return respellAny(rnd, decodeAny(doc))
}

func respellAny(rnd *rand.Rand, v any) string {
	space := func() string { return []string{"", "", " ", "\n", "\t ", "\r\n"}[rnd.IntN(6)] }
	var parts []string
	var out string
	switch v := v.(type) {
	case object:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, space()+respellString(rnd, name)+space()+":"+respellAny(rnd, v[name]))
		}
		rnd.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		out = "{" + strings.Join(parts, ",") + space() + "}"
	case []any:
		for _, item := range v {
			parts = append(parts, respellAny(rnd, item))
		}
		rnd.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		out = "[" + strings.Join(parts, ",") + space() + "]"
	case string:
		out = respellString(rnd, v)
	case float64:
		out = respellNumber(rnd, v)
	default:
		out = canonicalJSON(v)
	}
	return space() + out + space()
}

func respellString(rnd *rand.Rand, s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		quoted, _ := json.Marshal(string(c)) // as json.Marshal escapes
		switch {
		case rnd.IntN(8) > 0:
			b.Write(quoted[1 : len(quoted)-1])
		case c > 0xFFFF:
			c -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xD800+c>>10, 0xDC00+c&0x3FF)
		default:
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func respellNumber(rnd *rand.Rand, f float64) string {
	switch rnd.IntN(4) {
	case 0:
		return strconv.FormatFloat(f, 'e', -1, 64)
	case 1:
		return strings.ToUpper(strconv.FormatFloat(f, 'e', 20, 64))
	case 2:
		if f == math.Trunc(f) && math.Abs(f) < 1e15 {
			return strconv.FormatFloat(f, 'f', 3, 64)
		}
	}
	return canonicalJSON(f)
}

// shuffleMembers writes a value with the members of objects in random order and
// lists as they are.
func shuffleMembers(rnd *rand.Rand, v any) string {
	var parts []string
	switch v := v.(type) {
	case object:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, canonicalJSON(name)+":"+shuffleMembers(rnd, v[name]))
		}
		rnd.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		for _, item := range v {
			parts = append(parts, shuffleMembers(rnd, item))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return canonicalJSON(v)
}
