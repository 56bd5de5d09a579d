package pinion_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
)

// partsOf returns what parts answer to each list: here the one part that is the whole index.
func partsOf(t *testing.T, v *pinion.View, r pinion.Request) (all [][]*pinion.PartPage) {
	t.Helper()
	for _, l := range r.Lists() {
		f, err := v.Frequencies(t.Context(), l.Node())
		if err != nil {
			t.Fatal(err)
		}
		of := pinion.Part{Collection: v.Collection(), Frequencies: &f}
		found, err := v.Neighbors(t.Context(), l.Node(), of)
		if err != nil {
			t.Fatal(err)
		}
		merged, err := query.MergeNeighbors([][]query.Neighbors{found})
		if err != nil {
			t.Fatal(err)
		}
		of.Neighbors = merged[0]
		p, err := v.SearchPart(t.Context(), l, of)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, []*pinion.PartPage{&p})
	}
	return all
}

// The lists of parts make the page that the index makes; what cannot be such lists is refused.
func TestMergeLists(t *testing.T) {
	x := fusedIndex(t)
	r := pinion.Request{Total: true, Limit: 2, Fuse: &pinion.Fuse{Lists: []pinion.FuseList{{Query: query.Match{Text: "rose thorn"}, Weight: 2}, {Query: query.Nearest{Field: "v", Vector: []float32{1, 0}, K: 2}}}}}
	err := x.View(t.Context(), func(v *pinion.View) error {
		parts := partsOf(t, v, r)
		for {
			want, err := v.Search(t.Context(), r)
			if err != nil {
				return err
			}
			m, err := pinion.MergeLists(r, []uint32{0}, parts)
			if err != nil {
				return err
			}
			var after *uint32
			if r.After != nil {
				doc, _, err := v.Snapshot().FindID([]byte(r.After.ID))
				if err != nil {
					return err
				}
				after = &doc
			}
			got, err := m.Page(after)
			if err != nil {
				return err
			}
			for i := range want.Hits {
				got.Hits[i].ID = want.Hits[i].ID
				got.Hits[i].Values = want.Hits[i].Values
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%+v, want %+v", got, want)
			}
			if r.After = want.Next(); r.After == nil {
				break
			}
		}
		rescored := r
		rescored.Rescore = &pinion.Rescore{Query: query.All{}, N: 2}
		m, err := pinion.MergeLists(rescored, []uint32{0}, parts)
		if err != nil {
			return err
		}
		if _, err := m.Page(nil); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("a page before Rescore: %v", err)
		}
		best := m.Best()
		if len(best) != 2 || m.Rescore([]pinion.Hit{{Doc: best[1].Doc, Score: 9}}) != nil {
			t.Errorf("%+v are the best", best)
		}
		if p, err := m.Page(nil); err != nil || p.Hits[0].Doc != best[1].Doc || p.Hits[0].Rescored != 9 || p.Hits[0].Score != best[1].Score+9 {
			t.Errorf("%+v, %v", p, err)
		}
		if err := m.Rescore(nil); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("rescored twice: %v", err)
		}
		plain := r
		plain.Fuse, plain.Query = nil, query.All{}
		few := r
		few.Facets = []pinion.Facet{{Field: "tenant"}}
		short := parts[1][0].Page
		for want, f := range map[string]func() (*pinion.MergedLists, error){
			"without Fuse":          func() (*pinion.MergedLists, error) { return pinion.MergeLists(plain, []uint32{0}, parts) },
			"answers to 2 requests": func() (*pinion.MergedLists, error) { return pinion.MergeLists(r, []uint32{0}, parts[:2]) },
			"1 answers of 2 parts":  func() (*pinion.MergedLists, error) { return pinion.MergeLists(r, []uint32{0, 9}, parts) },
			"0 facets":              func() (*pinion.MergedLists, error) { return pinion.MergeLists(few, []uint32{0}, parts) },
			"an order of 0 hits": func() (*pinion.MergedLists, error) {
				return pinion.MergeLists(r, []uint32{0}, [][]*pinion.PartPage{parts[0], {{Page: short, Ordered: true}}, parts[2]})
			},
			"Part.Groups asks": func() (*pinion.MergedLists, error) {
				grouped := r
				grouped.Collapse = "tenant"
				return pinion.MergeLists(grouped, []uint32{0}, parts)
			},
			"Rescore.N is -1, not": func() (*pinion.MergedLists, error) {
				bad := r
				bad.Rescore = &pinion.Rescore{Query: query.All{}, N: -1}
				return pinion.MergeLists(bad, []uint32{0}, parts)
			},
			"Fuse of 0 lists, not fr": func() (*pinion.MergedLists, error) {
				bad := r
				bad.Fuse = &pinion.Fuse{}
				return pinion.MergeLists(bad, []uint32{0}, parts)
			},
		} {
			if _, err := f(); !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
