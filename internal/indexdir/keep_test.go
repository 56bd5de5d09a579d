package indexdir_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/store"
)

// history commits again and again, with all options drawn: how many commits are kept, which
// segments go and come, deletes, publications, snapshots that are held and released, locks
// that are closed and taken again. acked is the last commit that succeeded.
func history(r *rand.Rand, fsys store.FS, acked *uint64) error {
	d, err := indexdir.OpenFS(fsys)
	if err != nil {
		return err
	}
	defer d.Close()
	var held []*indexdir.Commit
	defer func() {
		for _, c := range held {
			c.Release()
		}
	}()
	written := 0
	for range 1 + r.IntN(3) {
		l, err := d.LockWith(indexdir.LockOptions{KeepCommits: r.IntN(5)})
		if err != nil {
			return err
		}
		err = func() error {
			*acked = l.Manifest().Generation
			for range 1 + r.IntN(5) {
				m := l.Manifest()
				if n := len(m.Segments); n > 0 && r.IntN(2) == 0 {
					m.Segments = slices.Delete(m.Segments, 0, 1+r.IntN(n))
				}
				s, err := writeSegment(l, written)
				if err != nil {
					return err
				}
				written++
				m.Segments = append(m.Segments, s)
				if s := &m.Segments[r.IntN(len(m.Segments))]; s.Deleted == 0 && r.IntN(3) == 0 {
					if err := l.WriteDeletes(s, docset.BitsOf(3)); err != nil {
						return err
					}
				}
				if r.IntN(4) == 0 {
					if err := l.Publish(m.Clone()); err != nil {
						return err
					}
				}
				if err := l.Commit(m); err != nil {
					return err
				}
				*acked = m.Generation
				if c, err := d.Latest(); err != nil {
					return err
				} else if r.IntN(2) == 0 {
					held = append(held, c)
				} else {
					c.Release()
				}
				if len(held) > 0 && r.IntN(3) == 0 {
					at := r.IntN(len(held))
					held[at].Release()
					held = slices.Delete(held, at, at+1)
				}
			}
			return nil
		}()
		if r.IntN(4) > 0 || err != nil {
			err = errors.Join(err, l.Close())
		} else {
			defer l.Close() // after the snapshots
			return err
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Whatever a crash leaves of a history, the next Lock accounts for every file: nothing goes
// to quarantine, and the commits that are kept open.
func TestCrashKeepsCommits(t *testing.T) {
	n := longtest.Count(400, 4000)
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 14))
		mem := memfs.New()
		at := r.IntN(150)
		mem.Inject(memfs.Fault{At: at, Err: errInjected, Sticky: true, Effect: r.IntN(2) == 0})
		var acked uint64
		err := history(r, mem, &acked)
		left := mem.CrashKeeping(r)
		if e := checkKept(left, r.IntN(5), acked); e != nil {
			t.Fatalf("seed %d, crash at operation %d (%v): %v", seed, at, err, e)
		}
		if e := checkTidy(left); e != nil {
			t.Fatalf("seed %d, crash at operation %d (%v): %v", seed, at, err, e)
		}
	}
}

// A Lock keeps as many commits as the newest one says, unless it is told otherwise.
func TestKeepRecorded(t *testing.T) {
	mem := memfs.New()
	d, err := indexdir.OpenFS(mem)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	written := 0
	commit := func(keep, times int, want ...uint64) {
		t.Helper()
		l, err := d.LockWith(indexdir.LockOptions{KeepCommits: keep})
		if err != nil {
			t.Fatal(err)
		}
		for range times {
			s, err := writeSegment(l, written)
			if err != nil {
				t.Fatal(err)
			}
			written++
			m := l.Manifest()
			m.Segments = []indexdir.SegmentInfo{s}
			if err := l.Commit(m); err != nil {
				t.Fatal(err)
			}
		}
		if got := l.KeepCommits(); got != len(want) {
			t.Errorf("KeepCommits is %d, want %d", got, len(want))
		}
		newest := l.Manifest().Generation
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for g := range newest {
			if c, err := d.At(g + 1); err == nil {
				got = append(got, g+1)
				c.Release()
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("commits %v are there, want %v", got, want)
		}
	}
	commit(0, 2, 3)
	commit(3, 3, 4, 5, 6)
	commit(0, 0, 4, 5, 6)
	commit(0, 2, 6, 7, 8)
	commit(2, 0, 7, 8)
	commit(2, 1, 8, 9)
	commit(0, 1, 9, 10)
	commit(1, 0, 10)
}

// checkKept locks the index so that it keeps some commits, and checks that the newest is
// there, that what is kept opens whole, and that nothing went to quarantine.
func checkKept(fsys store.FS, keep int, acked uint64) error {
	d, err := indexdir.OpenFS(fsys)
	if err != nil {
		return err
	}
	defer d.Close()
	l, err := d.LockWith(indexdir.LockOptions{KeepCommits: keep})
	if err != nil {
		return err
	}
	defer l.Close()
	if g := l.Manifest().Generation; g < acked {
		return fmt.Errorf("generation %d, %d is lost", g, acked)
	}
	if names, err := fsys.List(); err != nil || slices.Contains(names, store.QuarantineName) {
		return fmt.Errorf("files are in quarantine: %v, %v", names, err)
	}
	whole := 0
	for g := l.Manifest().Generation; g > 0; g-- {
		c, err := d.At(g)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		whole++
		for _, f := range c.Files() {
			data, err := d.OpenFile(f)
			if err != nil {
				return fmt.Errorf("commit %d: %w", g, err)
			}
			data.Close()
		}
		c.Release()
	}
	if whole > l.KeepCommits() {
		return fmt.Errorf("%d commits are there, %d are to be kept", whole, l.KeepCommits())
	}
	return nil
}
