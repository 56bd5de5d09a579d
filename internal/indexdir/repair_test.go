package indexdir_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/indexdir/mending"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

func sound(ctx context.Context, s *segment.Segment) error {
	return check.Segment(ctx, s, check.Options{})
}

// model is what an index holds: texts by id.
type model map[string]string

// contents returns the live documents of the index, and fails if an id is there twice.
func contents(fsys store.ReadFS) (model, error) {
	x, err := reader.Open(context.Background(), reader.FromStore(fsys), reader.Options{})
	if err != nil {
		return nil, err
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := s.Verify(context.Background()); err != nil {
		return nil, err
	}
	m := model{}
	for doc := range uint32(s.Stats().Docs) {
		if gone, err := s.Deleted(doc); gone || err != nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		id, err := s.AppendID(nil, doc)
		if err != nil {
			return nil, err
		}
		text, err := s.AppendStored(nil, doc)
		if err != nil {
			return nil, err
		}
		if _, twice := m[string(id)]; twice {
			return nil, fmt.Errorf("document %s is there twice", id)
		}
		m[string(id)] = string(text)
	}
	return m, nil
}

// session opens a writer on fsys and calls f.
func session(fsys store.FS, f func(w *writer.Writer) error) error {
	w, err := writer.OpenFS(context.Background(), fsys, writer.Options{Schema: schema.Implicit("", "", true), Memory: writer.MinMemory, Threads: 1})
	if err != nil {
		return err
	}
	return errors.Join(f(w), w.Close())
}

// add adds documents from to to-1 in one commit.
func add(fsys store.FS, text string, from, to int) error {
	ctx := context.Background()
	return session(fsys, func(w *writer.Writer) error {
		for i := from; i < to; i++ {
			d := writer.Text(fmt.Appendf(nil, "d%d", i), fmt.Appendf(nil, "%s %d", text, i))
			if err := w.Add(ctx, d); err != nil {
				return err
			}
		}
		return w.Commit(ctx)
	})
}

// library is an index of three segments, 1, 2 and 4: documents 0 to 9; 10 to 19; and
// newer versions of 5 to 14 with 20 to 24. Document 7 is deleted.
func library(t testing.TB) map[string]string {
	t.Helper()
	mem := memfs.New()
	err := errors.Join(add(mem, "first", 0, 10), add(mem, "second", 10, 20), add(mem, "third", 5, 15), session(mem, func(w *writer.Writer) error {
		return errors.Join(w.Delete(context.Background(), []byte("d7")), w.Commit(context.Background()))
	}))
	if err != nil {
		t.Fatal(err)
	}
	return files(t, mem)
}

func libraryModel() model {
	m := model{}
	for i := range 20 {
		switch {
		case i == 7:
		case i >= 5 && i < 15:
			m[fmt.Sprintf("d%d", i)] = fmt.Sprintf("third %d", i)
		case i < 10:
			m[fmt.Sprintf("d%d", i)] = fmt.Sprintf("first %d", i)
		default:
			m[fmt.Sprintf("d%d", i)] = fmt.Sprintf("second %d", i)
		}
	}
	return m
}

// byPrefix returns the names that begin with prefix, in order.
func byPrefix(content map[string]string, prefix string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(content)), func(n string) bool { return !strings.HasPrefix(n, prefix) })
}

// rebuild repairs by rebuilding and returns what was chosen.
func rebuild(fsys store.FS) (r *indexdir.Recovery, err error) {
	d, _ := indexdir.OpenFS(fsys)
	defer d.Close()
	ctx := context.Background()
	err = d.Repair(ctx, sound, mending.Mend, func(inv *indexdir.Inventory) (*indexdir.Recovery, error) {
		r, err = d.Rebuild(ctx, inv)
		return r, err
	})
	return r, err
}

func dropped(r *indexdir.Recovery) (names []string) {
	for _, d := range r.Dropped {
		names = append(names, d.File)
	}
	return names
}

