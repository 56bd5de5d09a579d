package writer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// eager merges any two segments of one tier.
var eager = Tiered{PerTier: 2, MinSize: 20}.Runs

// gateFS holds up the first write to a segment after armed was set, until the gate opens.
// Then it fails if fail is set.
type gateFS struct {
	*memfs.FS
	armed         atomic.Bool
	fail          error
	entered, open chan struct{}
}

func newGateFS() *gateFS {
	return &gateFS{FS: memfs.New(), entered: make(chan struct{}), open: make(chan struct{})}
}

func (f *gateFS) Create(name string) (store.File, error) {
	file, err := f.FS.Create(name)
	return gateFile{file, f, strings.HasPrefix(name, "segment-")}, err
}

type gateFile struct {
	store.File
	fs      *gateFS
	segment bool
}

func (f gateFile) WriteAt(p []byte, off int64) (int, error) {
	if f.segment && f.fs.armed.CompareAndSwap(true, false) {
		close(f.fs.entered)
		<-f.fs.open
		if f.fs.fail != nil {
			return 0, f.fs.fail
		}
	}
	return f.File.WriteAt(p, off)
}

// policy is a MergePolicy that merges all segments once there are n, and arms the gate.
func (f *gateFS) policy(n int) MergePolicy {
	return func(s []SegmentStats) []Run {
		if len(s) < n {
			return nil
		}
		f.armed.Store(true)
		return []Run{{0, len(s)}}
	}
}

// manifest returns the newest manifest.
func manifest(t testing.TB, fs store.ReadFS) *indexdir.Manifest {
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
	return c.Manifest
}

// onlySegmentsOf checks that the newest manifest names every segment file.
func onlySegmentsOf(t testing.TB, fs store.ReadFS) {
	t.Helper()
	names, err := fs.List()
	if err != nil {
		t.Fatal(err)
	}
	named := manifest(t, fs).Files()
	for _, s := range names {
		if strings.Contains(s, "segment-") && !slices.Contains(named, s) {
			t.Errorf("%s is left", s)
		}
	}
}

// Hundreds of commits of one document leave few segments, and a commit takes as many
// operations after hundreds as after a few.
func TestManyCommits(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	// The policy is asked when a commit is done and no merge has begun.
	var done atomic.Int64
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), Threads: 1, MergePolicy: func(s []SegmentStats) []Run {
		done.CompareAndSwap(0, int64(fs.Ops()))
		return Tiered{}.Runs(s)
	}})
	defer w.Close()
	m := model{}
	var ops []int
	for i := range 300 {
		id := fmt.Sprint(i)
		m.add(id, "one document")
		if err := w.Add(ctx, doc(id, "one document")); err != nil {
			t.Fatal(err)
		}
		before := fs.Ops()
		done.Store(0)
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		ops = append(ops, int(done.Load())-before)
		if err := w.WaitMerges(ctx); err != nil {
			t.Fatal(err)
		}
		if n := len(manifest(t, fs).Segments); n > 8 {
			t.Fatalf("%d segments after %d commits", n, i+1)
		}
	}
	m.check(t, fs)
	if early, late := slices.Max(ops[20:40]), slices.Max(ops[280:]); early <= 0 || late > 2*early {
		t.Errorf("a commit takes %d operations in the end, %d in the beginning", late, early)
	}
}

