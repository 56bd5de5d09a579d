package pinion_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// longRecords returns an index of documents with enough text for blocks of chunks, and the values of
// each.
func longRecords(t *testing.T, s *schema.Schema) (*memfs.FS, [][]schema.Value) {
	fs := memfs.New()
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	draw := rapid.Custom(func(t *rapid.T) []schema.Value {
		values := []schema.Value{schema.TextValue(1, []byte(drawText(t, "text", 120)))}
		for range rapid.IntRange(0, 6).Draw(t, "values") {
			values = append(values, drawValue(t, s, rapid.IntRange(0, 5).Draw(t, "field")))
		}
		return rapid.Permutation(values).Draw(t, "order")
	})
	random := rand.New(rand.NewPCG(1, 2))
	docs := make([][]schema.Value, 700)
	for i := range docs {
		docs[i] = draw.Example(i)
		var text []byte
		for range 100 {
			text = fmt.Append(text, " word", random.IntN(5000))
		}
		docs[i] = slices.Insert(docs[i], random.IntN(len(docs[i])), schema.TextValue(1, text))
		if err := w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: docs[i]}); err != nil {
			t.Fatal(err)
		}
		if i == 500 {
			if err := w.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, err = w.Merge(t.Context(), writer.MergeOptions{})
	if err := errors.Join(err, w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	return fs, docs
}

// Whatever fields are shown of whatever documents, their values are all there, in order, also where
// only parts of chunks are inflated.
func TestSomeValues(t *testing.T) {
	s := shop()
	fs, docs := longRecords(t, s)
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	snap, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if !chunked(t, snap) {
		t.Fatal("no block of chunks")
	}
	pages, err := pinion.NewView(snap, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pages.Close()
	rapid.Check(t, func(t *rapid.T) {
		r := pinion.Request{Query: query.Match{Text: "x"}}
		fields := rapid.SliceOfNDistinct(rapid.IntRange(0, 5), 1, 6, rapid.ID).Draw(t, "fields")
		for _, f := range fields {
			r.Fields = append(r.Fields, s.Fields[f].Name)
		}
		var hits []search.Hit
		for _, doc := range rapid.SliceOfN(rapid.Uint32Range(0, uint32(len(docs)-1)), 1, 20).Draw(t, "documents") {
			hits = append(hits, search.Hit{Doc: doc})
		}
		page, err := pages.ShowFound(context.Background(), hits, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range page.Hits {
			var want, got []string
			for _, f := range fields {
				for _, v := range docs[h.Doc] {
					if v.Field == f {
						want = append(want, fmt.Sprint(f, " ", v.String()))
					}
				}
			}
			for _, v := range h.Values {
				got = append(got, fmt.Sprint(v.Field, " ", v.String()))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("document %d: %q, want %q", h.Doc, got, want)
			}
		}
	})
}

// chunked reports whether a segment of a snapshot has a block of chunks.
func chunked(t *testing.T, s *reader.Snapshot) bool {
	for _, seg := range s.Segments() {
		raw := seg.Views().Raw()
		n, err := raw.StoredBlocks()
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if b, err := raw.StoredBlock(i); err == nil && b.Form == segment.StoredChunks {
				return true
			}
		}
	}
	return false
}

// A record has only the values that are asked for.
func TestAppendValues(t *testing.T) {
	s := shop()
	fs, docs := longRecords(t, s)
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	snap, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	size := snap.Schema().Fields[3]
	for doc := range uint32(len(docs)) {
		want := 0
		for _, v := range docs[doc] {
			if v.Field == 3 {
				want++
			}
		}
		got, ends, err := snap.AppendValues([]byte("x"), nil, []uint32{doc}, []uint32{size.ID})
		if err != nil || len(ends) != 1 || ends[0] != len(got) || len(got)-1 < 2*want || len(got)-1 > 11*want {
			t.Fatalf("document %d: % x, %v, %v; want %d integers", doc, got, ends, err, want)
		}
	}
	if got, ends, err := snap.AppendValues([]byte("x"), nil, []uint32{0, uint32(len(docs))}, nil); err == nil || string(got) != "x" || ends != nil {
		t.Errorf("a document that is not there: %q, %v, %v", got, ends, err)
	}
}
