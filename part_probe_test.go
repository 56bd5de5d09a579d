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

// A page is approximate if Probe left out vectors: of the index, of one part of a collection, and of one list of Fuse.
func TestApproximate(t *testing.T) {
	ctx, r := t.Context(), rand.New(rand.NewPCG(4, 53))
	s := &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Vector, Dims: 2, Clusters: true}, {Name: "n", Kind: schema.Integer, Column: true}}}
	draw := func() []float32 { return []float32{float32(r.NormFloat64()), float32(r.NormFloat64())} }
	var views []*pinion.View
	for part, n := range []int{16_500, 20} {
		x, err := pinion.Open(ctx, t.TempDir(), pinion.Options{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		docs := make([]pinion.Doc, n)
		for i := range docs {
			docs[i] = pinion.Doc{ID: fmt.Sprint(part, "-", i), Values: []schema.Value{schema.VectorValue(0, draw()), schema.IntegerValue(1, int64(i))}}
		}
		if err := errors.Join(x.Add(ctx, docs...), x.Sync(ctx)); err != nil {
			t.Fatal(err)
		}
		err = x.View(ctx, func(v *pinion.View) error {
			own, err := pinion.NewView(v.Snapshot(), nil)
			views = append(views, own)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		defer views[part].Close()
	}
	searchParts := func(r pinion.Request) (parts []*pinion.PartPage, bases []uint32) {
		of := pinion.Part{Frequencies: new(query.Frequencies)}
		for _, v := range views {
			f, err := v.Frequencies(ctx, r.Node())
			if err := errors.Join(err, of.Frequencies.Add(f), of.Collection.Add(v.Collection())); err != nil {
				t.Fatal(err)
			}
			bases = append(bases, uint32(16_500*len(bases)))
		}
		of.Collection.Rank(s)
		all := make([][]query.Neighbors, len(views))
		for i, v := range views {
			var err error
			if all[i], err = v.Neighbors(ctx, r.Node(), of); err != nil {
				t.Fatal(err)
			}
		}
		merged, err := query.MergeNeighbors(all)
		if err != nil {
			t.Fatal(err)
		}
		parts = make([]*pinion.PartPage, len(views))
		for i, v := range views {
			of.Neighbors = merged[i]
			p, err := v.SearchPart(ctx, r, of)
			if err != nil {
				t.Fatal(err)
			}
			parts[i] = &p
		}
		return parts, bases
	}
	near := query.Nearest{Field: "v", Vector: draw(), K: 5, Probe: 0.01}
	exact := query.Nearest{Field: "v", Vector: draw(), K: 5}
	for _, c := range []struct {
		what string
		r    pinion.Request
		want bool
	}{
		{"probe", pinion.Request{Query: near}, true},
		{"with a total", pinion.Request{Query: near, Total: true}, true},
		{"exact", pinion.Request{Query: exact}, false},
		{"a filter that leaves few", pinion.Request{Query: near, Filter: query.Below("n", 100)}, false},
		{"a list", pinion.Request{Fuse: &pinion.Fuse{Lists: []pinion.FuseList{{Query: exact}, {Query: near}}}}, true},
		{"exact lists", pinion.Request{Fuse: &pinion.Fuse{Lists: []pinion.FuseList{{Query: exact}, {Query: exact}}}}, false},
		{"rescored", pinion.Request{Query: near, Rescore: &pinion.Rescore{Query: query.Similarity{Field: "v", Vector: draw()}}}, true},
	} {
		for i, v := range views {
			p, err := v.Search(ctx, c.r)
			if want := c.want && i == 0; err != nil || p.Approximate != want || len(p.Hits) == 0 {
				t.Errorf("%s, index %d: approximate %t, %d hits, %v", c.what, i, p.Approximate, len(p.Hits), err)
			}
		}
		if c.r.Rescore != nil {
			continue
		}
		if c.r.Fuse != nil {
			var lists [][]*pinion.PartPage
			var bases []uint32
			for _, r := range c.r.Lists() {
				var parts []*pinion.PartPage
				parts, bases = searchParts(r)
				lists = append(lists, parts)
			}
			m, err := pinion.MergeLists(c.r, bases, lists)
			if err != nil {
				t.Fatal(err)
			}
			if p, err := m.Page(nil); err != nil || p.Approximate != c.want {
				t.Errorf("%s, of parts: approximate %t, %v", c.what, p.Approximate, err)
			}
			continue
		}
		parts, bases := searchParts(c.r)
		p, err := pinion.MergePages(c.r, bases, parts)
		if err != nil || p.Approximate != c.want || len(p.Hits) != 5 {
			t.Errorf("%s, of parts: approximate %t, %d hits, %v", c.what, p.Approximate, len(p.Hits), err)
		}
	}
}
