package writer

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/schema"
)

// invertedOf makes an Inverted of shownDocs.
func invertedOf(docs []shownDoc) Inverted {
	lists := map[string]*InvertedList{}
	for i, d := range docs {
		for term, tf := range d.terms {
			l := lists[term]
			if l == nil {
				l = &InvertedList{Term: []byte(term)}
				lists[term] = l
			}
			l.Postings = l.AppendPosting(uint32(i), tf)
		}
	}
	return Inverted{
		Docs: func(yield func(InvertedDoc, error) bool) {
			for _, d := range docs {
				if !yield(InvertedDoc{ID: []byte(d.id), Len: d.len, Text: []byte(d.text)}, nil) {
					return
				}
			}
		},
		Lists: func(yield func(InvertedList, error) bool) {
			for _, term := range slices.Sorted(maps.Keys(lists)) {
				if !yield(*lists[term], nil) {
					return
				}
			}
		},
	}
}

func TestAddInverted(t *testing.T) {
	ctx := t.Context()
	for _, stored := range []bool{false, true} {
		fs := memfs.New()
		w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", stored), Threads: 3})
		m, foreign := model{stored: stored}, model{stored: stored}
		r := rand.New(rand.NewPCG(8, 8))
		fill(t, w, &m, r, 400, 600)
		for range 700 {
			foreign.add(fmt.Sprint("d", r.IntN(900)), "often "+randomText(r, 6))
		}
		if err := w.AddInverted(ctx, invertedOf(foreign.docs)); err != nil {
			t.Fatal(err)
		}
		for _, d := range foreign.docs {
			m.delete(d.id)
			m.docs = append(m.docs, d)
		}
		fill(t, w, &m, r, 100, 600)
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		m.check(t, fs)
		if _, err := w.Merge(ctx, MergeOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		m.check(t, fs)
		w.Close()
	}
}

func pairs[T any](vs ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range vs {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// TestLongLists has so many lists in temporary files that files are reused.
func TestLongLists(t *testing.T) {
	longtest.Once(t)
	ctx := t.Context()
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), Threads: 2, tail: 1})
	r := rand.New(rand.NewPCG(8, 8))
	m := model{}
	for part := range 2 {
		foreign := model{}
		for i := range 6000 {
			text := "all"
			for term := range 24 {
				if r.IntN(24) > term {
					text += strings.Repeat(fmt.Sprint(" t", term), 1+r.IntN(3))
				}
			}
			foreign.add(fmt.Sprint("d", part, "-", i), text)
		}
		if err := errors.Join(w.AddInverted(ctx, invertedOf(foreign.docs)), w.Commit(ctx)); err != nil {
			t.Fatal(err)
		}
		m.docs = append(m.docs, foreign.docs...)
	}
	m.check(t, fs)
	if _, err := w.Merge(ctx, MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	m.check(t, fs)
}

func TestBadInverted(t *testing.T) {
	ctx := t.Context()
	long := make([]uint32, 200)
	ones := make([]uint32, 200)
	for i := range long {
		long[i], ones[i] = uint32(i), 1
	}
	long[150] = 10
	docs := func(n int) iter.Seq2[InvertedDoc, error] {
		return func(yield func(InvertedDoc, error) bool) {
			for i := range n {
				if !yield(InvertedDoc{ID: []byte(fmt.Sprint(i)), Len: 5}, nil) {
					return
				}
			}
		}
	}
	list := func(term string, docs, freqs []uint32) InvertedList {
		return InvertedList{Term: []byte(term), Postings: format.Postings{Docs: docs, Freqs: freqs}}
	}
	good := list("good", []uint32{0, 1, 2}, []uint32{1, 2, 3})
	broken := errors.New("broken input")
	tests := []struct {
		name  string
		docs  iter.Seq2[InvertedDoc, error]
		lists iter.Seq2[InvertedList, error]
		want  string
		index int // of an EncodeError, or -1
	}{
		{"unsorted", docs(10), pairs(good, list("x", []uint32{1, 5, 4}, []uint32{1, 1, 1})), `list 1, term "x"`, 2},
		{"twice", docs(10), pairs(good, list("x", []uint32{5, 5}, []uint32{1, 1})), `list 1, term "x"`, 1},
		{"long unsorted", docs(300), pairs(good, list("x", long, ones)), `list 1, term "x"`, -1},
		{"zero tf", docs(10), pairs(list("x", []uint32{1, 5}, []uint32{1, 0})), `list 0, term "x"`, 1},
		{"no such document", docs(10), pairs(list("x", []uint32{1, 10}, []uint32{1, 1})), `list 0, term "x"`, 1},
		{"lengths differ", docs(10), pairs(good, list("x", []uint32{1, 10}, []uint32{1})), "2 docIDs but 1 frequencies", -1},
		{"empty list", docs(10), pairs(good, list("x", nil, nil)), `list 1, term "x"`, -1},
		{"empty term", docs(10), pairs(list("", []uint32{1}, []uint32{1})), `list 0, term ""`, -1},
		{"term order", docs(10), pairs(good, list("a", []uint32{1}, []uint32{1})), `list 1, term "a"`, -1},
		{"term twice", docs(10), pairs(good, good), `list 1, term "good"`, -1},
		{"long term", docs(10), pairs(list(strings.Repeat("x", 65536), []uint32{1}, []uint32{1})), "list 0", -1},
		{"id twice", pairs(InvertedDoc{ID: []byte("a")}, InvertedDoc{ID: []byte("b")}, InvertedDoc{ID: []byte("a")}), pairs[InvertedList](), `documents 0 and 2 have the same id "a"`, -1},
		{"empty id", pairs(InvertedDoc{ID: []byte("a")}, InvertedDoc{}), pairs[InvertedList](), "document 1: bad document: its id is empty", -1},
		{"input error", docs(10), func(yield func(InvertedList, error) bool) { _ = yield(good, nil) && yield(InvertedList{}, broken) }, "broken input", -1},
		{"document error", func(yield func(InvertedDoc, error) bool) { yield(InvertedDoc{}, broken) }, pairs(good), "broken input", -1},
	}
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false)})
	defer w.Close()
	for _, tt := range tests {
		err := w.AddInverted(ctx, Inverted{Docs: tt.docs, Lists: tt.lists, ForeignLengths: true})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
		var e *codec.EncodeError
		if tt.index >= 0 && (!errors.As(err, &e) || e.Index != tt.index) {
			t.Errorf("%s: error %v, want element %d", tt.name, err, tt.index)
		}
	}
	// Nothing of that is left, and the Writer is usable.
	if err := errors.Join(w.Add(ctx, doc("a", "word")), w.Commit(ctx)); err != nil {
		t.Fatal(err)
	}
	m := model{docs: []shownDoc{show("a", "word", false)}}
	m.check(t, fs)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if names, err := fs.List(); err != nil || len(names) != 4 {
		t.Errorf("files left: %v, %v", names, err)
	}
}

