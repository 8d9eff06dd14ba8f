package ijson

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// MustWriteTagged returns a record as canonical JSON, by its json tags. It is
// canonical.MustMarshal for large records, in a quarter of the time, and panics as that
// does on a type of record that has no JSON text: that is a fault of the program.
func MustWriteTagged(record any) []byte {
	text, err := json.Marshal(record)
	if err != nil {
		panic("ijson.MustWriteTagged: " + err.Error())
	}
	return NewReader(string(text), "").AppendCanonical(make([]byte, 0, len(text)))
}

// ReadTagged reads an object into the struct that into points to. It is for records
// that are written by their json tags, and that are read seldom: one struct says what
// a record looks like, whoever writes or reads it. Every member is required, and no
// other may be there. What it may be follows from its type and the tags is and most:
//
//	type record struct {
//		Key    string         `json:"key" is:"hash"`
//		AsOf   string         `json:"asOf" is:"timestamp"`
//		Name   string         `json:"name"`                         // any text
//		Unit   canonical.Text `json:"unit"`                         // a text or null
//		Change string         `json:"change" is:"added removed"`    // one of these words
//		Count  int            `json:"count"`
//		Ratio  float64        `json:"ratio"`
//		Known  bool           `json:"known"`
//		Seen   []string       `json:"seen" is:"timestamp" most:"4"` // at most four of them
//		Runs   []part         `json:"runs" least:"1"`               // at least one
//		Old    *part          `json:"old"`                          // an object or null
//		Facts  map[word]int   `json:"facts" is:"added removed"`     // a count for each word
//		For    map[word]int   `json:"for"`                          // a count for any words
//		Value  scalar         `json:"value"`                        // a type that reads itself
//	}
//
// A type that reads itself has a pointer method ReadJSON(*Reader).
func ReadTagged(r *Reader, into any) { readTagged(r, reflect.ValueOf(into).Elem(), "") }

func readTagged(r *Reader, v reflect.Value, tag reflect.StructTag) {
	if itself, ok := v.Addr().Interface().(interface{ ReadJSON(*Reader) }); ok {
		itself.ReadJSON(r)
		return
	}
	switch t := v.Type(); t.Kind() {
	case reflect.Struct:
		var names []string
		for field := range t.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			names = append(names, name)
		}
		for o := r.object(newFields(names...)); o.next(); {
			readTagged(r, v.Field(o.field), t.Field(o.field).Tag)
		}
	case reflect.Pointer:
		if !r.Null() {
			v.Set(reflect.New(t.Elem()))
			readTagged(r, v.Elem(), tag)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, 0, 0))
		l := r.List()
		for l.Next() {
			v.Set(reflect.Append(v, reflect.Zero(t.Elem())))
			readTagged(r, v.Index(v.Len()-1), tag)
		}
		if limit, err := strconv.Atoi(tag.Get("most")); err == nil && v.Len() > limit {
			r.Fail(l.Start(), "", "must hold at most %d items, holds %d", limit, v.Len())
		}
		if tag.Get("least") == "1" {
			l.DemandItems()
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		words := strings.Fields(tag.Get("is"))
		if len(words) == 0 {
			for n := r.Names(); n.Next(); {
				v.SetMapIndex(reflect.ValueOf(n.Name()).Convert(t.Key()), reflect.ValueOf(int(r.Count())))
			}
			return
		}
		for o := r.object(newFields(words...)); o.next(); {
			v.SetMapIndex(reflect.ValueOf(words[o.field]).Convert(t.Key()), reflect.ValueOf(int(r.Count())))
		}
	case reflect.Int:
		v.SetInt(int64(r.Count()))
	case reflect.Uint64:
		v.SetUint(r.Count())
	case reflect.Float64:
		f, _ := strconv.ParseFloat(r.Number(), 64) // what is not a number has a fault already
		v.SetFloat(f)
	case reflect.Bool:
		v.SetBool(r.Bool())
	case reflect.String:
		if t != reflect.TypeFor[canonical.Text]() || !r.Null() {
			v.SetString(readTaggedString(r, tag.Get("is")))
		}
	}
}

func readTaggedString(r *Reader, is string) string {
	switch is {
	case "":
		return r.Text()
	case "hash":
		return r.Hash()
	case "timestamp":
		return r.Timestamp()
	}
	return r.Enum(strings.Fields(is)...)
}
