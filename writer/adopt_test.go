package writer

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
)

// duplicate returns a copy of the newest commit in fs.
func duplicate(rt *rapid.T, fs *memfs.FS) *memfs.FS {
	d := openMem(rt, fs)
	defer d.Close()
	to := memfs.New()
	if _, err := d.Backup(rt.Context(), to, indexdir.BackupOptions{}); err != nil {
		rt.Fatal(err)
	}
	return to
}

func openMem(rt *rapid.T, fs *memfs.FS) *indexdir.Dir {
	d, err := indexdir.OpenFS(fs)
	if err != nil {
		rt.Fatal(err)
	}
	return d
}

// TestAdopt: merges of a copy change nothing but segments in an index that has changed since, and take the place of those
// that are still there.
func TestAdopt(t *testing.T) {
	adopted := 0
	rapid.Check(t, func(rt *rapid.T) {
		fs := memfs.New()
		opts := Options{Schema: schema.Implicit("whitespace", "", true), MergePolicy: NoMerges}
		w := mustOpen(rt, fs, opts)
		defer w.Close()
		m := model{stored: true}
		for _, label := range []string{"first", "second", "third"} {
			changeAtRandom(t, rt, w, &m, label)
		}
		before, after := duplicate(rt, fs), duplicate(rt, fs)
		v := mustOpen(rt, after, opts)
		if _, err := v.Merge(t.Context(), MergeOptions{MaxSegments: rapid.IntRange(1, 3).Draw(rt, "most"), Purge: rapid.Bool().Draw(rt, "purge")}); err != nil {
			rt.Fatal(err)
		}
		err := v.Commit(t.Context())
		was, is := w.lock.Manifest().Segments, v.lock.Manifest().Segments
		if err := errors.Join(err, v.Close()); err != nil {
			rt.Fatal(err)
		}
		changeAtRandom(t, rt, w, &m, "since")
		if rapid.IntRange(0, 3).Draw(rt, "merge here") == 0 {
			_, err := w.Merge(t.Context(), MergeOptions{MaxSegments: rapid.IntRange(1, 5).Draw(rt, "most here")})
			if err := errors.Join(err, w.Commit(t.Context())); err != nil {
				rt.Fatal(err)
			}
		}
		now := w.lock.Manifest().Segments
		old, made := openMem(rt, before), openMem(rt, after)
		defer old.Close()
		defer made.Close()
		n, err := w.Adopt(t.Context(), old.FS(), made.FS())
		if err != nil {
			rt.Fatal(err)
		}
		adopted += n
		if err := w.Commit(t.Context()); err != nil {
			rt.Fatal(err)
		}
		if d := m.diff(dump(t, fs)); d != "" {
			rt.Fatal(d)
		}
		ids := func(in []indexdir.SegmentInfo) (ids []format.ID) {
			for _, s := range in {
				ids = append(ids, s.ID)
			}
			return ids
		}
		if a, b := ids(was), ids(now); len(b) >= len(a) && slices.Equal(a, b[:len(a)]) { // all are still there
			kept := ids(is)
			if gone := slices.DeleteFunc(a, func(id format.ID) bool { return slices.Contains(kept, id) }); n != len(gone) {
				rt.Fatalf("%d segments replaced, not %d", n, len(gone))
			}
			if got := ids(w.lock.Manifest().Segments); n > 0 && !slices.Contains(got, kept[0]) {
				rt.Fatalf("%v has none of %v", got, kept)
			}
		}
	})
	if adopted == 0 {
		t.Error("no segment was replaced")
	}
}
