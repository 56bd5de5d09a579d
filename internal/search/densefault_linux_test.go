package search

import (
	"context"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// A fault in a part of a list that a query does not read does not change how it ends: not when it
// would cache the list, and not later. What was set aside for the list is given back.
func TestDenseFault(t *testing.T) {
	longtest.NoEmulator(t, "qemu-user reports a SIGBUS without its address, and WebAssembly maps no files")
	rng, docs := rand.New(rand.NewPCG(47, 48)), make([][]string, 60000)
	for d := range docs {
		if d < 6000 && d%5 == 0 {
			docs[d] = []string{"early"}
		}
		if d%5 == 0 || rng.IntN(3) > 0 {
			docs[d] = append(docs[d], slices.Repeat([]string{"zz"}, 1+rng.IntN(16))...)
		}
	}
	dir := querytest.Directory(t, writer.Options{DocsCodec: "bp128", FreqsCodec: "bp128"}, docs, nil)
	x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	snapshot, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	s, err := NewSearcher(snapshot, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	q := Query{RawTerms: querytest.Terms("zz", "early"), K: 10, Mode: query.ModeAnd}
	want, err := s.Search(context.Background(), q) // reads all that is not in the list
	if err != nil {
		t.Fatal(err)
	}
	seg := snapshot.Segments()[0]
	e, _, err := seg.Lookup([]byte("zz"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := seg.Views().Lists().List(e)
	if err != nil {
		t.Fatal(err)
	}
	mapped := seg.Views().Data().(interface{ Mapped() []byte })
	postings, _ := seg.Header().Section(format.SectionPostings)
	for _, p := range l.Layout() {
		if p.Name == "freqs" {
			// The last page that has nothing else.
			page := (postings.Offset+e.Offset+p.Offset+p.Length)/format.PageSize*format.PageSize - format.PageSize
			if err := syscall.Mprotect(mapped.Mapped()[page:page+format.PageSize], syscall.PROT_NONE); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, room := s.engine.Dense(0)
	for i := range 3 * posting.DenseAsks {
		if got, err := s.Search(context.Background(), q); err != nil || !slices.Equal(got.Hits, want.Hits) {
			t.Errorf("query %d: %v, %s", i, err, difference(want.Hits, got.Hits))
		}
	}
	if _, now := s.engine.Dense(0); now != room {
		t.Errorf("%d bytes of %d are left without cached lists", now, room)
	}
}
