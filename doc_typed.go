package pinion

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/pinion-index/pinion/internal/structs"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Typed is an index whose documents are structs of a type: each field of the struct is a field of the index, and the one named id is
// the document's id. Tags give names as for schema.For; kinds stand in the schema of the index. It is safe for concurrent use.
type Typed[T any] struct {
	of   searched
	plan *structs.Plan
	err  error // what is wrong with T
}

// searched is what structs can be read from: an Index, a Reader or a View.
type searched interface {
	Search(context.Context, Request) (Page, error)
	Get(ctx context.Context, id string) (Doc, error)
	Schema() *schema.Schema
}

// For returns an Index, a Reader or a View as one of structs. What is wrong with the type is the error of every call.
func For[T any](of searched) *Typed[T] {
	t := &Typed[T]{of: of}
	if t.plan, t.err = structs.Of(reflect.TypeFor[T]()); t.err == nil && t.plan.ID == nil {
		t.err = fmt.Errorf("%w: %v has no id: a string that is named ID, or has the tag `%s:\"id\"`", ErrInvalid, t.plan.Type, structs.Tag)
	}
	return t
}

// TypedPage is a Page whose hits have their documents as structs.
type TypedPage[T any] struct {
	Page
	Hits []TypedHit[T]
}

// TypedHit is a Hit and its document.
type TypedHit[T any] struct {
	Hit
	Doc T
}

// Add adds structs as Index.Add adds documents. The error, for a field that the schema lacks, or a value that does not fit its kind,
// names document, type and field, and matches ErrInvalid; nothing is added then.
func (t *Typed[T]) Add(ctx context.Context, all ...T) error {
	index, ok := t.of.(interface {
		Add(context.Context, ...Doc) error
	})
	if !ok {
		return fmt.Errorf("%w: a %T takes no documents", ErrInvalid, t.of)
	}
	s, numbers, err := t.fields()
	if err != nil {
		return err
	}
	docs := make([]Doc, len(all))
	var bad []error
	for i := range all {
		if docs[i], err = t.doc(s, numbers, reflect.ValueOf(&all[i]).Elem()); err != nil {
			bad = append(bad, err)
		}
	}
	if len(bad) > 0 {
		return errors.Join(bad...)
	}
	return index.Add(ctx, docs...)
}

// fields returns the schema, and the number in it of each field of the plan.
func (t *Typed[T]) fields() (s *schema.Schema, numbers []int, err error) {
	if t.err != nil {
		return nil, nil, t.err
	}
	s = t.of.Schema()
	numbers = make([]int, len(t.plan.Fields))
	for i := range t.plan.Fields {
		f := &t.plan.Fields[i]
		found, err := s.Resolve([]schema.Value{schema.TextValue(f.Name, "")})
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %v, field %s: the index has no field %q", ErrInvalid, t.plan.Type, f.Go, f.Name)
		}
		numbers[i] = found[0].Field
	}
	return s, numbers, nil
}

// doc returns a struct as a document.
func (t *Typed[T]) doc(s *schema.Schema, numbers []int, r reflect.Value) (d Doc, err error) {
	d = Doc{ID: r.FieldByIndex(t.plan.ID).String(), Values: make([]schema.Value, 0, len(numbers))}
	for i := range t.plan.Fields {
		f, from := &t.plan.Fields[i], len(d.Values)
		if d.Values, err = s.AppendValues(d.Values, numbers[i], r.FieldByIndex(f.Index)); err != nil {
			return d, fmt.Errorf("%w %.80q: %v, field %s: %w", writer.ErrDocument, d.ID, t.plan.Type, f.Go, err)
		}
		for j := from; j < len(d.Values); j++ {
			d.Values[j].Name = f.Name // the numbers may be others by now
		}
	}
	return d, nil
}

// Get returns the document with an id, as Index.Get does.
func (t *Typed[T]) Get(ctx context.Context, id string) (doc T, err error) {
	if t.err != nil {
		return doc, t.err
	}
	d, err := t.of.Get(ctx, id)
	if err != nil {
		return doc, err
	}
	err = d.Decode(&doc)
	return doc, err
}

// Search returns the page that r asks for, as Index.Search does. The struct of a hit has the values of Request.Fields or, if those are nil,
// of all its fields that the index can show.
func (t *Typed[T]) Search(ctx context.Context, r Request) (TypedPage[T], error) {
	s, numbers, err := t.fields()
	if err != nil {
		return TypedPage[T]{}, err
	}
	if r.Fields == nil {
		for i, n := range numbers {
			if s == nil || s.Fields[n].Name == "" || s.Fields[n].Stored || s.Fields[n].Column {
				r.Fields = append(r.Fields, t.plan.Fields[i].Name)
			}
		}
	}
	page, err := t.of.Search(ctx, r)
	if err != nil {
		return TypedPage[T]{}, err
	}
	typed := TypedPage[T]{Page: page, Hits: make([]TypedHit[T], len(page.Hits))}
	for i := range page.Hits {
		to := &typed.Hits[i]
		to.Hit = page.Hits[i]
		if err := decode(reflect.ValueOf(&to.Doc).Elem(), t.plan, to.ID, to.Values); err != nil {
			return TypedPage[T]{}, err
		}
	}
	return typed, nil
}

// Decode sets the fields of the struct that v points to, as Hit.Decode does.
func (d Doc) Decode(v any) error {
	values := d.Values[:len(d.Values):len(d.Values)]
	for name, x := range d.Fields {
		all, several := x.([]any)
		if !several {
			all = []any{x}
		}
		for _, x := range all {
			y, ok := valueOf(name, x)
			if !ok {
				return fmt.Errorf("%w: document %.80q: field %q has a %T, which Get does not return", ErrInvalid, d.ID, name, x)
			}
			values = append(values, y)
		}
	}
	h := Hit{ID: d.ID, Values: values}
	return h.Decode(v)
}

// valueOf returns what Value.Any has made x of, as far as Go tells: a text as a keyword.
func valueOf(name string, x any) (schema.Value, bool) {
	switch x := x.(type) {
	case string:
		return schema.KeywordValue(name, x), true
	case int64:
		return schema.IntegerValue(name, x), true
	case float64:
		return schema.FloatValue(name, x), true
	case time.Time:
		return schema.TimeValue(name, x), true
	case []schema.Impact:
		return schema.ImpactsValue(name, x), true
	case []float32:
		return schema.VectorValue(name, x), true
	}
	return schema.Value{}, false
}
