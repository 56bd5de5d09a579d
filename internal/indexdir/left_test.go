package indexdir_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/indexdir/mending"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/segment/salvage"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// readLeft reads which documents are left of a segment. They have the text "left".
func readLeft(_ string, s, plain *segment.Segment, deleted func(uint32) bool) (*indexdir.Left, error) {
	ctx := context.Background()
	mem, left := memfs.New(), &indexdir.Left{}
	err := session(mem, func(w *writer.Writer) error {
		x := salvage.New(s, plain, func(doc uint32) bool {
			if deleted(doc) {
				return true
			}
			left.Docs = append(left.Docs, doc)
			return false
		})
		for d := range x.Docs() {
			if err := w.Add(ctx, writer.Text(d.ID, []byte("left"))); err != nil {
				return err
			}
		}
		return w.Commit(ctx)
	})
	if err != nil || len(left.Docs) == 0 {
		return nil, err
	}
	left.Dir, err = indexdir.OpenFS(mem)
	return left, err
}

// rebuildLeft is rebuild with what is left of segments.
func rebuildLeft(fsys store.FS) (r *indexdir.Recovery, err error) {
	d, _ := indexdir.OpenFS(fsys)
	defer d.Close()
	ctx := context.Background()
	err = d.Repair(ctx, sound, mending.Mend, func(inv *indexdir.Inventory) (*indexdir.Recovery, error) {
		if err := d.Salvage(ctx, inv, readLeft); err != nil {
			return nil, err
		}
		r, err = d.Rebuild(ctx, inv)
		return r, err
	})
	return r, err
}

// leftOf returns m with documents from to to-1 as what is left of them.
func leftOf(m model, from, to int) model {
	m = maps.Clone(m)
	for i := from; i < to; i++ {
		if id := fmt.Sprintf("d%d", i); m[id] != "" {
			m[id] = "left"
		}
	}
	return m
}

// torn returns a segment whose stored text is lost.
func torn(t testing.TB, b string) []byte {
	t.Helper()
	h, err := format.ParseFile("", []byte(b))
	if err != nil {
		t.Fatal(err)
	}
	texts, _ := h.Section(format.SectionStored)
	return blotted(b, int(texts.Offset), int(texts.Length))
}

// What is left of a damaged segment enters a rebuilt index with its deletes, but no document that
// another segment has whole.
func TestRebuildLeft(t *testing.T) {
	whole := library(t)
	segments, deletes := byPrefix(whole, "segment-"), byPrefix(whole, "deletes-")
	damaged := func(content map[string]string, i int) map[string]string {
		return with(content, segments[i], torn(t, content[segments[i]]))
	}
	without := func(name string) map[string]string { return with(whole, name, nil) }
	merged := directory(t, whole)
	ctx := context.Background()
	if err := session(merged, func(w *writer.Writer) error {
		_, err := w.Merge(ctx, writer.MergeOptions{})
		return errors.Join(err, w.Commit(ctx))
	}); err != nil {
		t.Fatal(err)
	}
	both := files(t, merged)
	output := byPrefix(both, "segment-")[0]
	maps.Copy(both, withoutManifests(whole))
	for _, name := range deletes {
		both[name] = whole[name]
	}
	for what, c := range map[string]struct {
		content map[string]string
		want    model
		dropped int
	}{
		"the oldest":            {damaged(whole, 0), leftOf(libraryModel(), 0, 5), 0},
		"the newest":            {damaged(whole, 2), leftOf(libraryModel(), 5, 15), 0},
		"all":                   {damaged(damaged(damaged(whole, 0), 1), 2), leftOf(libraryModel(), 0, 20), 0},
		"no manifest":           {damaged(withoutCommits(whole), 1), leftOf(libraryModel(), 15, 20), 0},
		"the output of a merge": {with(both, output, torn(t, both[output])), libraryModel(), 1},
		"nothing, of one":       {with(without(segments[1]), segments[0], lostIDs(t, whole[segments[0]])), nil, 1},
	} {
		if what == "nothing, of one" {
			c.want = model{}
			for id, text := range libraryModel() {
				if strings.HasPrefix(text, "third") {
					c.want[id] = text
				}
			}
		}
		mem := directory(t, c.content)
		r, err := rebuildLeft(mem)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if got, err := contents(mem); err != nil || !maps.Equal(got, c.want) || len(r.Dropped) != c.dropped || r.Live() != uint64(len(c.want)) {
			t.Errorf("%s: %v, %v, want %v; dropped %v", what, err, got, c.want, r.Dropped)
		}
		if err := errors.Join(nothingLost(t, mem, withoutManifests(c.content)), add(mem, "later", 100, 101)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// withoutCommits returns content without manifests and their mirrors. Nothing else goes.
func withoutCommits(content map[string]string) map[string]string {
	c := maps.Clone(content)
	maps.DeleteFunc(c, func(name, _ string) bool {
		return strings.HasPrefix(name, "manifest-") || strings.HasPrefix(name, "mirror-")
	})
	return c
}

// A crash or a failure at any operation of a repair that keeps what is left of a segment loses
// nothing, and the repair can be repeated.
func TestRebuildLeftAtEveryOperation(t *testing.T) {
	longtest.Once(t)
	whole := library(t)
	name := byPrefix(whole, "segment-")[0]
	content, want := with(whole, name, torn(t, whole[name])), leftOf(libraryModel(), 0, 5)
	for i, done := 0, false; !done; i++ {
		for mode := range 4 {
			mem := directory(t, content)
			mem.Inject(memfs.Fault{At: i, Err: errInjected, Sticky: mode < 3, Effect: mode == 1})
			ops := mem.Ops()
			_, err := rebuildLeft(mem)
			done = done || mem.Ops()-ops <= i
			left := mem
			if mode < 3 {
				left = mem.CrashKeeping(rand.New(rand.NewPCG(uint64(i), uint64(mode))))
			}
			left.Heal()
			if e := nothingLost(t, left, withoutManifests(content)); e != nil {
				t.Fatalf("operation %d, mode %d (%v): %v", i, mode, err, e)
			}
			got, e := contents(left)
			if e != nil {
				if _, e = rebuildLeft(left); e == nil {
					got, e = contents(left)
				}
			}
			if e != nil || !maps.Equal(got, want) {
				t.Fatalf("operation %d, mode %d (%v): %v, %v", i, mode, err, e, got)
			}
		}
	}
}