// A commit, and what it deletes, does not wait for a merge. Documents that are deleted or
// replaced while the merge runs are deleted in its result, committed or not.
func TestDeletesDuringMerge(t *testing.T) {
	ctx := t.Context()
	fs := newGateFS()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), MergePolicy: fs.policy(2)})
	defer w.Close()
	m := model{}
	add := func(id string) {
		m.add(id, "text of "+id)
		if err := w.Add(ctx, doc(id, "text of "+id)); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(id string) {
		m.delete(id)
		if err := w.Delete(ctx, []byte(id)); err != nil {
			t.Fatal(err)
		}
	}
	commit := func() {
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		m.check(t, fs)
	}
	for _, id := range []string{"a", "b", "c", "d"} {
		add(id)
	}
	commit()
	remove("b")
	for _, id := range []string{"e", "f", "g", "h"} {
		add(id)
	}
	commit()
	<-fs.entered // the merge is under way; b is not in its result
	remove("c")
	add("e")
	w.opts.MergePolicy = NoMerges
	commit()
	add("a")
	remove("g")
	if err := w.Publish(ctx); err != nil {
		t.Fatal(err)
	}
	published := m.clone()
	remove("h")
	if err := w.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	committed := m.clone()
	committed.docs = []shownDoc{show("a", "text of a", false), show("d", "text of d", false), show("f", "text of f", false),
		show("g", "text of g", false), show("h", "text of h", false), show("e", "text of e", false)}
	close(fs.open)
	if err := w.WaitMerges(ctx); err != nil {
		t.Fatal(err)
	}
	committed.check(t, fs) // nothing else was committed, and nothing published is lost
	c := visible(t, w.dir)
	if diff := published.diff(dumpCommit(t, c)); diff != "" {
		t.Fatal(diff)
	}
	c.Release()
	if s := manifest(t, fs).Segments; len(s) != 2 || s[0].Docs != 7 || s[0].Deleted != 2 || s[0].DeletedTokens != 6 {
		t.Errorf("segments %+v", s)
	}
	commit()
	if s := manifest(t, fs).Segments; len(s) != 3 || s[0].Deleted != 5 {
		t.Errorf("segments %+v", s)
	}
}

// Merge, a commit without live documents and Close take over what a merge in the
// background was about to do, or give it up.
func TestMergeTakesOver(t *testing.T) {
	for name, do := range map[string]func(ctx context.Context, w *Writer, m *model) error{
		"merge": func(ctx context.Context, w *Writer, _ *model) error {
			_, err := w.Merge(ctx, MergeOptions{})
			return err
		},
		"delete all": func(ctx context.Context, w *Writer, m *model) (err error) {
			for _, d := range m.clone().docs {
				m.delete(d.id)
				err = errors.Join(err, w.Delete(ctx, []byte(d.id)))
			}
			return err
		},
		"close": func(ctx context.Context, w *Writer, _ *model) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			fs := newGateFS()
			w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), MergePolicy: fs.policy(3)})
			m := model{}
			for i := range 3 {
				id := fmt.Sprint(i)
				m.add(id, "text")
				if err := errors.Join(w.Add(ctx, doc(id, "text")), w.Commit(ctx)); err != nil {
					t.Fatal(err)
				}
			}
			<-fs.entered
			if err := do(ctx, w, &m); err != nil {
				t.Fatal(err)
			}
			if err := w.Commit(ctx); err != nil {
				t.Fatal(err)
			}
			m.check(t, fs)
			if name == "close" {
				go close(fs.open)
			} else {
				close(fs.open)
				if err := w.WaitMerges(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			m.check(t, fs)
			onlySegmentsOf(t, fs)
		})
	}
}

// script is a sequence of changes, cut into commits.
type script [][]change

type change struct {
	id, text string
	deletes  bool
}

func newScript(r *rand.Rand, commits int) (s script) {
	for range commits {
		var c []change
		for range 1 + r.IntN(12) {
			c = append(c, change{fmt.Sprint(r.IntN(150)), randomText(r, r.IntN(8)), r.IntN(4) == 0})
		}
		s = append(s, c)
	}
	return s
}

