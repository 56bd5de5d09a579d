package writer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

func TestReplaceAndDelete(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	m := model{}
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false)})
	defer w.Close()
	add := func(id, text string) {
		if err := w.Add(ctx, doc(id, text)); err != nil {
			t.Fatal(err)
		}
		m.add(id, text)
	}
	del := func(id string) {
		if err := w.Delete(ctx, []byte(id)); err != nil {
			t.Fatal(err)
		}
		m.delete(id)
	}
	commit := func() {
		t.Helper()
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		m.check(t, fs)
	}
	add("a", "one")
	add("a", "one two") // within a batch
	add("b", "three")
	del("b")
	add("b", "four") // after its deletion
	del("nobody")
	add("\x00\xff", "any bytes")
	add("empty", "")
	commit()
	add("a", "five five") // across segments
	commit()
	del("empty")
	del("a")
	commit()
	add("a", "six")
	del("a")
	commit()
	for _, id := range []string{"a", "b", "\x00\xff"} {
		del(id) // all are deleted
	}
	commit()
	if n := len(w.segments); n != 0 {
		t.Errorf("%d segments for no documents", n)
	}
	add("last", "one")
	commit()
}

func TestBadInput(t *testing.T) {
	ctx := t.Context()
	w := mustOpen(t, memfs.New(), Options{Memory: MinMemory})
	defer w.Close()
	long := strings.Repeat("x", segment.MaxID+1)
	for _, tt := range []struct {
		err  error
		want string
	}{
		{w.Add(ctx, doc("", "text")), "id is empty"},
		{w.Add(ctx, doc(long, "text")), "id of 65536 bytes, at most 65535"},
		{w.Add(ctx, doc("big", strings.Repeat("word ", 1<<20))), `document "big": 5242880 bytes of text`},
		{w.Delete(ctx, nil), "id is empty"},
	} {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("error %v, want one with %q", tt.err, tt.want)
		}
	}
	// The Writer remains usable, also with the longest possible id.
	if err := errors.Join(w.Add(ctx, doc(long[1:], "text")), w.Commit(ctx)); err != nil {
		t.Error(err)
	}
	for _, o := range []Options{{Memory: 1}, {Threads: -1}, {DocsCodec: "bp128", FreqsCodec: "bp256"}, {DocsCodec: "nonesuch"}} {
		if _, err := OpenFS(ctx, memfs.New(), o); err == nil {
			t.Errorf("options %+v are accepted", o)
		}
	}
}

