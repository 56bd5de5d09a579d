package writer_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// vectors are documents by id, as weights by term.
type vectors map[string]map[string]uint32

// draw draws documents from id first on, with long and short lists.
func drawVectors(r *rand.Rand, first, docs, terms int) vectors {
	all := vectors{}
	for i := range docs {
		v := map[string]uint32{}
		for t := range terms {
			if r.IntN(1+t*t) == 0 {
				v[fmt.Sprint("t", t)] = uint32(1 + r.IntN(255))
			}
		}
		all[fmt.Sprintf("d%06d", first+i)] = v
	}
	return all
}

// inverted returns all as a collection of one field.
func (all vectors) inverted(field string) writer.Inverted {
	ids := slices.Sorted(maps.Keys(all))
	var docs []writer.InvertedDoc
	lists := map[string]*writer.InvertedList{}
	for i, id := range ids {
		docs = append(docs, writer.InvertedDoc{ID: []byte(id)})
		for term, w := range all[id] {
			if lists[term] == nil {
				lists[term] = &writer.InvertedList{Term: []byte(term)}
			}
			lists[term].Postings = lists[term].AppendPosting(uint32(i), w)
		}
	}
	var sorted []writer.InvertedList
	for _, term := range slices.Sorted(maps.Keys(lists)) {
		sorted = append(sorted, *lists[term])
	}
	return writer.Inverted{Field: field, Docs: pairsOf(docs), Lists: pairsOf(sorted)}
}

// drawImpacts draws a vector.
func drawImpacts(t *rapid.T) (all []schema.Impact) {
	weights := rapid.SampledFrom([]uint8{1, 3, 255}).Draw(t, "greatest weight")
	for _, term := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "ab", "##ing", "zebra", "longer-than-eight", "longer-than-nine", "é"}), 0, 8, rapid.ID).Draw(t, "terms") {
		all = append(all, schema.Impact{Term: term, Weight: rapid.Uint8Range(1, weights).Draw(t, "weight")})
	}
	return all
}

// checkVectors compares the field "v" of a snapshot with all, and verifies it: also that the greatest weights that
// lists and blocks say are those of their postings.
func checkVectors(t *rapid.T, fs *memfs.FS, all vectors) {
	t.Helper()
	r, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, ok := s.Field("v")
	if !ok || f.Description().Scale != 0.125 {
		t.Fatalf("%v %+v", ok, f)
	}
	got := vectors{}
	for id := range all {
		got[id] = map[string]uint32{}
	}
	for terms := f.Terms(nil); terms.Next(); {
		for p, err := range f.Postings(terms.Term()) {
			if err != nil {
				t.Fatal(err)
			}
			id, err := s.AppendID(nil, p.Doc)
			if err != nil || got[string(id)] == nil {
				t.Fatalf("document %q, %v", id, err)
			}
			got[string(id)][string(terms.Term())] = p.Freq
		}
	}
	if !maps.EqualFunc(got, all, func(a, b map[string]uint32) bool { return maps.Equal(a, b) }) {
		t.Fatal("the index has other weights")
	}
}

// Segments of lists that extents hold have, after merges, deletes and another order of documents, the weights that
// the documents have, in any codec.
func TestImpactsMerged(t *testing.T) {
	longtest.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		ctx := t.Context()
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		fs := memfs.New()
		o := writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Impacts, Scale: 0.125}}}, Threads: 2}
		name := rapid.SampledFrom([]string{"", "bp128", "vbyte1024", "pfordelta", "ef"}).Draw(t, "codec")
		o.DocsCodec, o.FreqsCodec = name, name
		w, err := writer.OpenFS(ctx, fs, o)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		try := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		all, n := vectors{}, 0
		for range rapid.IntRange(1, 3).Draw(t, "segments") {
			size := rapid.SampledFrom([]int{100, 256, 1500}).Draw(t, "documents")
			some := drawVectors(r, n, size, 12)
			n += size
			maps.Copy(all, some)
			if rapid.Bool().Draw(t, "inverted") {
				try(w.AddInverted(ctx, some.inverted("v")))
				continue
			}
			for _, id := range slices.Sorted(maps.Keys(some)) {
				var v []schema.Impact
				for term, weight := range some[id] {
					v = append(v, schema.Impact{Term: term, Weight: uint8(weight)})
				}
				try(w.Add(ctx, writer.Doc{ID: []byte(id), Values: []schema.Value{schema.ImpactsValue(0, v)}}))
			}
			try(w.Flush(ctx))
		}
		if rapid.Bool().Draw(t, "deletes") {
			for id := range all {
				if r.IntN(20) == 0 {
					try(w.Delete(ctx, []byte(id)))
					delete(all, id)
				}
			}
		}
		try(w.Commit(ctx))
		checkVectors(t, fs, all)
		_, err = w.Merge(ctx, writer.MergeOptions{MaxSegments: 1})
		try(err)
		try(w.Commit(ctx))
		checkVectors(t, fs, all)
		_, err = w.Merge(ctx, writer.MergeOptions{Order: writer.OrderRandom})
		try(err)
		try(w.Commit(ctx))
		checkVectors(t, fs, all)
	})
}

// A list with a weight that is impossible says which.
func TestImpactsInvertedRefused(t *testing.T) {
	for _, few := range []int{1, 3, 200} {
		for _, weight := range []uint32{0, 256, 1 << 31} {
			fs := memfs.New()
			w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Impacts}}}})
			if err != nil {
				t.Fatal(err)
			}
			var docs []writer.InvertedDoc
			var p format.Postings
			for i := range few {
				docs = append(docs, writer.InvertedDoc{ID: fmt.Append(nil, i)})
				p = p.AppendPosting(uint32(i), 7)
			}
			p.Freqs[few-1] = weight
			err = w.AddInverted(t.Context(), writer.Inverted{Field: "v", Docs: pairsOf(docs), Lists: pairsOf([]writer.InvertedList{{Term: []byte("x"), Postings: p}})})
			if err == nil || !strings.Contains(err.Error(), `field "v": posting list 0, term "x"`) {
				t.Errorf("%d postings, the last of weight %d: %v", few, weight, err)
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
