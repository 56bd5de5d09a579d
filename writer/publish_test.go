package writer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
)

// visible returns the newest publication, or the newest commit if there is none.
func visible(tb testing.TB, d *indexdir.Dir) *indexdir.Commit {
	c, err := d.OpenPublished(func(*indexdir.Commit) error { return nil })
	if errors.Is(err, fs.ErrNotExist) {
		c, err = d.Latest()
	}
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// TestPublish publishes after random operations: what is visible equals the model, what
// is committed does not change, snapshots stay as they were whatever happens, and when
// they are gone, so are the files that no commit names.
func TestPublish(t *testing.T) {
	longtest.Checks(t, 50)
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		mem := memfs.New()
		ctx := context.Background()
		o := Options{Schema: schema.Implicit("whitespace", "", false), Threads: 2, batchSize: 500, MergePolicy: rapid.SampledFrom([]MergePolicy{NoMerges, eager}).Draw(rt, "policy")}
		w := mustOpen(rt, mem, o)
		defer func() { w.Close() }()
		must := func(err error) {
			if err != nil {
				rt.Fatal(err)
			}
		}
		must(w.Commit(ctx))
		d, err := indexdir.OpenFS(mem)
		must(err)
		defer d.Close()
		type snapshot struct {
			*indexdir.Commit
			docs model
		}
		var held []snapshot
		var m, committed model
		for range rapid.IntRange(1, 15).Draw(rt, "operations") {
			switch rapid.SampledFrom([]string{"add", "add", "delete", "delete", "flush", "merge", "commit", "close", "release"}).Draw(rt, "op") {
			case "add":
				for range rapid.SampledFrom([]int{1, 5, 100}).Draw(rt, "n") {
					id, text := fmt.Sprint(r.IntN(150)), randomText(r, r.IntN(8))
					must(w.Add(ctx, doc(id, text)))
					m.add(id, text)
				}
			case "delete":
				for range rapid.SampledFrom([]int{1, 60}).Draw(rt, "n") {
					id := fmt.Sprint(r.IntN(150))
					must(w.Delete(ctx, []byte(id)))
					m.delete(id)
				}
			case "flush":
				must(w.Flush(ctx))
			case "merge":
				_, err := w.Merge(ctx, MergeOptions{MaxSegments: rapid.IntRange(1, 3).Draw(rt, "most")})
				must(err)
			case "commit":
				must(w.Commit(ctx))
				committed = m.clone()
			case "close":
				must(w.Close())
				m = committed.clone()
				c := visible(t, d)
				if diff := m.diff(dumpCommit(t, c)); diff != "" || c.Published != 0 {
					rt.Fatalf("after closing: %s", diff)
				}
				c.Release()
				w = mustOpen(rt, mem, o)
			case "release":
				if len(held) > 0 {
					i := r.IntN(len(held))
					held[i].Release()
					held = slices.Delete(held, i, i+1)
				}
			}
			must(w.Publish(ctx))
			c := visible(t, d)
			if diff := m.diff(dumpCommit(t, c)); diff != "" {
				rt.Fatalf("publication %d: %s", c.Published, diff)
			}
			held = append(held, snapshot{c, m.clone()})
			committed.check(t, mem)
		}
		if rapid.Bool().Draw(rt, "commit") {
			must(w.Commit(ctx))
			committed = m.clone()
		}
		must(w.Close())
		for _, s := range held {
			if diff := s.docs.diff(dumpCommit(t, s.Commit)); diff != "" {
				rt.Fatalf("a snapshot of publication %d changed: %s", s.Published, diff)
			}
			s.Release()
		}
		committed.check(t, mem)
		c, err := d.Latest()
		must(err)
		defer c.Release()
		names, err := mem.List()
		must(err)
		for _, name := range names {
			if (strings.HasPrefix(name, "segment-") || strings.HasPrefix(name, "deletes-")) && !slices.Contains(c.Files(), name) {
				rt.Fatalf("%s is left; the commit has %q", name, c.Files())
			}
		}
	})
}

