package reader_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
)

// LiveDF is the number of postings of documents that are not deleted, for every
// form of list, from cold and from memory, however much is deleted.
func TestLiveDF(t *testing.T) {
	longtest.Checks(t, 20)
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		c := &content{docs: rapid.SampledFrom([]uint32{1, 100, 3000, 6000}).Draw(rt, "docs"), lists: map[string]postings{},
			codec: rapid.SampledFrom(registry.All()).Draw(rt, "codec").ID()}
		deleted := make([]bool, c.docs)
		share := rapid.SampledFrom([]float64{0.0001, 0.01, 0.3, 0.99}).Draw(rt, "deleted")
		for d := range deleted {
			if deleted[d] = r.Float64() < share && d > int(c.docs)/8; deleted[d] {
				c.deleted = append(c.deleted, uint32(d))
			}
		}
		want := map[string]uint64{}
		for i, f := range []float64{0.00003, 0.001, 0.01, 0.05, 0.4, 1} {
			term := fmt.Sprint(i)
			var l postings
			for d := range c.docs {
				if r.Float64() < f {
					l.docs = append(l.docs, d)
					if !deleted[d] {
						want[term]++
					}
				}
			}
			if l.freqs = ones(len(l.docs)); len(l.docs) > 0 {
				c.lists[term] = l
			}
		}
		s := open(t, c)
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				for range 2 {
					for term := range c.lists {
						if df, err := s.DF([]byte(term)); df != want[term] || err != nil {
							rt.Errorf("term %s of %d postings: %d, %v; want %d", term, len(c.lists[term].docs), df, err, want[term])
						}
					}
				}
			})
		}
		all.Wait()
	})
}

// Verify refuses a manifest that is wrong about the tokens of deleted documents.
func TestVerifyDeletedTokens(t *testing.T) {
	fsys := memfs.New()
	commit(t, fsys, three()...)
	var deletes uint64
	amend(t, fsys, 1, func(_ *indexdir.Lock, m *indexdir.Manifest) {
		m.Segments[0].DeletedTokens++
		deletes = m.Segments[0].DeletesFile
	})
	x, err := reader.Open(t.Context(), reader.FromStore(fsys), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var e *format.Error
	if err := s.Verify(t.Context()); !errors.As(err, &e) || e.Kind != format.ErrCorrupt || e.File != indexdir.DeletesName(deletes) {
		t.Errorf("verification: %v", err)
	}
}