func TestLargeDocuments(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", true), Memory: MinMemory, Threads: 3})
	defer w.Close()
	m := model{stored: true}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 12 {
		text := randomText(r, 1+i%3*9000)
		id := fmt.Sprint(i)
		m.add(id, text)
		if err := w.Add(ctx, doc(id, text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	m.check(t, fs)
}

// TestWithoutTerms counts the documents that no query finds.
func TestWithoutTerms(t *testing.T) {
	ctx := t.Context()
	w := mustOpen(t, memfs.New(), Options{Schema: schema.Implicit("whitespace", "", false)})
	defer w.Close()
	for i, text := range []string{"one", "", " \n ", "two", ""} {
		if err := w.Add(ctx, doc(fmt.Sprint(i), text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Delete(ctx, []byte("0")); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if n := w.WithoutTerms(); n != 3 {
		t.Errorf("%d documents without terms, want 3", n)
	}
	in := Inverted{
		Docs: func(yield func(InvertedDoc, error) bool) {
			_ = yield(InvertedDoc{ID: []byte("x"), Len: 1}, nil) && yield(InvertedDoc{ID: []byte("y")}, nil)
		},
		Lists: func(yield func(InvertedList, error) bool) {
			yield(InvertedList{Term: []byte("one"), Postings: format.Postings{Docs: []uint32{0}, Freqs: []uint32{1}}}, nil)
		},
	}
	if err := w.AddInverted(ctx, in); err != nil {
		t.Fatal(err)
	}
	if n := w.WithoutTerms(); n != 4 {
		t.Errorf("%d documents without terms, want 4", n)
	}
}

func TestAnalyzerIsKept(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	english, err := analysis.New("english", "stop=english")
	if err != nil {
		t.Fatal(err)
	}
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("english", english.Options(), false)})
	if err := errors.Join(w.Add(ctx, doc("a", "The dogs")), w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, fs); len(got) != 1 || got[0].terms["dog"] != 1 || got[0].len != 1 {
		t.Errorf("english made %+v", got)
	}
	w = mustOpen(t, fs, Options{}) // takes the index's analyzer
	if f := w.Schema().Fields[0]; f.Analyzer != "english" || f.Options != english.Options() {
		t.Errorf("analyzer is %s (%s)", f.Analyzer, f.Options)
	}
	w.Close()
	if _, err := OpenFS(ctx, fs, Options{Schema: schema.Implicit("simple", "", false)}); !errors.Is(err, ErrAnalyzer) {
		t.Errorf("another analyzer: %v", err)
	}
}

func TestEmptyIndex(t *testing.T) {
	fs := memfs.New()
	w := mustOpen(t, fs, Options{})
	if err := errors.Join(w.Commit(t.Context()), w.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, fs); len(got) != 0 {
		t.Errorf("documents from nowhere: %v", got)
	}
	for _, err := range []error{w.Add(t.Context(), doc("a", "")), w.Flush(t.Context()), w.Commit(t.Context())} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

func TestLocked(t *testing.T) {
	fs := memfs.New()
	w := mustOpen(t, fs, Options{})
	if _, err := OpenFS(t.Context(), fs, Options{}); !errors.Is(err, store.ErrLocked) {
		t.Errorf("second writer: %v", err)
	}
	w.Close()
	mustOpen(t, fs, Options{}).Close()
}

func TestCancel(t *testing.T) {
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), batchSize: 1000})
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	m := model{}
	for i := range 500 {
		m.add(fmt.Sprint(i), "some words here")
		if err := w.Add(ctx, doc(fmt.Sprint(i), "some words here")); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	_, mergeErr := w.Merge(ctx, MergeOptions{})
	for _, err := range []error{w.Flush(ctx), w.Commit(ctx), mergeErr} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
	// The Writer can be used further.
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.check(t, fs)
}

// TestConcurrent adds, deletes, flushes and commits in several goroutines. Each has
// ids of its own, so that the outcome is known except for the order.
func TestConcurrent(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), Threads: 4, batchSize: 2000, accum: 2 << 20})
	defer w.Close()
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 0))
			for i := range 300 {
				id := fmt.Sprintf("%d-%d", g, i%100)
				err := w.Add(ctx, doc(id, randomText(r, 10)))
				switch {
				case i%10 == 9:
					err = errors.Join(err, w.Delete(ctx, []byte(id)))
				case i%97 == 96:
					err = errors.Join(err, w.Flush(ctx))
				case i%151 == 150:
					_, merr := w.Merge(ctx, MergeOptions{MaxSegments: 2})
					err = errors.Join(err, merr, w.Commit(ctx))
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	got := dump(t, fs)
	ids := map[string]bool{}
	for _, d := range got {
		ids[d.id] = true
	}
	if len(got) != 4*90 || len(ids) != len(got) {
		t.Errorf("%d documents with %d ids, want 360", len(got), len(ids))
	}
}

// sectionsOf returns the content of all segments except their random ids.
func sectionsOf(t *testing.T, fs store.ReadFS) (out [][]byte) {
	t.Helper()
	dir, err := indexdir.OpenFS(fs)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	c, err := dir.Latest()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	for i := range c.Segments {
		_, data, err := c.OpenSegment(i)
		if err != nil {
			t.Fatal(err)
		}
		b, err := data.Range(0, data.Size())
		if err != nil {
			t.Fatal(err)
		}
		h, err := format.ParseFile("", b)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, bytes.Clone(b[h.FrontSize():len(b)-format.FooterSize]))
		data.Close()
	}
	return out
}

// TestThreadsDoNotShow builds and merges with different numbers of threads and
// compares bytes.
func TestThreadsDoNotShow(t *testing.T) {
	ctx := t.Context()
	var want [][]byte
	for _, threads := range []int{1, 2, 5} {
		fs := memfs.New()
		w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", true), Threads: threads, batchSize: 3000, accum: 2 << 20})
		r := rand.New(rand.NewPCG(7, 7))
		for i := range 4000 {
			if err := w.Add(ctx, doc(fmt.Sprint(r.IntN(3000)), randomText(r, i%20))); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		got := sectionsOf(t, fs)
		if len(got) < 3 {
			t.Fatalf("%d segments are too few for this test", len(got))
		}
		if _, err := w.Merge(ctx, MergeOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
		got = append(got, sectionsOf(t, fs)...)
		if want == nil {
			want = got
		} else if !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%d threads write other bytes than 1", threads)
		}
	}
}

func TestProgress(t *testing.T) {
	ctx := t.Context()
	var last Progress
	stages := map[string]bool{}
	w := mustOpen(t, memfs.New(), Options{Progress: func(p Progress) {
		if last.Done < last.Total && (p.Stage != last.Stage || p.Done < last.Done) || p.Done > p.Total {
			t.Errorf("progress %+v after %+v", p, last)
		}
		last = p
		stages[p.Stage] = true
	}})
	defer w.Close()
	for i := range 2 {
		if err := errors.Join(w.Add(ctx, doc(fmt.Sprint(i), "a b c d")), w.Flush(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Merge(ctx, MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	if !stages["flush"] || !stages["merge"] || last != (Progress{"merge", 8, 8}) {
		t.Errorf("stages %v, last %+v", stages, last)
	}
}
