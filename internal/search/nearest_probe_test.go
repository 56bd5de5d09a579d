package search_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// probed is an index with clusters: two segments of one version, the second of few documents beside those of the first, and one without any.
type probed struct {
	*querytest.Live
	by   schema.Similarity
	n    int
	gone map[uint32]bool // documents, before a merge
	draw func() []float32
}

func newProbed(t *testing.T, by schema.Similarity, several bool) *probed {
	t.Helper()
	const dims = 6
	r := rand.New(rand.NewPCG(53, uint64(by)))
	centres := make([][]float32, 40)
	for i := range centres {
		centres[i] = make([]float32, dims)
		for j := range centres[i] {
			centres[i][j] = float32(2 * r.NormFloat64())
		}
	}
	x := &probed{by: by, gone: map[uint32]bool{}, draw: func() []float32 {
		v := slices.Clone(centres[r.IntN(len(centres))])
		for j := range v {
			v[j] += float32(r.NormFloat64() / 2)
		}
		return v
	}}
	x.Live = querytest.NewLive(t, writer.Options{MergePolicy: writer.NoMerges, Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "v", Kind: schema.Vector, Dims: dims, Similarity: by, Clusters: true}, {Name: "n", Kind: schema.Integer, Column: true}}}})
	for _, size := range []int{16400, 5000, 300} {
		for range size {
			d := writer.Doc{ID: fmt.Append(nil, x.n), Values: []schema.Value{schema.VectorValue(0, x.draw()), schema.IntegerValue(1, int64(x.n%100))}}
			if several && x.n%5 == 0 {
				d.Values = append(d.Values, schema.VectorValue(0, x.draw()))
			}
			x.Do(x.Add(t.Context(), d))
			x.n++
		}
		x.Do(x.Flush(t.Context()))
	}
	for i := 3; i < x.n; i += 50 {
		x.Do(x.Delete(t.Context(), fmt.Append(nil, i)))
		x.gone[uint32(i)] = true
	}
	x.Do(x.Commit(t.Context()))
	return x
}

// nearness is what the similarity of a field says of two vectors, in 16 sums.
func nearness(by schema.Similarity, a, b []float32) float32 {
	sum := func(f func(x, y float32) float32, a, b []float32) float32 {
		var of [16]float32
		for i := range a {
			of[i%16] += f(a[i], b[i])
		}
		for _, half := range []int{8, 4, 2, 1} {
			for i := range half {
				of[i] += of[i+half]
			}
		}
		return of[0]
	}
	product := func(x, y float32) float32 { return float32(x * y) }
	switch by {
	case schema.SimilarityDot:
		return sum(product, a, b)
	case schema.SimilarityL2:
		return -sum(func(x, y float32) float32 { d := x - y; return float32(d * d) }, a, b)
	}
	root := func(v []float32) float32 { return float32(math.Sqrt(float64(sum(product, v, v)))) }
	return sum(product, a, b) / float32(root(a)*root(b))
}

// compared returns which documents a search compares with v, of those that pass, and whether it leaves any out, by brute force.
func (x *probed) compared(t *testing.T, s *reader.Snapshot, v []float32, probe float64, k int, pass func(id int) bool) (near map[uint32]float32, approximate bool) {
	t.Helper()
	type segmentOf struct {
		*vectors.Field
		base uint32
		pass func(i int) bool
	}
	var groups [][]segmentOf
	near = map[uint32]float32{}
	add := func(of segmentOf, i int) {
		f, err := of.Floats(nil, i, 1)
		if err != nil {
			t.Fatal(err)
		}
		doc, s := of.base+of.Doc(i), nearness(x.by, v, f)
		if old, ok := near[doc]; !ok || s > old {
			near[doc] = s
		}
	}
	for _, seg := range s.Segments() {
		f, err := vectors.Open(seg.Views(), 1)
		if err != nil {
			t.Fatal(err)
		}
		deletes, err := seg.Deletes()
		if err != nil {
			t.Fatal(err)
		}
		of := segmentOf{f, seg.Base(), func(i int) bool {
			id, err := seg.AppendID(nil, f.Doc(i))
			n := 0
			fmt.Sscan(string(id), &n)
			return err == nil && !deletes.Has(f.Doc(i)) && pass(n)
		}}
		if f.Clusters == nil {
			for i := range f.Len() {
				if of.pass(i) {
					add(of, i)
				}
			}
			continue
		}
		at := slices.IndexFunc(groups, func(g []segmentOf) bool { return g[0].Clusters.Version == f.Clusters.Version })
		if at < 0 {
			groups, at = append(groups, nil), len(groups)
		}
		groups[at] = append(groups[at], of)
	}
	for _, g := range groups {
		all := 0
		for _, of := range g {
			all += of.Len()
		}
		nearest, order := g[0].Clusters.Nearness(v), make([]uint32, g[0].Clusters.Len())
		for i := range order {
			order[i] = uint32(i)
		}
		slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(float32(nearest[b]), float32(nearest[a])) })
		looked, docs := 0, map[uint32]bool{}
		least := max(int(math.Ceil(probe*float64(all))), k)
		left := 0
		for _, c := range order {
			full := looked >= least && len(docs) >= k
			for _, of := range g {
				for _, i := range of.Clusters.List(c) {
					if !of.pass(int(i)) {
						continue
					}
					if full {
						left++
						continue
					}
					looked++
					docs[of.base+of.Doc(int(i))] = true
				}
			}
		}
		for _, of := range g {
			for i := range of.Len() {
				if docs[of.base+of.Doc(i)] {
					add(of, i)
				}
			}
		}
		if left > 0 {
			approximate = true
		}
	}
	return near, approximate
}

