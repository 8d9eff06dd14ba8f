package ijson

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/service/record"
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

// ReadTagged reads an object into the struct that into points to, by the tags that package
// record describes: one struct says what a record looks like, whoever writes or reads it.
//
// A type that reads itself has a pointer method ReadJSON(*Reader).
func ReadTagged(r *Reader, into any) { readTagged(r, reflect.ValueOf(into).Elem(), "") }

func readTagged(r *Reader, v reflect.Value, tag reflect.StructTag) {
	if tag.Get("or") == "null" && r.Null() {
		v.SetZero()
		return
	}
	switch itself := v.Addr().Interface().(type) {
	case interface{ ReadJSON(*Reader) }:
		itself.ReadJSON(r)
		return
	case *record.Count:
		itself.N, itself.Known = r.CountOrNull()
		return
	case *record.Timestamp:
		*itself = record.Timestamp(r.Timestamp())
		return
	case *record.Scalar:
		*itself = r.Scalar()
		return
	case *record.Text:
		if r.Null() {
			*itself = ""
			return
		}
	}
	switch t := v.Type(); t.Kind() {
	case reflect.Struct:
		readTaggedStruct(r, v)
	case reflect.Pointer:
		if !r.Null() {
			v.Set(reflect.New(t.Elem()))
			readTagged(r, v.Elem(), tag)
		}
	case reflect.Slice:
		readTaggedList(r, v, tag)
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
		v.SetString(readTaggedString(r, tag.Get("is")))
	}
}

// readTaggedStruct reads an object. Fields of embedded structs are its own.
func readTaggedStruct(r *Reader, v reflect.Value) {
	var names []string
	var list []reflect.StructField
	for _, field := range reflect.VisibleFields(v.Type()) {
		name, options, tagged := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			continue
		}
		if tagged && (options == "omitzero" || options == "omitempty") {
			name += "?"
		}
		names, list = append(names, name), append(list, field)
	}
	for o := r.object(newFields(names...)); o.next(); {
		field := &list[o.field]
		readTagged(r, v.FieldByIndex(field.Index), field.Tag)
	}
}

// readTaggedList reads a list and holds it against the tags least, most and each.
func readTaggedList(r *Reader, v reflect.Value, tag reflect.StructTag) {
	t := v.Type()
	v.Set(reflect.MakeSlice(t, 0, 0))
	items := reflect.StructTag(strings.Replace(string(tag), `or:"null"`, "", 1)) // the list may be null, not its items
	l := r.List()
	for l.Next() {
		v.Set(reflect.Append(v, reflect.Zero(t.Elem())))
		readTagged(r, v.Index(v.Len()-1), items)
	}
	if limit, err := strconv.Atoi(tag.Get("most")); err == nil && v.Len() > limit {
		r.Fail(l.Start(), "", "must hold at most %d items, holds %d", limit, v.Len())
	}
	if tag.Get("least") == "1" {
		l.DemandItems()
	}
	if tag.Get("each") == "once" {
		texts := v.Convert(reflect.TypeFor[[]string]()).Interface().([]string)
		slices.SortFunc(texts, canonical.CompareText)
		if again := Repeated(texts); again != "" {
			r.Fail(l.Start(), "", "must hold each text once: %q is repeated", again)
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

// Scalar reads a string, a number or a boolean.
func (r *Reader) Scalar() record.Scalar {
	switch kind := r.Kind(); kind {
	case '"':
		return record.String(r.String())
	case 't', 'f':
		return record.Bool(r.Bool())
	case '{', '[', 'n':
		at := r.Offset()
		r.Skip()
		r.Fail(at, "", "must be a string, a number or a boolean")
		return record.Scalar{}
	}
	return record.Scalar{Kind: '0', Text: r.Number()}
}
