package indexdir

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/store"
)

var errStale = errors.New("another commit is the newest")

// variable is a register that is no directory: one value that is compared and swapped.
type variable struct {
	mu sync.Mutex
	m  *Manifest
	id CommitID
}

func (v *variable) Newest() (CommitID, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.id, nil
}

func (v *variable) Load() (*Manifest, CommitID, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.m == nil {
		return nil, CommitID{}, &format.Error{Kind: format.ErrNotAnIndex, Block: format.NoBlock, Offset: -1, Msg: "there is no commit"}
	}
	return v.m.Clone(), v.id, nil
}

func (v *variable) CompareAndSwap(old CommitID, m *Manifest, files []store.File, ready func() error) (CommitID, error) {
	for _, f := range files {
		if err := f.Sync(); err != nil {
			return CommitID{}, err
		}
	}
	if err := ready(); err != nil {
		return CommitID{}, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.id != old {
		return CommitID{}, errStale
	}
	id := NewID()
	v.m, v.id = m.Clone(), CommitID{generation: m.Generation}
	copy(v.id.head[:], id[:])
	return v.id, nil
}

// addSegment adds a segment without documents, of which only the header is right, to m.
func addSegment(t *testing.T, l *Lock, m *Manifest) {
	t.Helper()
	num, f, err := l.CreateSegment()
	if err != nil {
		t.Fatal(err)
	}
	id := NewID()
	if err := errors.Join(writeSection(f, format.KindSegment, id, format.SectionMeta, nil), f.Close()); err != nil {
		t.Fatal(err)
	}
	m.Segments = append(m.Segments, SegmentInfo{File: num, ID: id})
}

// Commits can be registered elsewhere than in the directory of their files: with a register
// that is a variable, the directory holds no manifests, and each Lock goes on from the
// variable, unless somebody else changed it.
func TestRegisterElsewhere(t *testing.T) {
	dir := store.Dir(t.TempDir())
	d, err := OpenFS(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	v := new(variable)
	d.commits = v
	if _, err := d.Latest(); !errors.Is(err, format.ErrNotAnIndex) {
		t.Fatalf("before the first commit: %v", err)
	}
	var files []string // of the newest commit
	for round := range 3 {
		l, err := d.Lock()
		if err != nil {
			t.Fatal(err)
		}
		m := l.Manifest()
		if !slices.Equal(m.Files(), files) {
			t.Fatalf("round %d: locked with %v, committed %v", round, m.Files(), files)
		}
		if round == 2 {
			m.Segments = m.Segments[1:]
		}
		addSegment(t, l, m)
		if err := l.Commit(m); err != nil {
			t.Fatal(err)
		}
		files = m.Files()
		c, err := d.Latest()
		if err != nil {
			t.Fatal(err)
		}
		if newest, err := d.Newest(); err != nil || newest != c.ID() || c.ID() != v.id || !slices.Equal(c.Files(), files) {
			t.Fatalf("round %d: newest is %v, %v; want %v with %v", round, newest, err, v.id, files)
		}
		c.Release()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		names, err := dir.List()
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(names)
		if want := append(slices.Clone(files), LockName); !slices.Equal(names, want) {
			t.Fatalf("round %d: the directory holds %v, want %v", round, names, want)
		}
	}

	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	other := CommitID{generation: v.id.generation + 1}
	v.id, other = other, v.id
	m := l.Manifest()
	addSegment(t, l, m)
	if err := l.Commit(m); !errors.Is(err, errStale) || errors.Is(err, store.ErrUncertain) {
		t.Fatalf("commit behind another one: %v", err)
	}
	v.id = other
	if err := l.Commit(m); err != nil {
		t.Fatalf("commit after one that failed: %v", err)
	}
}

// In a directory a commit follows the one that it was compared with.
func TestDirRegisterCompares(t *testing.T) {
	r := dirRegister{store.Dir(t.TempDir())}
	m := empty(nil)
	m.Generation, m.NextFile = 3, 1
	ready := func() error { return nil }
	if _, err := r.CompareAndSwap(CommitID{generation: 1}, m, nil, ready); !errors.Is(err, store.ErrInvalid) {
		t.Fatalf("commit 3 behind commit 1: %v", err)
	}
	id, err := r.CompareAndSwap(CommitID{generation: 2}, m, nil, ready)
	if err != nil {
		t.Fatal(err)
	}
	newest, err := r.Newest()
	if _, loaded, e := r.Load(); err != nil || e != nil || newest != id || loaded != id {
		t.Fatalf("committed %v; newest is %v, %v; loaded %v, %v", id, newest, err, loaded, e)
	}
}