func TestRebuild(t *testing.T) {
	whole := library(t)
	segments, deletes := byPrefix(whole, "segment-"), byPrefix(whole, "deletes-")
	manifests := append(byPrefix(whole, "manifest-"), byPrefix(whole, "mirror-")...)
	if len(segments) != 3 || len(deletes) != 3 || len(manifests) != 2 {
		t.Fatalf("%q", slices.Sorted(maps.Keys(whole)))
	}
	lost := whole
	for _, m := range manifests {
		lost = with(lost, m, nil)
	}
	without := func(m model, keep func(i int) bool) model {
		out := model{}
		for i := range 20 {
			if id := fmt.Sprintf("d%d", i); m[id] != "" && keep(i) {
				out[id] = m[id]
			}
		}
		return out
	}
	all := libraryModel()
	undeleted := maps.Clone(all)
	undeleted["d7"] = "third 7"
	old := maps.Clone(all) // without the third segment, its documents are deleted in the others
	for i := 5; i < 15; i++ {
		delete(old, fmt.Sprintf("d%d", i))
	}
	older := without(old, func(i int) bool { return i >= 10 }) // and without the deletes of the first
	for i := range 10 {
		older[fmt.Sprintf("d%d", i)] = fmt.Sprintf("first %d", i)
	}
	cut := []byte(whole[segments[1]])[:1200]
	for what, c := range map[string]struct {
		content map[string]string
		want    model
		dropped []string
	}{
		"no manifest":          {lost, all, nil},
		"a damaged segment":    {with(lost, segments[0], lostIDs(t, whole[segments[0]])), without(all, func(i int) bool { return i >= 5 }), segments[:1]},
		"a cut segment":        {with(lost, segments[1], cut), without(all, func(i int) bool { return i < 15 }), segments[1:2]},
		"newest damaged":       {with(lost, segments[2], lostIDs(t, whole[segments[2]])), old, segments[2:]},
		"deletes of the last":  {with(lost, deletes[2], blotted(whole[deletes[2]], front(whole[deletes[2]])+4, 8)), undeleted, nil},
		"deletes of the first": {with(lost, deletes[0], nil), all, nil},
		"all deletes":          {with(with(with(lost, deletes[0], nil), deletes[1], nil), deletes[2], nil), undeleted, nil},
		"newest and deletes":   {with(with(lost, segments[2], nil), deletes[0], nil), older, nil},
		"a copy of a segment":  {with(lost, indexdir.SegmentName(90), []byte(whole[segments[0]])), all, segments[:1]},
		"not a segment at all": {with(lost, indexdir.SegmentName(91), []byte("hello")), all, []string{indexdir.SegmentName(91)}},
		"bits of all files": {with(with(with(lost, segments[0], flipped(whole[segments[0]], 1500)), segments[2], flipped(whole[segments[2]], 100)),
			deletes[2], flipped(whole[deletes[2]], front(whole[deletes[2]])+4)), all, nil},
		"fronts":                {with(with(lost, segments[0], blotted(whole[segments[0]], 0, front(whole[segments[0]]))), deletes[2], blotted(whole[deletes[2]], 0, front(whole[deletes[2]]))), all, nil},
		"last bytes":            {with(with(lost, segments[0], []byte(whole[segments[0]][:len(whole[segments[0]])-100])), deletes[2], blotted(whole[deletes[2]], len(whole[deletes[2]])-64, 64)), all, nil},
		"META":                  {with(with(lost, segments[0], lostMeta(t, whole[segments[0]])), segments[2], lostMeta(t, whole[segments[2]])), all, nil},
		"damaged manifests too": {with(with(whole, manifests[0], nil), manifests[1], []byte("PIN")), all, nil},
	} {
		mem := directory(t, c.content)
		r, err := rebuild(mem)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		got, err := contents(mem)
		if err != nil || !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", what, err, got, c.want)
		}
		if d := dropped(r); !slices.Equal(d, c.dropped) {
			t.Errorf("%s: dropped %q, want %q", what, d, c.dropped)
		}
		if err := nothingLost(t, mem, c.content); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if err := add(mem, "later", 100, 101); err != nil { // a writer goes on
			t.Errorf("%s: %v", what, err)
		}
	}
}

// nothingLost checks that every file of before is still there or in quarantine.
func nothingLost(t testing.TB, mem *memfs.FS, before map[string]string) error {
	now := files(t, mem)
	for name, c := range before {
		if now[name] == c || now[strings.TrimSuffix(name, ".tmp")] == c {
			continue
		}
		data, err := mem.Open(store.QuarantineName + "/" + name)
		if err != nil {
			return fmt.Errorf("%s is neither there nor in quarantine", name)
		}
		if b, _ := data.Range(0, data.Size()); !bytes.Equal(b, []byte(c)) {
			return fmt.Errorf("%s is other in quarantine", name)
		}
	}
	return nil
}

