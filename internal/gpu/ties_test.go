package gpu

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Hits of the device with equal scores follow the order that the index keeps. Where the one hit more that it looked for has
// the score of the last, the CPU answers.
func TestOrderTies(t *testing.T) {
	fs, ctx := memfs.New(), t.Context()
	w, err := writer.OpenFS(ctx, fs, writer.Options{MergePolicy: writer.NoMerges, Order: writer.OrderField("n", true),
		Schema: &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text}, {Name: "n", Kind: schema.Integer, Column: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for segment, values := range [][]int64{{9, 5, 1}, {8, 5, 3}} { // docIDs 0 to 5
		for i, n := range values {
			if err := w.Add(ctx, writer.Doc{ID: fmt.Append(nil, segment, i), Values: []schema.Value{schema.TextValue(0, []byte("word")), schema.IntegerValue(1, n)}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	index, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	x, err := hostHalf(snapshot, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if !x.tied {
		t.Fatal("docIDs of the segments are said to be in the order of n")
	}
	for _, c := range []struct {
		hits   []search.Hit // of the device
		wanted int
		want   []uint32 // nil: the CPU answers
	}{
		{[]search.Hit{{Doc: 0, Score: 1}, {Doc: 1, Score: 1}, {Doc: 3, Score: 1}, {Doc: 4, Score: 1}}, 4, []uint32{0, 3, 1, 4}},
		{[]search.Hit{{Doc: 2, Score: 2}, {Doc: 5, Score: 2}, {Doc: 1, Score: 1}}, 2, []uint32{5, 2}},
		{[]search.Hit{{Doc: 2, Score: 2}, {Doc: 1, Score: 1}, {Doc: 5, Score: 1}}, 2, nil},
		{[]search.Hit{{Doc: 2, Score: 2}}, 2, []uint32{2}},
		{nil, 2, []uint32{}},
	} {
		p := &plan{wanted: c.wanted, k: c.wanted + 1, hits: c.hits}
		if err := p.orderTies(x.snapshot); err != nil {
			t.Fatal(err)
		}
		got := []uint32{}
		for _, h := range p.hits {
			got = append(got, h.Doc)
		}
		if (p.why == reasonTies) != (c.want == nil) || p.why == OnDevice && !slices.Equal(got, c.want) {
			t.Errorf("%v, %d wanted: %v, by the CPU %q; want %v", c.hits, c.wanted, got, p.why, c.want)
		}
	}
}