// run applies s to a new index and calls after behind each commit.
func (s script) run(t testing.TB, o Options, after func(i int, w *Writer) error) (*memfs.FS, model) {
	t.Helper()
	ctx := t.Context()
	fs := memfs.New()
	w := mustOpen(t, fs, o)
	m := model{}
	for i, c := range s {
		for _, x := range c {
			var err error
			if x.deletes {
				m.delete(x.id)
				err = w.Delete(ctx, []byte(x.id))
			} else {
				m.add(x.id, x.text)
				err = w.Add(ctx, doc(x.id, x.text))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Commit(ctx), after(i, w)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.WaitMerges(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	return fs, m
}

// Which segments an index has in the end, and with which documents, does not depend on
// when merges run.
func TestMergesDependOnCommitsAlone(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 3))
		s := newScript(r, 25)
		o := Options{Schema: schema.Implicit("whitespace", "", false), Threads: 2, MergePolicy: eager}
		type facts struct {
			docs, deleted                   uint32
			postings, tokens, deletedTokens uint64
		}
		show := func(fs *memfs.FS) (out []facts) {
			for _, s := range manifest(t, fs).Segments {
				out = append(out, facts{s.Docs, s.Deleted, s.Postings, s.Tokens, s.DeletedTokens})
			}
			return out
		}
		fs, m := s.run(t, o, func(_ int, w *Writer) error { return w.WaitMerges(t.Context()) })
		m.check(t, fs)
		want := show(fs)
		for _, after := range []func(int, *Writer) error{
			func(int, *Writer) error { return nil },
			func(i int, w *Writer) error {
				if r.IntN(4) == 0 {
					return w.WaitMerges(t.Context())
				}
				return nil
			},
		} {
			fs, m := s.run(t, o, after)
			m.check(t, fs)
			if got := show(fs); !slices.Equal(got, want) {
				t.Fatalf("seed %d: segments\n%v, with waiting\n%v", seed, got, want)
			}
		}
	}
}

// TestBackgroundModel applies random operations while merges run and compares what is
// committed with a model.
func TestBackgroundModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		fs := memfs.New()
		policies := []MergePolicy{eager, Tiered{PerTier: 3, MinSize: 100, MaxSize: 1000, MaxDeleted: 10}.Runs, Tiered{PerTier: 2}.Runs}
		options := func() Options {
			return Options{
				Schema: schema.Implicit("whitespace", "", false), Threads: rapid.IntRange(1, 3).Draw(rt, "threads"),
				MergePolicy: rapid.SampledFrom(policies).Draw(rt, "policy"), batchSize: 300,
			}
		}
		w := mustOpen(rt, fs, options())
		defer func() { w.Close() }()
		m := model{}
		must := func(err error) {
			if err != nil {
				rt.Fatal(err)
			}
		}
		must(w.Commit(ctx))
		for range rapid.IntRange(1, 25).Draw(rt, "operations") {
			switch op := rapid.SampledFrom([]string{"add", "add", "delete", "commit", "commit", "flush", "publish", "merge", "wait", "reopen"}).Draw(rt, "op"); op {
			case "add":
				for range rapid.SampledFrom([]int{1, 3, 40}).Draw(rt, "n") {
					id, text := fmt.Sprint(r.IntN(60)), randomText(r, r.IntN(6))
					must(w.Add(ctx, doc(id, text)))
					m.add(id, text)
				}
			case "delete":
				for range rapid.SampledFrom([]int{1, 10}).Draw(rt, "n") {
					id := fmt.Sprint(r.IntN(60))
					must(w.Delete(ctx, []byte(id)))
					m.delete(id)
				}
			case "flush":
				must(w.Flush(ctx))
			case "publish":
				must(w.Publish(ctx))
				c := visible(t, w.dir)
				got := dumpCommit(t, c)
				c.Release()
				if diff := m.diff(got); diff != "" {
					rt.Fatal(diff)
				}
			case "merge":
				_, err := w.Merge(ctx, MergeOptions{MaxSegments: rapid.IntRange(0, 3).Draw(rt, "most"), Purge: rapid.Bool().Draw(rt, "purge")})
				must(err)
			case "wait":
				must(w.WaitMerges(ctx))
			case "commit", "reopen":
				must(w.Commit(ctx))
				m.check(t, fs)
				if op == "reopen" {
					must(w.Close())
					m.check(t, fs)
					w = mustOpen(rt, fs, options())
				}
			}
		}
		must(w.Commit(ctx))
		must(w.WaitMerges(ctx))
		m.check(t, fs)
		must(w.Close())
		m.check(t, fs)
	})
}