// The inputs of a merge beside its output, as a crash or a kept commit leaves them: one
// of the two enters.
func TestRebuildAfterMerge(t *testing.T) {
	before := library(t)
	mem := directory(t, before)
	ctx := context.Background()
	if err := session(mem, func(w *writer.Writer) error {
		_, err := w.Merge(ctx, writer.MergeOptions{})
		return errors.Join(err, w.Commit(ctx), w.Delete(ctx, []byte("d11")), w.Commit(ctx))
	}); err != nil {
		t.Fatal(err)
	}
	after := files(t, mem)
	merged := byPrefix(after, "segment-")
	both := maps.Clone(before)
	maps.Copy(both, after)
	for name := range both {
		if strings.Contains(name, "man") || strings.Contains(name, "mir") {
			delete(both, name)
		}
	}
	want := libraryModel()
	delete(want, "d11") // by the deletes file of the output
	for what, c := range map[string]struct {
		content map[string]string
		want    model
		dropped int
	}{
		"both":           {both, want, 3},
		"damaged output": {with(both, merged[0], lostIDs(t, both[merged[0]])), libraryModel(), 1},
	} {
		mem := directory(t, c.content)
		r, err := rebuild(mem)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got, err := contents(mem); err != nil || !maps.Equal(got, c.want) || len(r.Dropped) != c.dropped {
			t.Errorf("%s: %v, %v, dropped %v", what, err, got, r.Dropped)
		}
	}
}

// restore repairs by restoring the commit of a generation.
func restore(fsys store.FS, gen uint64) error {
	d, _ := indexdir.OpenFS(fsys)
	defer d.Close()
	return d.Repair(context.Background(), sound, mending.Mend, func(inv *indexdir.Inventory) (*indexdir.Recovery, error) {
		for _, r := range inv.Commits() {
			if r.Manifest.Generation == gen {
				return r, nil
			}
		}
		return nil, fs.ErrNotExist
	})
}

