package ijson

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
)

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
//		Old    *part          `json:"old"`                          // an object or null
//		Facts  map[word]int   `json:"facts" is:"added removed"`     // a count for each word
//		Value  scalar         `json:"value"`                        // a type that reads itself
//	}
//
// A type that reads itself has a pointer method ReadJSON(*Reader).
func ReadTagged(r *Reader, into any) { readTagged(r, reflect.ValueOf(into).Elem(), "", "") }

func readTagged(r *Reader, v reflect.Value, is, most string) {
	if itself, ok := v.Addr().Interface().(interface{ ReadJSON(*Reader) }); ok {
		itself.ReadJSON(r)
		return
	}
	switch t := v.Type(); t.Kind() {
	case reflect.Struct:
		var names []string
		for field := range t.Fields() {
			names = append(names, field.Tag.Get("json"))
		}
		for o := r.Object(NewFields(names...)); o.Next(); {
			tag := t.Field(o.Field()).Tag
			readTagged(r, v.Field(o.Field()), tag.Get("is"), tag.Get("most"))
		}
	case reflect.Pointer:
		if !r.Null() {
			v.Set(reflect.New(t.Elem()))
			readTagged(r, v.Elem(), is, most)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, 0, 0))
		l := r.List()
		for l.Next() {
			v.Set(reflect.Append(v, reflect.Zero(t.Elem())))
			readTagged(r, v.Index(v.Len()-1), is, "")
		}
		if limit, err := strconv.Atoi(most); err == nil && v.Len() > limit {
			r.Fail(l.Start(), "", "must hold at most %d items, holds %d", limit, v.Len())
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		words := strings.Fields(is)
		for o := r.Object(NewFields(words...)); o.Next(); {
			v.SetMapIndex(reflect.ValueOf(words[o.Field()]).Convert(t.Key()), reflect.ValueOf(int(r.Count())))
		}
	case reflect.Int:
		v.SetInt(int64(r.Count()))
	case reflect.Float64:
		f, _ := strconv.ParseFloat(r.Number(), 64) // what is not a number has a fault already
		v.SetFloat(f)
	case reflect.Bool:
		v.SetBool(r.Bool())
	case reflect.String:
		if t != reflect.TypeFor[canonical.Text]() || !r.Null() {
			v.SetString(readTaggedString(r, is))
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
