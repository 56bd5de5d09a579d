package pinion

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// A Reader answers as the Index does after Sync, over a directory at once, over a Source when it looks again; a View stays as
// it is. That holds over merges, deletes and another writer.
func TestReader(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(7, 7))
	o := Options{Memory: writer.MinMemory, Durable: time.Hour}
	x := must(Open(ctx, dir, o))(t)
	refreshed := 0
	near := must(ReaderOptions{Observe: func(e Event) {
		if e.Kind == EventRefresh && e.Err == nil && e.Commit > 0 {
			refreshed++
		}
	}}.OpenReader(ctx, dir))(t)
	far := must(ReaderOptions{Refresh: 1}.OpenSource(ctx, reader.FromFS(os.DirFS(dir))))(t)
	opened := time.Now()
	late := must(OpenSource(ctx, reader.FromFS(os.DirFS(dir))))(t)
	words := []string{"rose", "thorn", "vase", "tulip"}
	requests := []Request{ask("rose", 10), {Query: query.All{}, Total: true}, {Query: query.Match{Text: "thorn vase"}, Limit: 5, Snippet: &Snippet{}, Fields: []string{""}}}
	for round := range 30 {
		for range rng.IntN(4) {
			id, text := fmt.Sprint(rng.IntN(40)), words[rng.IntN(4)]+" "+words[rng.IntN(4)]
			if err := errors.Join(x.Add(ctx, Text(id, text)), x.Delete(ctx, fmt.Sprint(rng.IntN(60)))); err != nil {
				t.Fatal(err)
			}
		}
		r := requests[round%3]
		err := near.View(ctx, func(v *View) error {
			before := must(v.Search(ctx, r))(t)
			if err := x.Sync(ctx); err != nil {
				return err
			}
			if after := must(v.Search(ctx, r))(t); fmt.Sprint(before) != fmt.Sprint(after) {
				t.Errorf("a view has changed")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if round%10 == 9 {
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			x = must(Open(ctx, dir, o))(t)
		}
		want := shown(must(x.Search(ctx, r))(t))
		for range 2 {
			if got := shown(must(near.Search(ctx, r))(t)); got != want {
				t.Errorf("round %d: over a directory\n%s, want\n%s", round, got, want)
			}
			if got := shown(must(far.Search(ctx, r))(t)); got != want {
				t.Errorf("round %d: over a source\n%s, want\n%s", round, got, want)
			}
		}
	}
	if page := must(late.Search(ctx, requests[1]))(t); page.Total != 0 && time.Since(opened) < DefaultRefresh {
		t.Errorf("%d documents of a commit that was not looked for", page.Total)
	}
	if s := near.Schema(); refreshed == 0 || len(s.Fields) != 1 || s.Fields[0].Name != "" {
		t.Errorf("%d times refreshed, schema %v", refreshed, s)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Reader{near, far, late, new(Reader)} {
		if err := errors.Join(r.Close(), r.Close()); err != nil {
			t.Error(err)
		}
		if _, err := r.Search(ctx, requests[0]); !errors.Is(err, ErrClosed) || !r.Schema().IsImplicit() {
			t.Errorf("closed: %v", err)
		}
	}
}

// shown returns a page without docIDs, which merges change that are not committed yet.
func shown(p Page) string {
	p.Hits = slices.Clone(p.Hits)
	for i := range p.Hits {
		p.Hits[i].Doc = 0
	}
	return fmt.Sprint(p)
}

// Searches of many goroutines, a writer and Close go together.
func TestReaderTogether(t *testing.T) {
	dir := t.TempDir()
	x := must(Open(ctx, dir, Options{Memory: writer.MinMemory, SyncEach: true}))(t)
	defer x.Close()
	r := must(OpenReader(ctx, dir))(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			n := 0
			for {
				page, err := r.Search(ctx, Request{Query: query.All{}, Total: true})
				if errors.Is(err, ErrClosed) {
					return
				}
				if err != nil || int(page.Total) < n {
					t.Errorf("%d documents after %d, %v", page.Total, n, err)
					return
				}
				n = int(page.Total)
			}
		})
	}
	for i := range 30 {
		if err := x.Add(ctx, Text(fmt.Sprint(i), "rose")); err != nil {
			t.Fatal(err)
		}
		if page := must(r.Search(ctx, Request{Query: query.All{}, Total: true}))(t); page.Total != uint64(i+1) {
			t.Errorf("%d documents, want %d", page.Total, i+1)
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	group.Wait()
}

// A Reader that is closed while it goes on to a newer commit has nothing open.
func TestReaderClosedOnTheWay(t *testing.T) {
	dir := t.TempDir()
	x := must(Open(ctx, dir, Options{}))(t)
	defer x.Close()
	r := must(OpenReader(ctx, dir))(t)
	defer r.Close()
	changed, err := r.advance(ctx, func(context.Context) (bool, error) {
		r.leave()
		return true, nil
	})
	if changed || !errors.Is(err, ErrClosed) || !r.sees(nil) {
		t.Errorf("%t, %v, and searches see something: %t", changed, err, !r.sees(nil))
	}
}

// What cannot be read is refused, and a search says so if an index has taken the place of another.
func TestReaderErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenReader(ctx, dir); !errors.Is(err, format.ErrNotAnIndex) {
		t.Errorf("%v", err)
	}
	if _, err := OpenSource(ctx, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("%v", err)
	}
	if err := must(Open(ctx, dir, Options{}))(t).Close(); err != nil {
		t.Fatal(err)
	}
	for _, o := range []ReaderOptions{{Refresh: -1}, {Memory: -1}, {Slow: -1}, {CacheBytes: -1}, {CacheBytes: 1, NoCache: true}, {Params: query.Params{K1: -1}}} {
		if _, err := o.OpenReader(ctx, dir); !errors.Is(err, ErrInvalid) && !errors.Is(err, query.ErrParams) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := OpenReader(ended, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	r := must(OpenReader(ctx, dir))(t)
	defer r.Close()
	if _, err := r.Search(ended, ask("rose", 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o777)); err != nil {
		t.Fatal(err)
	}
	x := must(Open(ctx, dir, Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "title", Kind: 1}}}}))(t)
	defer x.Close()
	if _, err := r.Search(ctx, ask("rose", 1)); !errors.Is(err, reader.ErrReplaced) {
		t.Errorf("%v", err)
	}
}

// BenchmarkReader searches an index that does not change: what it costs to look for a newer commit.
func BenchmarkReader(b *testing.B) {
	dir := b.TempDir()
	x := must(Open(ctx, dir, Options{}))(b)
	for i := range 1000 {
		if err := x.Add(ctx, Text(fmt.Sprint(i), "rose")); err != nil {
			b.Fatal(err)
		}
	}
	if err := x.Close(); err != nil {
		b.Fatal(err)
	}
	r := must(OpenReader(ctx, dir))(b)
	defer r.Close()
	for b.Loop() {
		must(r.Search(ctx, ask("rose", 10)))(b)
	}
}
