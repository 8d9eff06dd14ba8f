package ijson

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/model-catalog-service/svc/service/record"
)

// This file reads structs by their tags, whose language package record describes. The
// tags of a type are looked at once; reading then goes by the offsets of its fields, through
// unsafe.Pointer and without reflection. Validating observations so takes 1 to 3 percent longer
// than with a function written by hand for each field (Compile, Normalize and Parse of package
// bench, medians of eight alternating runs).

// ReadTagged reads an object into the struct that into points to, by its tags. The room of its
// lists is used again.
//
// A type that reads itself has a pointer method ReadJSON(*Reader).
func ReadTagged(r *Reader, into any) {
	v := reflect.ValueOf(into)
	newDecoder(v.Type().Elem(), "")(r, v.UnsafePointer())
}

// TaggedShape returns the shape that the tags of a struct describe. Members that need more than
// tags say replace the field of their name, or come after all fields; those that are [Absent] take
// it away.
func TaggedShape[R Walker, T any](own ...ShapeMember[R, T]) *Shape[R, T] {
	p := planOf(reflect.TypeFor[T]())
	s := &Shape[R, T]{}
	var names []string
	var nullable uint64
	add := func(name string, read func(R, *T), zero func(*T)) {
		if read == nil {
			return
		}
		if zero != nil {
			nullable |= 1 << len(names)
		}
		names, s.read, s.zero = append(names, name), append(s.read, read), append(s.zero, zero)
	}
	for i, f := range p.list {
		name := p.names[i]
		read := func(r R, into *T) { f.read(r.reader(), unsafe.Add(unsafe.Pointer(into), f.offset)) }
		var zero func(*T)
		if f.zero != nil {
			zero = func(into *T) { f.zero(unsafe.Add(unsafe.Pointer(into), f.offset)) }
		}
		if n := indexOfMember(own, name); n >= 0 {
			name, read = own[n].name, own[n].read
		}
		add(name, read, zero)
	}
	for _, m := range own {
		if p.fields.index(strings.TrimSuffix(m.name, "?")) < 0 {
			add(m.name, m.read, nil)
		}
	}
	s.fields = newFields(names...)
	s.fields.nullable = nullable
	if len(own) == 0 {
		s.plan = p
	}
	return s
}

// indexOfMember returns which member has the name of a field, or -1.
func indexOfMember[R Walker, T any](list []ShapeMember[R, T], field string) int {
	bare := func(name string) string { return strings.TrimSuffix(name, "?") }
	return slices.IndexFunc(list, func(m ShapeMember[R, T]) bool { return bare(m.name) == bare(field) })
}

// Absent is a field of a struct that the object must not have: see [TaggedShape].
func Absent[R Walker, T any](name string) ShapeMember[R, T] { return ShapeMember[R, T]{name: name} }

// decoder reads the next value into the variable at p.
type decoder func(r *Reader, p unsafe.Pointer)

// plan is how a struct is read.
type plan struct {
	names  []string // as newFields takes them
	fields *fields
	list   []plannedField
}

type plannedField struct {
	offset uintptr // in the struct
	read   decoder
	zero   func(p unsafe.Pointer) // makes it null, if it may be
}

func (s *plan) readObject(r *Reader, p unsafe.Pointer) Object {
	o := r.object(s.fields)
	for o.skim() || o.advance() {
		f := &s.list[o.field]
		if f.zero != nil && o.readsNull() {
			f.zero(unsafe.Add(p, f.offset))
		} else {
			f.read(r, unsafe.Add(p, f.offset))
		}
	}
	return o
}

// plans are the plans of all types of struct that were read so far, by type. It is a cache, like
// that of encoding/json.
var plans sync.Map

func planOf(t reflect.Type) *plan {
	if known, ok := plans.Load(t); ok {
		return known.(*plan)
	}
	s := &plan{}
	nullable := s.addFields(t, 0, "")
	s.fields = newFields(s.names...)
	s.fields.nullable = nullable
	known, _ := plans.LoadOrStore(t, s)
	return known.(*plan)
}

// addFields adds the fields of a struct that is at an offset of another one, and returns which may
// be null: those whose tag says so, and those named in the tag of the embedded struct.
func (s *plan) addFields(t reflect.Type, offset uintptr, null string) (nullable uint64) {
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		at := offset + field.Offset
		if field.Anonymous && name == "" && field.Type.Kind() == reflect.Pointer {
			s.addPointedFields(field.Type.Elem(), at)
			continue
		}
		if field.Anonymous && name == "" {
			nullable |= s.addFields(field.Type, at, field.Tag.Get("null"))
			continue
		}
		if field.Tag.Get("or") == "null" || slices.Contains(strings.Fields(null), name) {
			nullable |= 1 << len(s.list)
		}
		if options == "omitzero" {
			name += "?"
		}
		s.names = append(s.names, name)
		planned := plannedField{offset: at, read: newDecoder(field.Type, field.Tag)}
		if nullable>>len(s.list)&1 == 1 {
			planned.zero = newZero(field.Type)
		}
		s.list = append(s.list, planned)
	}
	return nullable
}

