package terms_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// kept is what the test keeps of a term.
type kept struct {
	term string
	live []uint32 // by part
}

// Resolve gives the distinct terms in the order of their document frequencies, then bytes, with what a count of the
// documents that are not deleted gives, whether the cache has them or not.
func TestResolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	parts, count := collection(t, rng)
	var c terms.Cache[kept]
	c.Init(func(df uint64, times int) float32 { return float32(df) + float32(times)/8 }, 4) // 16 terms
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
			Miss:  func([][]byte) { missed++ },
			Reuse: reuse,
		}
		alone := r // Find ends the life of what Resolve has returned
		for range 300 {
			words := make([][]byte, 1+rng.IntN(6))
			if rng.IntN(10) == 0 {
				words = make([][]byte, 50)
			}
			times := map[string]int{}
			for i := range words {
				words[i] = fmt.Appendf(nil, "w%d", rng.IntN(45)) // some are in no document
				times[string(words[i])]++
			}
			before := missed
			got, err := r.Resolve(&c, words)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.IsSortedFunc(got, func(a, b terms.Term[kept]) int {
				return cmp.Or(cmp.Compare(a.DF, b.DF), bytes.Compare(a.Bytes, b.Bytes))
			}) || len(got) != len(times) {
				t.Fatalf("%d of %d terms, or in another order", len(got), len(times))
			}
			fresh := false
			for _, x := range got {
				df := uint64(0)
				for p, n := range count[string(x.Bytes)] {
					df += uint64(n)
					if x.Kept.live[p] != n {
						t.Errorf("%s: %d documents in part %d, want %d", x.Bytes, x.Kept.live[p], p, n)
					}
				}
				n := times[string(x.Bytes)]
				if x.DF != df || x.Times != n || x.Weight != float32(df)+float32(n)/8 || x.Kept.term != string(x.Bytes) {
					t.Errorf("%s: %+v, want df %d, %d times", x.Bytes, x, df, n)
				}
				fresh = fresh || x.Fresh
				if n, ok := c.DF(x.Bytes); ok != (c.Get(x.Bytes) != nil) || ok && n != df {
					t.Errorf("the cache has %s in %d documents, want %d", x.Bytes, n, df)
				}
				one, err := alone.Find(&c, x.Bytes)
				if err != nil || one.DF != df || one.Times != 1 {
					t.Errorf("%s alone: %+v, %v", x.Bytes, one, err)
				}
			}
			cached = cached || slices.ContainsFunc(got, func(x terms.Term[kept]) bool { return !x.Fresh && c.Get(x.Bytes) != nil })
			if fresh != (missed == before+1) || guarded < missed {
				t.Errorf("%d misses, %d guarded", missed-before, guarded)
			}
		}
		if !cached {
			t.Error("no term came from the cache")
		}
	}
}

// collection returns three parts, and in how many documents of each a term is.
func collection(t *testing.T, rng *rand.Rand) (parts []terms.Part, count map[string][]uint32) {
	a, err := analysis.New("whitespace", "")
	fs := memfs.New()
	w, err2 := writer.OpenFS(context.Background(), fs, writer.Options{Analyzer: a, MergePolicy: writer.NoMerges})
	do := func(errs ...error) {
		t.Helper()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	do(err, err2)
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
			do(w.Add(t.Context(), writer.Document{ID: id, Contents: text}))
		}
		do(w.Commit(t.Context()))
	}
	for p := range 3 {
		for d := 3; d < 200; d += 7 {
			do(w.Delete(t.Context(), fmt.Appendf(nil, "%d-%d", p, d)))
		}
	}
	do(w.Commit(t.Context()), w.Close())
	x, err := reader.OpenFS(fs)
	do(err)
	s, err := x.Snapshot()
	do(err)
	t.Cleanup(func() { s.Close(); x.Close() })
	for _, seg := range s.Segments() {
		d, err := seg.Deletes()
		do(err)
		parts = append(parts, terms.Part{Views: seg.Views(trusted.Caller{}), Deletes: d})
	}
	return parts, count
}