// A snapshot of this process holds the superseded commit that is restored. Its release must not
// remove what is the index again.
func TestRestoreCommitInUse(t *testing.T) {
	const gen = 5
	ctx := context.Background()
	mem := directory(t, library(t))
	d, _ := indexdir.OpenFS(mem)
	defer d.Close()
	snapshot, err := d.Latest()
	if err != nil {
		t.Fatal(err)
	}
	w, err := writer.OpenFS(ctx, mem, writer.Options{Schema: schema.Implicit("", "", true), Memory: writer.MinMemory})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Merge(ctx, writer.MergeOptions{MaxSegments: 1}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	if err := restore(mem, gen); err != nil {
		t.Fatal(err)
	}
	snapshot.Release()
	if got, err := contents(mem); err != nil || !maps.Equal(got, libraryModel()) {
		t.Errorf("%v, %v", err, got)
	}
}

func TestRestoreCommit(t *testing.T) {
	whole := library(t)
	manifest, mirror := byPrefix(whole, "manifest-")[0], byPrefix(whole, "mirror-")[0]
	segments := byPrefix(whole, "segment-")
	const gen = 5
	// One bit of each file is damaged.
	for _, at := range []int{0, 9, 33, 60, 70, 131, 200, 330} {
		c := with(with(whole, manifest, flipped(whole[manifest], at)), mirror, flipped(whole[mirror], at/2+1))
		mem := directory(t, c)
		if err := restore(mem, gen); err != nil {
			t.Fatalf("byte %d: %v", at, err)
		}
		if got, err := contents(mem); err != nil || !maps.Equal(got, libraryModel()) {
			t.Fatalf("byte %d: %v, %v", at, err, got)
		}
		if err := nothingLost(t, mem, c); err != nil {
			t.Errorf("byte %d: %v", at, err)
		}
	}
	// A bit of everything, and what other parts of a file know.
	c := with(whole, manifest, flipped(whole[manifest], 131))
	c = with(c, mirror, blotted(whole[mirror], 0, front(whole[mirror])))
	c = with(c, segments[1], blotted(whole[segments[1]], 0, 512))
	c = with(c, segments[2], flipped(whole[segments[2]], 1500))
	c = with(c, byPrefix(whole, "deletes-")[1], flipped(whole[byPrefix(whole, "deletes-")[1]], 131))
	mem := directory(t, c)
	if err := restore(mem, gen); err != nil {
		t.Fatal(err)
	}
	if got, err := contents(mem); err != nil || !maps.Equal(got, libraryModel()) {
		t.Fatalf("%v, %v", err, got)
	}
	if err := nothingLost(t, mem, c); err != nil {
		t.Error(err)
	}
	// What is damaged cannot be restored, and nothing changes.
	c = with(whole, segments[1], lostIDs(t, whole[segments[1]]))
	mem = directory(t, c)
	if err := restore(mem, gen); err == nil || !strings.Contains(err.Error(), segments[1]) {
		t.Errorf("a commit with a damaged segment: %v", err)
	}
	if !equal(files(t, mem), c) {
		t.Error("the files changed")
	}
	// An older commit that is kept: the newest was a mistake.
	ctx := context.Background()
	mem = directory(t, whole)
	w, err := writer.OpenFS(ctx, mem, writer.Options{Schema: schema.Implicit("", "", true), Memory: writer.MinMemory, KeepCommits: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Delete(ctx, []byte("d1")), w.Delete(ctx, []byte("d12")), w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	before := files(t, mem)
	if err := restore(mem, gen); err != nil {
		t.Fatal(err)
	}
	if got, err := contents(mem); err != nil || !maps.Equal(got, libraryModel()) {
		t.Errorf("an older commit: %v, %v", err, got)
	}
	if err := nothingLost(t, mem, before); err != nil {
		t.Error(err)
	}
}

// Numbers of files that came and went are not given out again after a repair.
func TestNumbersAfterRepair(t *testing.T) {
	for _, doRepair := range []func(fsys store.FS, gen uint64) error{
		restore,
		func(fsys store.FS, _ uint64) error { _, err := rebuild(fsys); return err },
	} {
		mem := directory(t, library(t))
		var before *indexdir.Manifest
		change(t, mem, func(l *indexdir.Lock) {
			num, f, err := l.CreateSegment()
			if err == nil {
				err = errors.Join(f.Close(), l.Discard(num))
			}
			before = l.Manifest()
			if err := errors.Join(err, l.Commit(before)); err != nil {
				t.Fatal(err)
			}
		})
		if err := doRepair(mem, before.Generation); err != nil {
			t.Fatal(err)
		}
		c := latest(t, mem)
		if c.NextFile < before.NextFile {
			t.Errorf("the next file is %d, before it was %d", c.NextFile, before.NextFile)
		}
		c.Release()
	}
}

// broken are directories to repair: how, and what then is there.
func broken(t testing.TB) map[string]struct {
	content map[string]string
	repair  func(store.FS) error
} {
	whole := library(t)
	lost := with(with(whole, byPrefix(whole, "manifest-")[0], nil), byPrefix(whole, "mirror-")[0], nil)
	deletes, segments := byPrefix(whole, "deletes-"), byPrefix(whole, "segment-")
	mended := with(with(lost, segments[1], blotted(whole[segments[1]], 0, 512)), deletes[2], flipped(whole[deletes[2]], front(whole[deletes[2]])+4))
	bits := with(with(whole, byPrefix(whole, "manifest-")[0], nil), byPrefix(whole, "mirror-")[0], flipped(whole[byPrefix(whole, "mirror-")[0]], 9))
	doRebuild := func(fsys store.FS) error { _, err := rebuild(fsys); return err }
	return map[string]struct {
		content map[string]string
		repair  func(store.FS) error
	}{
		"rebuild": {with(lost, deletes[0], nil), doRebuild},
		"mended":  {mended, doRebuild},
		"restore": {bits, func(fsys store.FS) error { return restore(fsys, 5) }},
	}
}

// A repair that crashes or fails at any operation loses nothing, and can be repeated.
func TestRepairAtEveryOperation(t *testing.T) {
	longtest.Once(t)
	for what, c := range broken(t) {
		for i, done := 0, false; !done; i++ {
			for mode := range 4 {
				mem := directory(t, c.content)
				mem.Inject(memfs.Fault{At: i, Err: errInjected, Sticky: mode < 3, Effect: mode == 1})
				ops := mem.Ops()
				err := c.repair(mem)
				done = done || mem.Ops()-ops <= i
				left := mem
				if mode < 3 {
					left = mem.CrashKeeping(rand.New(rand.NewPCG(uint64(i), uint64(mode))))
				}
				left.Heal()
				if e := nothingLost(t, left, c.content); e != nil {
					t.Fatalf("%s, operation %d, mode %d (%v): %v", what, i, mode, err, e)
				}
				got, e := contents(left)
				if e != nil {
					if e = c.repair(left); e == nil {
						got, e = contents(left)
					}
				}
				if e != nil || !maps.Equal(got, libraryModel()) {
					t.Fatalf("%s, operation %d, mode %d (%v): %v, %v", what, i, mode, err, e, got)
				}
				if e := add(left, "later", 100, 101); e != nil {
					t.Fatalf("%s, operation %d, mode %d (%v): %v", what, i, mode, err, e)
				}
				if e := nothingLost(t, left, withoutManifests(c.content)); e != nil {
					t.Fatalf("%s, operation %d, mode %d (%v), after a writer: %v", what, i, mode, err, e)
				}
			}
		}
	}
}

// withoutManifests returns the segments of content alone: no manifests, no deletions.
func withoutManifests(content map[string]string) map[string]string {
	c := maps.Clone(content)
	maps.DeleteFunc(c, func(name, _ string) bool { return !strings.HasPrefix(name, "segment-") })
	return c
}