// A document's length is the sum of its frequencies, unless ForeignLengths.
func TestInvertedLengths(t *testing.T) {
	ctx := t.Context()
	most := uint32(math.MaxUint32)
	many := make([]uint32, 200)
	for i := range many {
		many[i] = uint32(i)
	}
	list := func(term string, docs, freqs []uint32) InvertedList {
		return InvertedList{Term: []byte(term), Postings: format.Postings{Docs: docs, Freqs: freqs}}
	}
	x, y := list("x", []uint32{0, 1}, []uint32{2, 1}), list("y", []uint32{1}, []uint32{3})
	long := list("x", many, slices.Repeat([]uint32{1}, len(many)))
	for _, tt := range []struct {
		name  string
		lens  []uint32
		lists []InvertedList
		want  string // "": no error
	}{
		{"equal", []uint32{2, 4, 0}, []InvertedList{x, y}, ""},
		{"no lists", []uint32{0}, nil, ""},
		{"long list", slices.Repeat([]uint32{1}, 200), []InvertedList{long}, ""},
		{"too long", []uint32{2, 5, 0}, []InvertedList{x, y}, "document 1 has length 5, but its frequencies sum to 4"},
		{"in no list", []uint32{2, 4, 1}, []InvertedList{x, y}, "document 2 has length 1, but its frequencies sum to 0"},
		{"no list", []uint32{1}, nil, "document 0 has length 1, but its frequencies sum to 0"},
		{"too short", []uint32{2, 3}, []InvertedList{x, y}, `posting list 1, term "y": document 1 has length 3`},
		{"no tokens", []uint32{0, 4}, []InvertedList{x, y}, `posting list 0, term "x": document 0 has length 0`},
		{"sum of 2^32", []uint32{0}, []InvertedList{list("x", []uint32{0}, []uint32{most}), list("y", []uint32{0}, []uint32{1})}, `posting list 0, term "x"`},
		{"one over the greatest length", []uint32{most}, []InvertedList{list("x", []uint32{0}, []uint32{most}), list("y", []uint32{0}, []uint32{1})}, `posting list 1, term "y"`},
		{"long list, too short", append(slices.Repeat([]uint32{1}, 199), 0), []InvertedList{long}, "document 199 has length 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := mustOpen(t, memfs.New(), Options{Schema: schema.Implicit("whitespace", "", false)})
			defer w.Close()
			var docs []InvertedDoc
			for i, n := range tt.lens {
				docs = append(docs, InvertedDoc{ID: []byte(fmt.Sprint(i)), Len: n})
			}
			in := Inverted{Docs: pairs(docs...), Lists: pairs(tt.lists...)}
			err := w.AddInverted(ctx, in)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Fatalf("error %v, want one with %q", err, tt.want)
			}
			if err != nil {
				if len(w.segments) > 0 {
					t.Error("a segment was added in spite of the error")
				}
				in.ForeignLengths = true
				if err := w.AddInverted(ctx, in); err != nil {
					t.Fatalf("with ForeignLengths: %v", err)
				}
			}
			if err := check.Segment(ctx, w.segments[0].seg, check.Options{Level: check.Postings}); err != nil {
				t.Error(err)
			}
			if err := w.Commit(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}

// A collection that panics ends the Writer, which can be closed.
func TestInvertedPanics(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false)})
	if err := errors.Join(w.Add(ctx, doc("a", "word")), w.Commit(ctx)); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if recover() != "broken input" {
				t.Error("the panic did not reach the caller")
			}
		}()
		w.AddInverted(ctx, Inverted{Docs: func(func(InvertedDoc, error) bool) { panic("broken input") }, Lists: pairs[InvertedList]()})
	}()
	if err := w.Add(ctx, doc("b", "word")); !errors.Is(err, errPanic) {
		t.Errorf("Add behind a panic: %v", err)
	}
	closed := make(chan error)
	go func() { closed <- w.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("Close waits for a call that panicked")
	}
	m := model{docs: []shownDoc{show("a", "word", false)}}
	m.check(t, fs)
}
