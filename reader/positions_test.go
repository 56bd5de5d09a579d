package reader_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// A cursor says where in a document its term is, also again and after documents that were skipped.
func TestCursorPositions(t *testing.T) {
	fs := memfs.New()
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "f", Kind: schema.Text, Analyzer: "whitespace", Positions: true}, {Name: "g", Kind: schema.Text, Analyzer: "whitespace"}}}})
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(err)
	r := rand.New(rand.NewPCG(1, 2))
	want := map[string][][]uint32{} // by term: positions by document
	const docs = 700
	for doc := range docs {
		var text []string
		for i := range 1 + r.IntN(30) {
			term := fmt.Sprint("t", int(r.ExpFloat64()*6))
			if text = append(text, term); want[term] == nil {
				want[term] = make([][]uint32, docs)
			}
			want[term][doc] = append(want[term][doc], uint32(i))
		}
		all := []byte(strings.Join(text, " "))
		do(w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, doc), Values: []schema.Value{schema.TextValue(0, all), schema.TextValue(1, all)}}))
	}
	do(w.Commit(t.Context()))
	do(w.Close())
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	do(err)
	defer x.Close()
	s, err := x.Snapshot()
	do(err)
	defer s.Close()
	f, _ := s.Segments()[0].Field("f")
	for term, positions := range want {
		c, err := f.Cursor([]byte(term))
		do(err)
		for doc := c.Doc(); doc != reader.NoDoc; doc = c.NextGEQ(doc + 1 + uint32(r.IntN(40))) {
			for range 1 + r.IntN(2) {
				got, err := c.AppendPositions([]uint32{7})
				if err != nil || !slices.Equal(got[1:], positions[doc]) || int(c.Freq()) != len(got)-1 {
					t.Fatalf("%s in %d: %v, %v, want %v", term, doc, got, err, positions[doc])
				}
			}
		}
		if got, err := c.AppendPositions(nil); len(got) > 0 || err != nil {
			t.Errorf("%s: at the end %v, %v", term, got, err)
		}
		c.Close()
		if _, err := c.AppendPositions(nil); !errors.Is(err, reader.ErrClosed) {
			t.Errorf("%s: closed, %v", term, err)
		}
	}
	g, _ := s.Segments()[0].Field("g")
	c, err := g.Cursor([]byte("t1"))
	do(err)
	defer c.Close()
	doc := c.Doc()
	if _, err := c.AppendPositions(nil); !errors.Is(err, errors.ErrUnsupported) || c.Err() != nil || c.Doc() != doc {
		t.Errorf("without positions: %v, %v", err, c.Err())
	}
}
