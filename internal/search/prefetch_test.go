package search_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// hinted is an index directory that notes which bytes it is asked to read ahead.
type hinted struct {
	store.ReadFS
	asked []int64 // offsets of ranges, since the last look
}

type hintedData struct {
	store.Data
	fs *hinted
}

func (h *hinted) Open(name string) (store.Data, error) {
	d, err := h.ReadFS.Open(name)
	return &hintedData{d, h}, err
}

func (d *hintedData) Mapped() []byte         { return d.Data.(interface{ Mapped() []byte }).Mapped() }
func (d *hintedData) WillNeed(off, _ int64)  { d.fs.asked = append(d.fs.asked, off) }
func (d *hintedData) Scattered(off, _ int64) {}

// TestPrefetchLists asks for the list of a term ahead when it is first searched for, and not
// when it occurs again beside another term: a hint is a system call that costs as much as
// some queries.
func TestPrefetchLists(t *testing.T) {
	dir := memfs.New()
	w, err := writer.OpenFS(t.Context(), dir, writer.Options{Schema: schema.Implicit("simple", "", false)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2000 {
		text := "common " + strings.Repeat("pad", i%3)
		for _, n := range []int{2, 3, 5} {
			if i%n == 0 {
				text += fmt.Sprint(" every", n)
			}
		}
		if err := w.Add(t.Context(), writer.Text(fmt.Append(nil, i), []byte(text))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	h := &hinted{ReadFS: dir}
	x, err := reader.Open(t.Context(), reader.FromStore(h), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	snap, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	s, err := search.NewSearcher(snap, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	seg := snap.Segments()[0]
	postings, _ := seg.Header().Section(format.SectionPostings)
	lists := func(text string) (asked string) {
		t.Helper()
		h.asked = nil
		terms, err := s.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Search(t.Context(), search.Query{RawTerms: terms, K: 10, Mode: query.ModeOr}); err != nil {
			t.Fatal(err)
		}
		for _, term := range terms {
			e, _, err := seg.Views().Lists().Lookup(term)
			if err != nil {
				t.Fatal(err)
			}
			at, n := postings.Offset+e.Offset, 0
			for _, off := range h.asked {
				if off == at {
					n++
				}
			}
			asked += fmt.Sprintf("%s %d, ", term, n)
		}
		return asked
	}
	for _, c := range [][2]string{
		{"common every2", "common 1, every2 1, "},
		{"common every3", "common 0, every3 1, "},
		{"every2 common", "every2 0, common 0, "},
		{"every5 every3 every2", "every5 1, every3 0, every2 0, "},
	} {
		if got := lists(c[0]); got != c[1] {
			t.Errorf("%s: asked for %s, want %s", c[0], got, c[1])
		}
	}
}
