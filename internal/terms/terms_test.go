package terms_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// kept is what the test keeps of a term.
type kept struct {
	term string
	live []uint32 // by part
}

// Resolve gives the distinct terms in the order of their document frequencies, then fields, bytes and groups, with what a count of the
// documents that are not deleted gives, whether the cache has them or not.
func TestResolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	parts, count := collection(t, rng)
	var c terms.Cache[kept]
	weigh := func(field int, df uint64, boost float64) float32 {
		return float32(df) + float32(field)*1000 + float32(boost)/64
	}
	c.Init(weigh, 2, 4) // 16 terms of a field
	for _, reuse := range []bool{false, true} {
		guarded, missed, cached := 0, 0, false
		r := terms.Resolver[kept]{
			Parts: parts,
			Keep: func(k *kept, term []byte, entries []terms.Entry) error {
				k.term, k.live = string(term), k.live[:0]
				for _, e := range entries {
					if (e.DF == 0) != (e.Live == 0) || e.Live > e.DF {
						t.Errorf("%s: %d of %d live", term, e.Live, e.DF)
					}
					k.live = append(k.live, e.Live)
				}
				return nil
			},
			Copy:  func(to, from *kept) { to.term, to.live = from.term, slices.Clone(from.live) },
			Guard: func(look func() error) error { guarded++; return look() },
			Miss:  func([]terms.Word) { missed++ },
			Reuse: reuse,
		}
		alone := r // DF ends the life of what Resolve has returned
		for range 300 {
			words := make([]terms.Word, 1+rng.IntN(6))
			if rng.IntN(10) == 0 {
				words = make([]terms.Word, 50)
			}
			times, boosts := map[string]int{}, map[string]float64{}
			for i := range words { // some are in no document
				words[i] = terms.Word{Bytes: fmt.Appendf(nil, "w%d", rng.IntN(45)), Field: rng.IntN(2), Boost: []float64{1, 1, 0.5, 4}[rng.IntN(4)]}
				if rng.IntN(3) == 0 {
					words[i].Group = int32(rng.IntN(3))
				}
				times[key(words[i])]++
				boosts[key(words[i])] += words[i].Boost
			}
			before := missed
			got, err := r.Resolve(&c, words)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.IsSortedFunc(got, func(a, b terms.Term[kept]) int {
				return cmp.Or(cmp.Compare(a.DF, b.DF), cmp.Compare(a.Field, b.Field), bytes.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Group, b.Group))
			}) || len(got) != len(times) {
				t.Fatalf("%d of %d terms, or in another order", len(got), len(times))
			}
			fresh := false
			for _, x := range got {
				df := uint64(0)
				for p, n := range count[inFirst(x.Field, string(x.Bytes))] {
					df += uint64(n)
					if x.Kept.live[p] != n {
						t.Errorf("%s: %d documents in part %d, want %d", x.Bytes, x.Kept.live[p], p, n)
					}
				}
				n := times[key(x.Word)]
				if x.DF != df || x.Times != n || x.Boost != boosts[key(x.Word)] || x.Weight != weigh(x.Field, df, x.Boost) || x.Kept.term != string(x.Bytes) {
					t.Errorf("%s: %+v, want df %d, %d times", x.Bytes, x, df, n)
				}
				fresh = fresh || x.Fresh
				if n, ok := c.DF(x.Field, x.Bytes); ok != (c.Get(x.Field, x.Bytes) != nil) || ok && n != df {
					t.Errorf("the cache has %s in %d documents, want %d", x.Bytes, n, df)
				}
				if n, err := alone.DF(&c, x.Field, x.Bytes); err != nil || n != df {
					t.Errorf("%s alone: %d, %v, want %d", x.Bytes, n, err, df)
				}
			}
			cached = cached || slices.ContainsFunc(got, func(x terms.Term[kept]) bool { return !x.Fresh && c.Get(x.Field, x.Bytes) != nil })
			if fresh != (missed == before+1) || guarded < missed {
				t.Errorf("%d misses, %d guarded", missed-before, guarded)
			}
		}
		if !cached {
			t.Error("no term came from the cache")
		}
	}
}

func key(w terms.Word) string { return fmt.Sprintf("%d %s %d", w.Field, w.Bytes, w.Group) }

// mirrored is a field whose term wN is that of the first field's w44-N.
type mirrored struct{ terms.Dictionary }

func (m mirrored) Lookup(term []byte) (segment.Entry, bool, error) {
	return m.Dictionary.Lookup([]byte(inFirst(1, string(term))))
}

// inFirst returns the first field's term that has the documents of another's.
func inFirst(field int, term string) string {
	if field == 0 {
		return term
	}
	n, _ := strconv.Atoi(term[1:])
	return fmt.Sprintf("w%d", 44-n)
}

// collection returns three parts, and in how many documents of each a term is.
func collection(t *testing.T, rng *rand.Rand) (parts []terms.Part, count map[string][]uint32) {
	fs := memfs.New()
	w, err := writer.OpenFS(context.Background(), fs, writer.Options{Schema: schema.Implicit("whitespace", "", false), MergePolicy: writer.NoMerges})
	do := func(errs ...error) {
		t.Helper()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	do(err)
	count = map[string][]uint32{}
	for w := range 45 {
		count[fmt.Sprintf("w%d", w)] = make([]uint32, 3)
	}
	for p := range 3 {
		for d := range 200 {
			var text []byte
			id := fmt.Appendf(nil, "%d-%d", p, d)
			for w := range 40 {
				if rng.IntN(w+1) == 0 && (p != 1 || w%5 != 0) {
					text = fmt.Appendf(text, "w%d w%d ", w, w)
					if d%7 != 3 {
						count[fmt.Sprintf("w%d", w)][p]++
					}
				}
			}
			do(w.Add(t.Context(), writer.Text(id, text)))
		}
		do(w.Commit(t.Context()))
	}
	for p := range 3 {
		for d := 3; d < 200; d += 7 {
			do(w.Delete(t.Context(), fmt.Appendf(nil, "%d-%d", p, d)))
		}
	}
	do(w.Commit(t.Context()), w.Close())
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	do(err)
	s, err := x.Snapshot()
	do(err)
	t.Cleanup(func() { s.Close(); x.Close() })
	for _, seg := range s.Segments() {
		d, err := seg.Deletes()
		do(err)
		v := seg.Views()
		parts = append(parts, terms.Part{Views: v, Deletes: d, Fields: []terms.Dictionary{v.Lists(), mirrored{v.Lists()}}})
	}
	return parts, count
}
