package pinion_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Three indexes with a part of the documents each find the nearest as one with all does, page after page, and count them.
func TestPartsNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 2))
	ctx := t.Context()
	s := &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text}, {Name: "at", Kind: schema.Vector, Dims: 2, Similarity: schema.SimilarityL2}}}
	open := func() *pinion.Index {
		x, err := pinion.Open(ctx, t.TempDir(), pinion.Options{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		return x
	}
	draw := func() []float32 { return []float32{float32(rng.IntN(9)), float32(rng.IntN(9))} }
	whole, parts := open(), []*pinion.Index{open(), open(), open()}
	for i := range 150 {
		d := pinion.Doc{ID: fmt.Sprintf("d%03d", i), Values: []schema.Value{schema.TextValue(0, fmt.Appendf(nil, "w%d w%d", rng.IntN(6), rng.IntN(6))), schema.VectorValue(1, draw())}}
		for _, x := range []*pinion.Index{whole, parts[i/50]} {
			if err := x.Add(ctx, d); err != nil {
				t.Fatal(err)
			}
		}
	}
	executor := new(partial)
	var views []*pinion.View
	for _, x := range parts {
		err := x.View(ctx, func(v *pinion.View) error {
			own, err := pinion.NewView(v.Snapshot(), executor)
			views = append(views, own)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		defer views[len(views)-1].Close()
	}
	// ask answers a request and a count from the parts.
	ask := func(r pinion.Request) (page pinion.Page, count int, err error) {
		var of pinion.Part
		of.Frequencies = new(query.Frequencies)
		for _, v := range views {
			f, err := v.Frequencies(ctx, r.Node())
			if err == nil {
				err = errors.Join(of.Frequencies.Add(f), of.Collection.Add(v.Collection()))
			}
			if err != nil {
				return page, 0, err
			}
		}
		found := make([][]query.Neighbors, len(views))
		for i, v := range views {
			if found[i], err = v.Neighbors(ctx, r.Node(), of); err != nil {
				return page, 0, err
			}
		}
		if found, err = query.MergeNeighbors(found); err != nil {
			return page, 0, err
		}
		pages := make([]*pinion.PartPage, len(views))
		for i, v := range views {
			of.Neighbors, of.After = found[i], 0
			if r.After != nil {
				var d int
				fmt.Sscanf(r.After.ID, "d%d", &d)
				of.After = d/50 - i
			}
			p, err := v.SearchPart(ctx, r, of)
			if err != nil {
				return page, 0, err
			}
			n, err := v.CountPart(ctx, r.Node(), of)
			if err != nil {
				return page, 0, err
			}
			pages[i], count = &p, count+n
		}
		page, err = pinion.MergePages(r, []uint32{0, 50, 100}, pages)
		return page, count, err
	}
	for range 100 {
		n := query.Nearest{Field: "at", Vector: draw(), K: 1 + rng.IntN(40)}
		r := pinion.Request{Query: n, Limit: 1 + rng.IntN(9), Total: true}
		switch rng.IntN(3) {
		case 0:
			r.Filter = query.Prefix{Field: "text", Text: "w1"}
		case 1:
			r.Query = query.Bool{Should: []query.Node{n, query.Match{Text: "w2 w3"}, query.Similarity{Field: "at", Vector: draw()}}}
		}
		for range 3 {
			want, err := whole.Search(ctx, r)
			if err != nil {
				t.Fatal(err)
			}
			got, count, err := ask(r)
			if err != nil || got.Total != want.Total || uint64(count) != want.Total || len(got.Hits) != len(want.Hits) {
				t.Fatalf("%+v: %+v, count %d, %v, want %+v", r, got, count, err, want)
			}
			for i, h := range got.Hits {
				if w := want.Hits[i]; h.ID != w.ID || h.Score != w.Score {
					t.Fatalf("%+v: hit %d is %+v, want %+v", r, i, h, w)
				}
			}
			if r.After = want.Next(); r.After == nil {
				break
			}
		}
	}
	var closed pinion.View
	_, err := closed.Neighbors(ctx, query.All{}, pinion.Part{})
	if _, e := closed.CountPart(ctx, query.All{}, pinion.Part{}); !errors.Is(err, pinion.ErrClosed) || !errors.Is(e, pinion.ErrClosed) {
		t.Errorf("of a closed View: %v, %v", err, e)
	}
	if found, err := views[0].Neighbors(ctx, query.Match{Text: "w1"}, pinion.Part{Collection: views[0].Collection(), Frequencies: new(query.Frequencies)}); !errors.Is(err, pinion.ErrInvalid) {
		t.Errorf("without the frequencies of the query: %v, %v", found, err)
	}
}
