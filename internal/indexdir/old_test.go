package indexdir_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/store"
)

// checkOld opens the commits 1 to 5: each that is there has all its files. It returns how
// many there are.
func checkOld(fsys store.FS) (n int, err error) {
	d, err := indexdir.OpenFS(fsys)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	for gen := uint64(1); gen <= 5; gen++ {
		c, err := d.At(gen)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return n, err
		}
		n++
		for _, f := range c.Files() {
			data, err := d.OpenFile(f)
			if err != nil {
				return n, fmt.Errorf("commit %d: %w", gen, err)
			}
			data.Close()
		}
		c.Release()
	}
	return n, nil
}

// lockKeeping locks the index for a writer that keeps commits, and lists them before and after.
func lockKeeping(fsys store.FS, keep int) (before, after int, err error) {
	if before, err = checkOld(fsys); err != nil {
		return before, 0, fmt.Errorf("before: %w", err)
	}
	d, err := indexdir.OpenFS(fsys)
	if err != nil {
		return before, 0, err
	}
	defer d.Close()
	l, err := d.LockWith(indexdir.LockOptions{KeepCommits: keep})
	if err != nil {
		return before, 0, err
	}
	if err := l.Close(); err != nil {
		return before, 0, err
	}
	if after, err = checkOld(fsys); err != nil {
		return before, after, fmt.Errorf("after: %w", err)
	}
	return before, after, nil
}

// A crash may leave the manifest of a superseded commit of which files are removed. It is not
// offered, and a writer that keeps commits keeps the whole ones, and removes what is left of it.
func TestHalfRemovedCommits(t *testing.T) {
	for i, done := 0, false; !done; i++ {
		for mode := range 8 {
			mem := memfs.New()
			mem.Inject(memfs.Fault{At: i, Err: errInjected, Sticky: true, Effect: mode%2 == 1})
			var acked uint64
			err := workload(mem, 1+mode/4, &acked)
			ops := mem.Ops()
			left := mem.CrashKeeping(rand.New(rand.NewPCG(uint64(i), uint64(mode))))
			before, after, e := lockKeeping(left, 5)
			if e != nil || after != max(before, 1) {
				t.Fatalf("crash at operation %d, mode %d (%v): %d commits, then %d: %v", i, mode, err, before, after, e)
			}
			if e := checkWhole(left, acked, acked+1); e != nil {
				t.Fatalf("crash at operation %d, mode %d: %v", i, mode, e)
			}
			names, _ := left.List()
			want := map[string]bool{indexdir.LockName: true}
			d, _ := indexdir.OpenFS(left)
			for gen := uint64(1); gen <= 5; gen++ {
				if c, err := d.At(gen); err == nil {
					for _, name := range append(c.Files(), indexdir.ManifestName(gen), indexdir.MirrorName(gen), "old-"+indexdir.ManifestName(gen), "old-"+indexdir.MirrorName(gen)) {
						want[name] = true
					}
					c.Release()
				}
			}
			d.Close()
			for _, name := range names {
				if !want[name] {
					t.Fatalf("crash at operation %d, mode %d: %s is left over", i, mode, name)
				}
			}
			done = done || i >= ops // the fault was never reached
		}
	}
}

// A snapshot of a superseded commit keeps its files. If the next writer keeps that commit, its
// files remain when the snapshot is released, too.
func TestReleaseOfKeptCommit(t *testing.T) {
	mem := memfs.New()
	d, _ := indexdir.OpenFS(mem)
	defer d.Close()
	add := func(keep, n int) {
		t.Helper()
		l, err := d.LockWith(indexdir.LockOptions{KeepCommits: keep})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		s, err := writeSegment(l, n)
		if err != nil {
			t.Fatal(err)
		}
		m := l.Manifest()
		m.Segments = []indexdir.SegmentInfo{s}
		if err := l.Commit(m); err != nil {
			t.Fatal(err)
		}
	}
	add(1, 1)
	snapshot, err := d.Latest()
	if err != nil {
		t.Fatal(err)
	}
	add(1, 2) // the snapshot holds what would be removed
	add(3, 3)
	snapshot.Release()
	if n, err := checkOld(mem); n != 3 || err != nil {
		t.Errorf("%d commits: %v", n, err)
	}
}

// A writer that cannot read something when it opens, for want of descriptors perhaps, fails or
// keeps every commit that it is to keep: an error of the system is no damage.
func TestKeptCommitsOutliveFailedOpens(t *testing.T) {
	for i, done := 0, false; !done; i++ {
		for _, files := range []int{1, 2, 4} { // which fail one after the other
			mem := memfs.New()
			var acked uint64
			if err := workload(mem, 5, &acked); err != nil {
				t.Fatal(err)
			}
			begun := mem.Ops()
			mem.Watch(func(op memfs.Op) {
				if n := mem.Ops() - begun; n >= i && n < i+files {
					mem.Inject(memfs.Fault{Err: errInjected})
				}
			})
			err := lockOnce(mem, 5)
			done = mem.Ops() <= begun+i
			mem.Watch(nil)
			mem.Heal()
			if e := lockOnce(mem, 5); e != nil {
				t.Fatal(e)
			}
			if n, e := checkOld(mem); n != 4 || e != nil {
				t.Errorf("%d operations fail from %d on (%v): %d commits are left of 4, %v", files, i, err, n, e)
			}
			names, e := mem.List()
			if e != nil || slices.Contains(names, store.QuarantineName) {
				t.Errorf("%d operations fail from %d on (%v): files are in quarantine, %v", files, i, err, e)
			}
		}
	}
}

// lockOnce locks the index for a writer that keeps commits.
func lockOnce(fsys store.FS, keep int) error {
	d, err := indexdir.OpenFS(fsys)
	if err != nil {
		return err
	}
	defer d.Close()
	l, err := d.LockWith(indexdir.LockOptions{KeepCommits: keep})
	if err != nil {
		return err
	}
	return l.Close()
}