// A Nearest with Probe finds the nearest of the documents in the nearest clusters, to the bit and with any number of goroutines, under filters and
// deletes, before and after a merge; it says when others were left out; a greater Probe finds no less; and with 1 it is exact.
func TestNearestProbe(t *testing.T) {
	for _, by := range []schema.Similarity{schema.SimilarityCosine, schema.SimilarityDot, schema.SimilarityL2} {
		t.Run(by.String(), func(t *testing.T) {
			x := newProbed(t, by, by == schema.SimilarityL2)
			testProbe(t, x, 2)
			x.MergeAll()
			testProbe(t, x, 1)
		})
	}
}

func testProbe(t *testing.T, x *probed, clustered int) {
	t.Helper()
	snapshot := x.Snapshot()
	for _, seg := range snapshot.Segments() {
		if f, err := vectors.Open(seg.Views(), 1); err != nil {
			t.Fatal(err)
		} else if f.Clusters != nil {
			clustered--
		}
	}
	if clustered != 0 {
		t.Fatalf("%d segments with clusters too few", clustered)
	}
	if err := snapshot.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	one, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	four, err := search.NewSearcher(snapshot, search.Options{Threads: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer four.Close()
	for _, c := range []struct {
		filter query.Node
		pass   func(n int) bool
	}{
		{nil, func(int) bool { return true }},
		{query.Below("n", 30), func(n int) bool { return n%100 < 30 }},
		{query.Below("n", 2), func(n int) bool { return n%100 < 2 }},
	} {
		v, k := x.draw(), 10
		var exact search.Result
		last := 0
		for _, probe := range []float64{0, 1e-9, 0.001, 0.01, 0.03, 0.2, 1} {
			node := query.Node(query.Nearest{Field: "v", Vector: v, K: k, Probe: probe})
			if c.filter != nil {
				node = query.Bool{Must: []query.Node{node}, Filter: []query.Node{c.filter}}
			}
			approximate, again := true, true
			got, err := one.Search(t.Context(), search.Query{Node: node, K: k, Approximate: &approximate})
			other, err2 := four.Search(t.Context(), search.Query{Node: node, K: k, Approximate: &again})
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Hits, other.Hits) || approximate != again {
				t.Fatalf("probe %v: %v on four goroutines, %v", probe, other.Hits, got.Hits)
			}
			least := probe
			if probe == 0 {
				least, exact = 1, got
			}
			near, left := x.compared(t, snapshot, v, least, k, c.pass)
			docs := make([]uint32, 0, len(near))
			for doc := range near {
				docs = append(docs, doc)
			}
			slices.SortFunc(docs, func(a, b uint32) int { return cmp.Or(cmp.Compare(near[b], near[a]), cmp.Compare(a, b)) })
			docs = docs[:min(k, len(docs))]
			found, recall := make([]uint32, 0, k), 0
			for _, h := range got.Hits {
				found = append(found, h.Doc)
				if slices.ContainsFunc(exact.Hits, func(e search.Hit) bool { return e == h }) {
					recall++
				}
			}
			slices.Sort(found)
			if slices.Sort(docs); !slices.Equal(found, docs) || approximate != left {
				t.Fatalf("probe %v, filter %v: found %v, approximate %t; brute force finds %v, %t", probe, c.filter, found, approximate, docs, left)
			}
			if probe > 0 && recall < last {
				t.Errorf("probe %v: %d of the nearest, with a lesser one %d", probe, recall, last)
			}
			if probe > 0 {
				last = recall
			}
			if probe == 1 && !reflect.DeepEqual(got.Hits, exact.Hits) {
				t.Errorf("probe 1: %v, not %v", got.Hits, exact.Hits)
			}
		}
	}
}

// Parts of a vector set are no number from 0 to 1: refused by name.
func TestNearestProbeMisuse(t *testing.T) {
	s := line(t, 10)
	for _, probe := range []float64{-0.1, 1.5, math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := s.Search(t.Context(), search.Query{Node: query.Nearest{Field: "at", Vector: []float32{1}, K: 3, Probe: probe}, K: 3})
		if !errors.Is(err, query.ErrInvalid) || !strings.HasSuffix(err.Error(), fmt.Sprintf(": Probe of a Nearest is %v, not from 0 to 1", probe)) {
			t.Errorf("probe %v: %v", probe, err)
		}
	}
	approximate := true
	if _, err := s.Search(t.Context(), search.Query{Node: query.Nearest{Field: "at", Vector: []float32{1}, K: 3, Probe: 0.01}, K: 3, Approximate: &approximate}); err != nil || approximate {
		t.Errorf("without clusters: approximate %t, %v", approximate, err)
	}
}