// addPointedFields adds the fields of a struct to which a pointer at an offset points. The first of
// them that is read makes the struct.
func (s *plan) addPointedFields(t reflect.Type, offset uintptr) {
	pointed := planOf(t)
	s.names = append(s.names, pointed.names...)
	for _, f := range pointed.list {
		s.list = append(s.list, plannedField{offset: offset, read: func(r *Reader, p unsafe.Pointer) {
			to := (*unsafe.Pointer)(p)
			if *to == nil {
				*to = reflect.New(t).UnsafePointer()
			}
			f.read(r, unsafe.Add(*to, f.offset))
		}})
	}
}

// newZero returns what makes a variable of a type null.
func newZero(t reflect.Type) func(p unsafe.Pointer) {
	switch {
	case t.Kind() == reflect.String:
		return func(p unsafe.Pointer) { *(*string)(p) = "" }
	case t == reflect.TypeFor[record.Count]():
		return func(p unsafe.Pointer) { *(*record.Count)(p) = record.Count{} }
	case t.Kind() == reflect.Struct:
		var fields []func(p unsafe.Pointer)
		for field := range t.Fields() {
			zero, offset := newZero(field.Type), field.Offset
			fields = append(fields, func(p unsafe.Pointer) { zero(unsafe.Add(p, offset)) })
		}
		return func(p unsafe.Pointer) {
			for _, zero := range fields {
				zero(p)
			}
		}
	}
	return func(p unsafe.Pointer) { reflect.NewAt(t, p).Elem().SetZero() }
}

// newDecoder returns what reads a type with the tags of its field. Null is read by the object that
// the field is in.
func newDecoder(t reflect.Type, tag reflect.StructTag) decoder {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[readsItself]()) {
		return func(r *Reader, p unsafe.Pointer) { reflect.NewAt(t, p).Interface().(readsItself).ReadJSON(r) }
	}
	switch t {
	case reflect.TypeFor[record.Count]():
		return func(r *Reader, p unsafe.Pointer) {
			c := (*record.Count)(p)
			c.N, c.Known = r.CountOrNull()
		}
	case reflect.TypeFor[record.JSON]():
		return func(r *Reader, p unsafe.Pointer) {
			j := (*record.JSON)(p)
			if *j = ""; !r.Null() {
				*j = record.JSON(r.AppendCanonical(nil))
			}
		}
	case reflect.TypeFor[record.Float]():
		return func(r *Reader, p unsafe.Pointer) {
			f := (*record.Float)(p)
			if *f = (record.Float{}); !r.Null() {
				f.Known = true
				f.Value, _ = strconv.ParseFloat(r.Number(), 64) // what is not a number has a fault already
			}
		}
	case reflect.TypeFor[record.Timestamp]():
		return func(r *Reader, p unsafe.Pointer) { *(*string)(p) = r.Timestamp() }
	case reflect.TypeFor[record.Scalar]():
		return func(r *Reader, p unsafe.Pointer) { *(*record.Scalar)(p) = r.Scalar() }
	}
	switch t.Kind() {
	case reflect.Struct:
		s := planOf(t)
		return func(r *Reader, p unsafe.Pointer) { s.readObject(r, p) }
	case reflect.Pointer:
		return newPointerDecoder(t, tag)
	case reflect.Slice:
		return newListDecoder(t, tag)
	case reflect.Map:
		return newMapDecoder(t, tag)
	case reflect.Int:
		return func(r *Reader, p unsafe.Pointer) { *(*int)(p) = int(r.Count()) }
	case reflect.Uint64:
		return func(r *Reader, p unsafe.Pointer) { *(*uint64)(p) = r.Count() }
	case reflect.Float64:
		return func(r *Reader, p unsafe.Pointer) {
			*(*float64)(p), _ = strconv.ParseFloat(r.Number(), 64) // what is not a number has a fault already
		}
	case reflect.Bool:
		return func(r *Reader, p unsafe.Pointer) { *(*bool)(p) = r.Bool() }
	case reflect.String:
		is := tag.Get("is")
		if list, ok := reflect.Zero(t).Interface().(interface{ Words() []string }); ok {
			is = strings.Join(list.Words(), " ")
		}
		return newStringDecoder(t == reflect.TypeFor[record.Text](), is)
	}
	return func(r *Reader, _ unsafe.Pointer) { r.mismatch("is a " + t.String() + ", which tags do not describe") }
}

