package query_test

import (
	"cmp"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/query"
)

// MergeNeighbors keeps what comes first in one list of all parts.
func TestMergeNeighbors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ks := rapid.SliceOfN(rapid.IntRange(1, 9), 0, 3).Draw(t, "ks")
		parts := make([][]query.Neighbors, rapid.IntRange(0, 5).Draw(t, "parts"))
		near := rapid.SampledFrom([]float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, float32(math.Inf(-1)), float32(math.Inf(1))})
		for i := range parts {
			if rapid.IntRange(0, 5).Draw(t, "missing") == 0 {
				continue
			}
			parts[i] = make([]query.Neighbors, len(ks))
			for n, k := range ks {
				doc := uint32(0)
				parts[i][n].K = k
				for range rapid.IntRange(0, k).Draw(t, "docs") {
					doc += uint32(rapid.IntRange(1, 4).Draw(t, "doc"))
					parts[i][n].Docs = append(parts[i][n].Docs, query.Neighbor{Doc: doc, Near: near.Draw(t, "near")})
				}
			}
		}
		type place struct {
			query.Neighbor
			part int
		}
		want := make([][]query.Neighbors, len(parts))
		for n, k := range ks {
			var all []place
			for i, p := range parts {
				if p == nil {
					continue
				}
				if want[i] == nil {
					want[i] = make([]query.Neighbors, len(ks))
				}
				want[i][n].K = k
				for _, d := range p[n].Docs {
					all = append(all, place{d, i})
				}
			}
			slices.SortFunc(all, func(a, b place) int {
				return cmp.Or(cmp.Compare(b.Near, a.Near), cmp.Compare(a.part, b.part), cmp.Compare(a.Doc, b.Doc))
			})
			all = all[:min(k, len(all))]
			slices.SortFunc(all, func(a, b place) int { return cmp.Compare(a.Doc, b.Doc) })
			for _, d := range all {
				want[d.part][n].Docs = append(want[d.part][n].Docs, d.Neighbor)
			}
		}
		got, err := query.MergeNeighbors(parts)
		for i := range want { // of a query without a Nearest
			if len(ks) == 0 && parts[i] != nil {
				want[i] = []query.Neighbors{}
			}
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v: %v, %v, want %v", parts, got, err, want)
		}
	})
}

func TestMergeNeighborsRefused(t *testing.T) {
	one := []query.Neighbors{{K: 2, Docs: []query.Neighbor{{Doc: 3, Near: 1}}}}
	for what, parts := range map[string][][]query.Neighbors{
		"another number of nodes": {one, {one[0], one[0]}},
		"no node":                 {one, {}},
		"another K":               {one, {{K: 3}}},
		"K of 0":                  {{{}}},
		"K too great":             {{{K: query.MaxNearest + 1}}},
		"more than K":             {{{K: 1, Docs: []query.Neighbor{{Doc: 1}, {Doc: 2}}}}},
		"order":                   {{{K: 3, Docs: []query.Neighbor{{Doc: 2}, {Doc: 1}}}}},
		"twice":                   {{{K: 3, Docs: []query.Neighbor{{Doc: 2}, {Doc: 2}}}}},
		"NaN":                     {one, {{K: 2, Docs: []query.Neighbor{{Doc: 2, Near: float32(math.NaN())}}}}},
	} {
		if got, err := query.MergeNeighbors(parts); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
}
