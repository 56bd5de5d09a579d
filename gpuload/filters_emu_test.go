//go:build emu && cgo

package gpuload

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// TestFilters compares bitmaps of filters with what the documents say.
func TestFilters(t *testing.T) {
	const docs = 300
	fields := &schema.Schema{Fields: []schema.Field{{Name: "brand", Kind: schema.Keyword}, {Name: "n", Kind: schema.Integer, Column: true}}}
	index, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: fields})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	for i := range docs {
		if err := index.Add(t.Context(), pinion.Doc{ID: fmt.Sprint(i), Fields: map[string]any{"brand": fmt.Sprint(i % 7), "n": i % 10}}); err != nil {
			t.Fatal(err)
		}
	}
	var s *reader.Snapshot
	if err := index.View(t.Context(), func(v *pinion.View) (err error) { s, err = v.Snapshot().Retain(); return err }); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f, err := OpenFilters(s, 0, Options{Memory: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	brand := func(i int) Set { return Set{Field: "brand", Term: fmt.Append(nil, i)} }
	filters := []Filter{{{brand(3)}}, {{brand(1), brand(2)}, {{Where: query.AtLeast("n", 5), Not: true}}}, {{{First: 10, End: 20}}}, {}}
	bits, err := f.Make(t.Context(), filters)
	if err != nil {
		t.Fatal(err)
	}
	if at, stride := bits.Device(); at == 0 || stride%256 != 0 {
		t.Errorf("at %#x, %d bytes each", at, stride)
	}
	for i, passes := range []func(doc int) bool{
		func(doc int) bool { return doc%7 == 3 },
		func(doc int) bool { return (doc%7 == 1 || doc%7 == 2) && doc%10 < 5 },
		func(doc int) bool { return doc >= 10 && doc < 20 },
		func(int) bool { return true },
	} {
		words, err := bits.AppendWords(t.Context(), nil, i)
		if err != nil {
			t.Fatal(err)
		}
		n := uint32(0)
		for doc := range docs { // added one after the other
			if passes(doc) {
				n++
			}
			if got := words[doc/64]>>(doc%64)&1 == 1; got != passes(doc) {
				t.Errorf("filter %d, document %d: %v", i, doc, got)
			}
		}
		if bits.Count(i) != n {
			t.Errorf("filter %d: %d documents, want %d", i, bits.Count(i), n)
		}
	}
	if _, err := f.Make(t.Context(), []Filter{{{Set{Field: "none", Term: []byte("x")}}}}); !errors.Is(err, store.ErrInvalid) {
		t.Error(err)
	}
	if err := errors.Join(bits.Close(), bits.Close(), f.Close()); err != nil {
		t.Error(err)
	}
	if _, err := bits.AppendWords(t.Context(), nil, 0); !errors.Is(err, store.ErrClosed) {
		t.Error(err)
	}
	if _, err := OpenFilters(nil, 0, Options{}); !errors.Is(err, store.ErrInvalid) {
		t.Error(err)
	}
	if _, err := OpenFilters(s, 1000, Options{}); !errors.Is(err, ErrNoDevice) {
		t.Error(err)
	}
}

// Filters that no document passes are no errors, whatever they are of, nor are those of an index without documents.
func TestFiltersOfNone(t *testing.T) {
	fields := &schema.Schema{Fields: []schema.Field{{Name: "brand", Kind: schema.Keyword, Column: true}, {Name: "n", Kind: schema.Integer, Column: true}, {Name: "late", Kind: schema.Keyword}}}
	for _, docs := range []int{0, 1, 300} {
		index, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: fields})
		if err != nil {
			t.Fatal(err)
		}
		defer index.Close()
		for i := range docs {
			if err := index.Add(t.Context(), pinion.Doc{ID: fmt.Sprint(i), Fields: map[string]any{"brand": fmt.Sprint(i % 7), "n": i % 10}}); err != nil {
				t.Fatal(err)
			}
		}
		var s *reader.Snapshot
		if err := index.View(t.Context(), func(v *pinion.View) (err error) { s, err = v.Snapshot().Retain(); return err }); err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		f, err := OpenFilters(s, 0, Options{Memory: 8 << 20})
		if err != nil {
			t.Fatalf("%d documents: %v", docs, err)
		}
		defer f.Close()
		none := Set{Field: "brand", Term: []byte("none")}
		filters := []Filter{{{none}}, {{none}, {none}}, {{none, {Field: "late", Term: []byte("x")}}}, {{{Where: query.AtLeast("n", 100)}}},
			{{{Where: query.In{Field: "brand", Values: []any{"none"}}}}}, {{{Where: query.In{Field: "brand"}}}}, {{{First: 20, End: 20}}}, {{{First: 20, End: 10}}}, {{}}, {{{}}},
			{{{Where: query.Exists{Field: "n"}, Not: true}}}, {{{First: 0, End: 1 << 31, Not: true}}}}
		bits, err := f.Make(t.Context(), filters)
		if err != nil {
			t.Fatalf("%d documents: %v", docs, err)
		}
		for i := range filters {
			words, err := bits.AppendWords(t.Context(), nil, i)
			if err != nil || bits.Count(i) != 0 || slices.Max(append(words, 0)) != 0 {
				t.Errorf("%d documents, filter %d: %d pass, %x, %v", docs, i, bits.Count(i), words, err)
			}
		}
		if err := bits.Close(); err != nil {
			t.Error(err)
		}
	}
}