// readsItself is a type that knows its JSON.
type readsItself interface{ ReadJSON(*Reader) }

func newStringDecoder(orNull bool, is string) decoder {
	var read decoder
	switch words := strings.Fields(is); {
	case is == "" && orNull:
		return func(r *Reader, p unsafe.Pointer) { *(*string)(p) = r.TextOrNull() }
	case is == "":
		return func(r *Reader, p unsafe.Pointer) { *(*string)(p) = r.Text() }
	case is == "hash":
		read = func(r *Reader, p unsafe.Pointer) { *(*string)(p) = r.Hash() }
	case is == "timestamp":
		read = func(r *Reader, p unsafe.Pointer) { *(*string)(p) = r.Timestamp() }
	default:
		read = func(r *Reader, p unsafe.Pointer) { *(*string)(p) = r.Enum(words...) }
	}
	if !orNull {
		return read
	}
	return func(r *Reader, p unsafe.Pointer) {
		if *(*string)(p) = ""; !r.Null() {
			read(r, p)
		}
	}
}

// newPointerDecoder reads what a pointer points to, or null if the field is required. A type may
// point to itself.
func newPointerDecoder(t reflect.Type, tag reflect.StructTag) decoder {
	target := sync.OnceValue(func() decoder { return newDecoder(t.Elem(), tag) })
	isOptional := strings.HasSuffix(tag.Get("json"), ",omitzero")
	return func(r *Reader, p unsafe.Pointer) {
		if !isOptional && r.Null() {
			*(*unsafe.Pointer)(p) = nil
			return
		}
		v := reflect.New(t.Elem())
		*(*unsafe.Pointer)(p) = v.UnsafePointer()
		target()(r, v.UnsafePointer())
	}
}

// newListDecoder reads a list and holds it against the tags least, most and each.
func newListDecoder(t reflect.Type, tag reflect.StructTag) decoder {
	if t.Elem() == reflect.TypeFor[string]() && tag.Get("each") == "once" && tag.Get("is") == "" {
		return func(r *Reader, p unsafe.Pointer) { *(*[]string)(p) = r.TextSet(*(*[]string)(p)) }
	}
	item := sync.OnceValue(func() decoder { return newDecoder(t.Elem(), tag) }) // a type may have a list of itself
	most, _ := strconv.Atoi(tag.Get("most"))
	least, unique := tag.Get("least") == "1", tag.Get("each") == "once"
	return func(r *Reader, p unsafe.Pointer) {
		v := reflect.NewAt(t, p).Elem()
		if v.IsNil() {
			v.Set(reflect.MakeSlice(t, 0, 0))
		}
		v.SetLen(0)
		l := r.List()
		for n := 0; l.Next(); n++ {
			v.Grow(1)
			v.SetLen(n + 1)
			v.Index(n).SetZero()
			item()(r, v.Index(n).Addr().UnsafePointer())
		}
		if most > 0 && v.Len() > most {
			r.Fail(l.Start(), "", "must hold at most %d items, holds %d", most, v.Len())
		}
		if least {
			l.DemandItems()
		}
		if unique {
			r.sortTexts(*(*[]string)(p), l.Start())
		}
	}
}

// newMapDecoder reads whole numbers by name: by the words of the tag is, or by any.
func newMapDecoder(t reflect.Type, tag reflect.StructTag) decoder {
	words := strings.Fields(tag.Get("is"))
	named := newFields(words...)
	return func(r *Reader, p unsafe.Pointer) {
		counts := reflect.MakeMap(t)
		reflect.NewAt(t, p).Elem().Set(counts)
		set := func(name string) {
			counts.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), reflect.ValueOf(int(r.Count())))
		}
		if len(words) == 0 {
			for n := r.Names(); n.Next(); {
				set(n.Name())
			}
			return
		}
		for o := r.object(named); o.next(); {
			set(words[o.field])
		}
	}
}

// Scalar reads a string, a number or a boolean.
func (r *Reader) Scalar() record.Scalar {
	switch kind := r.Kind(); kind {
	case '"':
		return record.String(r.String())
	case 't', 'f':
		r.Bool()
		return record.Scalar{Kind: kind}
	case '{', '[', 'n':
		at := r.Offset()
		r.Skip()
		r.Fail(at, "", "must be a string, a number or a boolean")
		return record.Scalar{}
	}
	return record.Scalar{Kind: '0', Text: r.Number()}
}