// A commit after a publication writes its manifest and nothing else.
func TestCommitAfterPublish(t *testing.T) {
	ctx := t.Context()
	mem := memfs.New()
	w := mustOpen(t, mem, Options{Schema: schema.Implicit("whitespace", "", false)})
	defer w.Close()
	err := errors.Join(w.Add(ctx, doc("a", "one")), w.Add(ctx, doc("b", "two")), w.Commit(ctx),
		w.Add(ctx, doc("c", "three")), w.Delete(ctx, []byte("a")), w.Publish(ctx))
	if err != nil {
		t.Fatal(err)
	}
	d, err := indexdir.OpenFS(mem)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c := visible(t, d)
	defer c.Release()
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	now, err := d.Latest()
	if err != nil {
		t.Fatal(err)
	}
	defer now.Release()
	if c.Published == 0 || now.Generation != c.Generation+1 || !slices.EqualFunc(now.Segments, c.Segments, indexdir.SegmentInfo.Equal) {
		t.Errorf("committed %+v, published %+v", now.Manifest, c.Manifest)
	}
}

// Segments that are published are merged while a merge of committed ones runs in the background.
// That one succeeds, and what was published remains visible until the next publication.
func TestMergePublished(t *testing.T) {
	ctx := t.Context()
	fs := newGateFS()
	policy, planned := fs.policy(2), false
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), MergePolicy: func(s []SegmentStats) []Run {
		if planned {
			return nil
		}
		runs := policy(s)
		planned = runs != nil
		return runs
	}})
	must := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("long ", 100)
	must(w.Add(ctx, doc("a", long)), w.Commit(ctx), w.Add(ctx, doc("b", long)), w.Commit(ctx))
	<-fs.entered
	must(w.Add(ctx, doc("c", "short")), w.Flush(ctx), w.Add(ctx, doc("d", "short")), w.Flush(ctx),
		w.Add(ctx, doc("e", "short")), w.Publish(ctx))
	_, err := w.Merge(ctx, MergeOptions{MaxSegments: 3}) // of the short ones
	close(fs.open)
	must(err, w.WaitMerges(ctx))
	if n := len(manifest(t, fs).Segments); n != 1 {
		t.Errorf("%d segments are committed, want the one of the background merge", n)
	}
	d, err := indexdir.OpenFS(fs)
	must(err)
	defer d.Close()
	c := visible(t, d)
	if len(c.Segments) != 4 || len(dumpCommit(t, c)) != 5 {
		t.Errorf("%d segments are published, want 4 with 5 documents", len(c.Segments))
	}
	c.Release()
	must(w.Commit(ctx), w.Close())
	if docs := dump(t, fs); len(docs) != 5 {
		t.Errorf("%d documents, want 5", len(docs))
	}
	onlySegmentsOf(t, fs)
}

// Publishing alone merges: the segments that readers see stay few, and so do those of the
// next commit. Nothing is committed by it.
func TestPublishMerges(t *testing.T) {
	ctx := t.Context()
	mem := memfs.New()
	w := mustOpen(t, mem, Options{Schema: schema.Implicit("whitespace", "", false)})
	defer w.Close()
	d, err := indexdir.OpenFS(mem)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var committed, m model
	check := func(what string) {
		t.Helper()
		c := visible(t, d)
		defer c.Release()
		if diff := m.diff(dumpCommit(t, c)); diff != "" {
			t.Fatalf("%s: %s", what, diff)
		}
		if n := len(c.Segments); n > 7 {
			t.Errorf("%s: %d segments are published", what, n)
		}
		committed.check(t, mem)
	}
	for round := range 3 {
		for i := range 60 {
			id := fmt.Sprint(round%2, " ", i)
			m.add(id, "text")
			if err := errors.Join(w.Add(ctx, doc(id, "text")), w.Publish(ctx)); err != nil {
				t.Fatal(err)
			}
			if i%7 == 6 { // all documents of a segment or two
				for k := range 2 {
					id := fmt.Sprint(round%2, " ", i-1-k)
					m.delete(id)
					if err := w.Delete(ctx, []byte(id)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if err := errors.Join(w.Publish(ctx), w.WaitMerges(ctx)); err != nil {
			t.Fatal(err)
		}
		check(fmt.Sprint("round ", round))
		if round > 0 {
			if err := w.Commit(ctx); err != nil {
				t.Fatal(err)
			}
			committed = m.clone()
			check(fmt.Sprint("commit of round ", round))
		}
	}
}
