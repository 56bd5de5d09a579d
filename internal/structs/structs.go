// Package structs says which names the fields of a struct have in documents, for schemas that are derived from structs and for
// documents that are made of them.
package structs

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/pinion-index/pinion/internal/errs"
)

// Tag is the key of the tags.
const Tag = "pinion"

// id is the name that means the id of a document.
const id = "id"

// Plan is what documents have of a struct.
type Plan struct {
	Type   reflect.Type
	ID     []int // for reflect.Value.FieldByIndex; nil if there is none
	Fields []Field
}

// Field is a field of a struct.
type Field struct {
	Name  string // in the schema
	Go    string // in the struct
	Index []int  // for reflect.Value.FieldByIndex
	Type  reflect.Type
}

// Types that say what they are by themselves.
var (
	Time     = reflect.TypeFor[time.Time]()
	Number   = reflect.TypeFor[json.Number]()
	Stringer = reflect.TypeFor[fmt.Stringer]()
	// Unmarshaler reads a type from the text of a keyword.
	Unmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

type planned struct {
	plan *Plan
	err  error
}

var plans sync.Map // of planned, by reflect.Type

// Of returns the plan of a type of structs. The error, which names type and field, matches errs.ErrInvalid.
func Of(t reflect.Type) (*Plan, error) {
	if p, ok := plans.Load(t); ok {
		return p.(planned).plan, p.(planned).err
	}
	var p planned
	if t == nil || t.Kind() != reflect.Struct || leaf(t) {
		p.err = fmt.Errorf("%w: %v is not a struct", errs.ErrInvalid, t)
	} else {
		p.plan = &Plan{Type: t}
		if p.err = p.plan.add(t, nil, make(map[string]string)); p.err != nil {
			p.plan = nil
		}
	}
	plans.Store(t, p)
	return p.plan, p.err
}

// add adds the fields of a struct, which lies at index. Of names it remembers the fields of Go.
func (p *Plan) add(t reflect.Type, index []int, names map[string]string) error {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup(Tag)
		if tag == "-" {
			continue
		}
		bad := func(text string, args ...any) error {
			return fmt.Errorf("%w: %v, field %s: "+text, append([]any{errs.ErrInvalid, p.Type, f.Name}, args...)...)
		}
		at := append(index[:len(index):len(index)], i)
		switch {
		case f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct && !leaf(f.Type):
			if err := p.add(f.Type, at, names); err != nil {
				return err
			}
			continue
		case !f.IsExported() && tagged:
			return bad("it has a tag and is not exported")
		case !f.IsExported():
			continue
		case f.Anonymous && !tagged && f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct && !leaf(f.Type.Elem()):
			return bad("an embedded pointer; embed the struct, or leave it out by the tag `%s:\"-\"`", Tag)
		case tagged && (tag == "" || strings.ContainsRune(tag, ',')):
			return bad("the tag %q: it is a name, or - for none", tag)
		}
		name := tag
		if !tagged {
			name = strings.ToLower(f.Name)
		}
		if other, twice := names[name]; twice {
			return bad("it has the name %q, as the field %s has", name, other)
		}
		names[name] = f.Name
		if name == id {
			if f.Type.Kind() != reflect.String {
				return bad("the id is a %v; ids are strings", f.Type)
			}
			p.ID = at
			continue
		}
		p.Fields = append(p.Fields, Field{Name: name, Go: f.Name, Index: at, Type: f.Type})
	}
	return nil
}

// leaf reports whether a struct is one value, and not several fields.
func leaf(t reflect.Type) bool {
	return t == Time || t.Implements(Stringer) || reflect.PointerTo(t).Implements(Unmarshaler)
}

// Find returns the field of a name, or nil.
func (p *Plan) Find(name string) *Field {
	for i := range p.Fields {
		if p.Fields[i].Name == name {
			return &p.Fields[i]
		}
	}
	return nil
}
