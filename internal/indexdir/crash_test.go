package indexdir_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/store"
)

var errInjected = errors.New("injected")

// buffer is a file in memory.
type buffer struct{ b []byte }

func (f *buffer) WriteAt(p []byte, off int64) (int, error) {
	if n := int(off) + len(p); n > len(f.b) {
		f.b = append(f.b, make([]byte, n-len(f.b))...)
	}
	return copy(f.b[off:], p), nil
}

// content returns the content of segment n of a workload: a container with id n, which
// is all that the store itself looks at.
func content(n int) []byte {
	var f buffer
	w := format.NewFileWriter(&f, format.KindSegment, format.ID{byte(n), byte(n >> 8)})
	w.Begin(format.SectionTerms, 0)
	w.Write(bytes.Repeat([]byte{byte(n), 0xA5, byte(n >> 8)}, 50+n))
	w.End()
	w.Finish()
	return f.b
}

func writeSegment(l *indexdir.Lock, n int) (indexdir.SegmentInfo, error) {
	num, f, err := l.CreateSegment()
	if err != nil {
		return indexdir.SegmentInfo{}, err
	}
	const chunk = 2500 // several writes
	c := content(n)
	for off := 0; off < len(c); off += chunk {
		if _, err := f.WriteAt(c[off:min(off+chunk, len(c))], int64(off)); err != nil {
			return indexdir.SegmentInfo{}, errors.Join(err, l.Discard(num))
		}
	}
	if n%2 == 0 { // others are synced by the commit
		if err := f.Sync(); err != nil {
			return indexdir.SegmentInfo{}, errors.Join(err, l.Discard(num))
		}
	}
	if err := f.Close(); err != nil {
		return indexdir.SegmentInfo{}, err
	}
	return indexdir.SegmentInfo{File: num, ID: format.ID{byte(n), byte(n >> 8)}, Docs: uint32(n + 10), Postings: uint64(n)}, nil
}

// workload creates an index, which is commit 1, and commits three times: a segment,
// another segment and deletes in the first, and a merge of both into a third. acked is
// the last commit that succeeded; keep is LockOptions.KeepCommits.
func workload(fsys store.FS, keep int, acked *uint64) error {
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
	*acked = 1
	commit := func(m *indexdir.Manifest) error {
		err := l.Commit(m)
		if err == nil {
			*acked = m.Generation
		}
		return err
	}
	m := l.Manifest()
	s, err := writeSegment(l, 1)
	if err != nil {
		return err
	}
	m.Segments = append(m.Segments, s)
	if err := commit(m); err != nil {
		return err
	}
	if s, err = writeSegment(l, 2); err != nil {
		return err
	}
	m.Segments = append(m.Segments, s)
	if err := l.WriteDeletes(&m.Segments[0], docset.BitsOf(3, 5)); err != nil {
		return err
	}
	if err := commit(m); err != nil {
		return err
	}
	if s, err = writeSegment(l, 3); err != nil {
		return err
	}
	m.Segments = []indexdir.SegmentInfo{s}
	return commit(m)
}

// checkWhole checks that the index is that of commit lo or hi, 0 meaning none,
// and that everything it names exists.
func checkWhole(fsys store.FS, lo, hi uint64) error {
	d, err := indexdir.OpenFS(fsys)
	if err != nil {
		return err
	}
	defer d.Close()
	c, err := d.Latest()
	if errors.Is(err, format.ErrNotAnIndex) && lo == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	defer c.Release()
	if c.Generation < lo || c.Generation > hi {
		return fmt.Errorf("generation %d, want %d to %d", c.Generation, lo, hi)
	}
	want := [][]int{1: {}, 2: {1}, 3: {1, 2}, 4: {3}}[c.Generation]
	if len(c.Segments) != len(want) {
		return fmt.Errorf("generation %d has %d segments", c.Generation, len(c.Segments))
	}
	for i := range c.Segments {
		data, err := d.OpenFile(indexdir.SegmentName(c.Segments[i].File))
		if err != nil {
			return err
		}
		b, err := data.Range(0, data.Size())
		if err != nil {
			return err
		}
		if !bytes.Equal(b, content(want[i])) {
			return fmt.Errorf("generation %d: segment %d has lost content", c.Generation, i)
		}
		data.Close()
		dels, err := c.Deletes(i)
		if err != nil {
			return err
		}
		if (dels != nil) != (c.Generation == 3 && i == 0) || dels != nil && !slices.Equal(slices.Collect(dels.All()), []uint32{3, 5}) {
			return fmt.Errorf("generation %d: deletes of segment %d: %v", c.Generation, i, dels)
		}
	}
	return nil
}

// checkTidy locks the index again and checks that only files of the newest commit
// are left.
func checkTidy(fsys store.FS) error {
	d, err := indexdir.OpenFS(fsys)
	if err != nil {
		return err
	}
	defer d.Close()
	l, err := d.LockWith(indexdir.LockOptions{KeepCommits: 1})
	if err != nil {
		return err
	}
	m := l.Manifest()
	if err := l.Close(); err != nil {
		return err
	}
	want := map[string]bool{indexdir.LockName: true, indexdir.ManifestName(m.Generation): true, indexdir.MirrorName(m.Generation): true}
	for _, f := range m.Files() {
		want[f] = true
	}
	names, err := fsys.List()
	for _, n := range names {
		if !want[n] {
			return fmt.Errorf("%s is left over", n)
		}
	}
	if len(names) != len(want) {
		return fmt.Errorf("%d files, want %d", len(names), len(want))
	}
	return err
}

func TestCrashAtEveryOperation(t *testing.T) {
	for i, done := 0, false; !done; i++ {
		for mode := range 10 {
			mem := memfs.New()
			mem.Inject(memfs.Fault{At: i, Err: errInjected, Sticky: true, Effect: mode%2 == 1})
			var acked uint64
			err := workload(mem, 1+mode%3, &acked)
			ops := mem.Ops()
			after := mem.Crash
			if mode > 1 {
				r := rand.New(rand.NewPCG(uint64(i), uint64(mode)))
				after = func() *memfs.FS { return mem.CrashKeeping(r) }
			}
			left := after()
			if e := checkWhole(left, acked, acked+1); e != nil {
				t.Fatalf("crash at operation %d, mode %d (%v), after commit %d: %v", i, mode, err, acked, e)
			}
			if e := checkTidy(left); e != nil {
				t.Fatalf("crash at operation %d, mode %d (%v): %v", i, mode, err, e)
			}
			// The effects of the clean-up must survive the next crash too.
			if e := checkWhole(left.Crash(), acked, acked+1); e != nil {
				t.Fatalf("second crash, first at operation %d, mode %d (%v): %v", i, mode, err, e)
			}
			done = done || i >= ops // the fault was never reached
		}
	}
}

// After one failing operation, without a crash, the next writer can continue from
// the index.
func TestFailAtEveryOperation(t *testing.T) {
	for i, done := 0, false; !done; i++ {
		for mode := range 4 { // of which the last two end the process
			mem := memfs.New()
			mem.Inject(memfs.Fault{At: i, Err: errInjected, Effect: mode%2 == 1, Sticky: mode > 1})
			var acked uint64
			err := workload(mem, 1+i%2, &acked)
			ops := mem.Ops()
			mem.Heal()
			if e := checkWhole(mem, acked, acked+1); e != nil {
				t.Fatalf("operation %d fails (%v), after commit %d: %v", i, err, acked, e)
			}
			if e := checkTidy(mem); e != nil {
				t.Fatalf("operation %d fails (%v): %v", i, err, e)
			}
			r := rand.New(rand.NewPCG(uint64(i), 1))
			if e := checkWhole(mem.CrashKeeping(r), acked, acked+1); e != nil {
				t.Fatalf("crash after the clean-up, operation %d fails (%v): %v", i, err, e)
			}
			done = done || i >= ops // the fault was never reached
		}
	}
}

func TestDiskFull(t *testing.T) {
	var acked uint64
	for capacity := int64(0); acked < 4; capacity += 2000 {
		mem := memfs.New()
		mem.SetCapacity(capacity)
		acked = 0
		if err := workload(mem, 1, &acked); err != nil && !errors.Is(err, memfs.ErrNoSpace) {
			t.Fatalf("capacity %d: %v", capacity, err)
		}
		if err := checkWhole(mem, acked, acked); err != nil {
			t.Fatalf("capacity %d, after commit %d: %v", capacity, acked, err)
		}
		if acked == 0 {
			mem.SetCapacity(-1) // locking creates the index
		}
		if err := checkTidy(mem); err != nil {
			t.Fatalf("capacity %d: %v", capacity, err)
		}
	}
}

// A commit that ran out of space can be repeated when there is space again.
func TestCommitAgain(t *testing.T) {
	mem := memfs.New()
	d, _ := indexdir.OpenFS(mem)
	defer d.Close()
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, err := writeSegment(l, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := l.Manifest()
	m.Segments = append(m.Segments, s)
	mem.SetCapacity(mem.Used() + 100)
	if err := l.Commit(m); !errors.Is(err, memfs.ErrNoSpace) || errors.Is(err, store.ErrUncertain) {
		t.Fatalf("commit on a full disk: %v", err)
	}
	mem.SetCapacity(-1)
	if err := l.Commit(m); err != nil {
		t.Fatal(err)
	}
	if err := checkWhole(mem, 2, 2); err != nil {
		t.Fatal(err)
	}
}

// After a commit of uncertain outcome only Close works, and files that the commit
// may need remain.
func TestUncertain(t *testing.T) {
	for at := range 3 { // two renames, the directory's sync
		mem := memfs.New()
		d, _ := indexdir.OpenFS(mem)
		l, err := d.Lock()
		if err != nil {
			t.Fatal(err)
		}
		s, err := writeSegment(l, 1)
		if err != nil {
			t.Fatal(err)
		}
		m := l.Manifest()
		m.Segments = append(m.Segments, s)
		if err := l.Commit(m); err != nil {
			t.Fatal(err)
		}
		s, err = writeSegment(l, 2)
		if err != nil {
			t.Fatal(err)
		}
		m.Segments = append(m.Segments, s)
		// A commit creates and writes two files, syncs them and the directory, renames
		// them, syncs the directory.
		mem.Inject(memfs.Fault{At: 7 + at, Err: errInjected, Effect: true})
		if err := l.Commit(m); !errors.Is(err, store.ErrUncertain) || !errors.Is(err, errInjected) {
			t.Fatalf("commit: %v", err)
		}
		if err := l.Commit(m); !errors.Is(err, store.ErrUncertain) {
			t.Fatalf("second commit: %v", err)
		}
		if _, _, err := l.CreateSegment(); !errors.Is(err, store.ErrUncertain) {
			t.Fatalf("create: %v", err)
		}
		if err := l.Discard(s.File); !errors.Is(err, store.ErrUncertain) {
			t.Fatalf("discard: %v", err)
		}
		if err := errors.Join(l.Close(), d.Close()); err != nil {
			t.Fatal(err)
		}
		d, _ = indexdir.OpenFS(mem)
		defer d.Close()
		c, err := d.Latest()
		if err != nil || c.Generation != 3 {
			t.Fatalf("latest: %v", err)
		}
		if data, err := d.OpenFile(indexdir.SegmentName(c.Segments[1].File)); err != nil {
			t.Fatal(err)
		} else if b, _ := data.Range(0, data.Size()); !bytes.Equal(b, content(2)) {
			t.Fatal("content lost")
		}
		c.Release()
	}
}

func TestTemp(t *testing.T) {
	for _, fsys := range []store.FS{memfs.New(), store.Dir(t.TempDir())} {
		d, _ := indexdir.OpenFS(fsys)
		l, err := d.Lock()
		if err != nil {
			t.Fatal(err)
		}
		tmp, err := l.CreateTemp()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(tmp, "hello ")
		fmt.Fprint(tmp, "spool")
		if err := l.Clean(); err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(io.NewSectionReader(tmp, 6, 100))
		if string(b) != "spool" || err != nil {
			t.Fatalf("%q, %v", b, err)
		}
		if err := errors.Join(tmp.Close(), l.Close(), d.Close()); err != nil {
			t.Fatal(err)
		}
		if names, _ := fsys.List(); len(names) != 3 {
			t.Fatalf("left over: %v", names)
		}
	}
	// The next writer removes a spool that a crash left behind.
	mem := memfs.New()
	if err := checkTidy(mem); err != nil {
		t.Fatal(err)
	}
	if _, err := mem.CreateTemp(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(mem.Sync(), checkTidy(mem)); err != nil {
		t.Fatal(err)
	}
}

func TestCommitRefuses(t *testing.T) {
	d, _ := indexdir.OpenFS(memfs.New())
	defer d.Close()
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	num, f, err := l.CreateSegment()
	if err != nil {
		t.Fatal(err)
	}
	m := l.Manifest()
	m.Segments = []indexdir.SegmentInfo{{File: num, Docs: 1}}
	step := func(what string, ok bool) {
		t.Helper()
		if err := l.Commit(m.Clone()); (err == nil) != ok {
			t.Fatalf("commit of a segment %s: %v", what, err)
		}
	}
	step("being written", false)
	f.Sync()
	step("not closed", false)
	f.Close()
	m.Segments[0].File = 99
	step("never written", false)
	if err := l.Discard(num); err != nil {
		t.Fatal(err)
	}
	if err := l.Discard(num); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("second discard: %v", err)
	}
	m.Segments[0].File = num
	step("discarded", false)
	num2, f, _ := l.CreateSegment()
	if num2 <= num {
		t.Fatal("file number used twice")
	}
	f.Sync()
	f.Close()
	m.Segments = []indexdir.SegmentInfo{{File: num2, Docs: 1}, {File: num2, Docs: 1}}
	step("named twice", false)
	m.Segments = m.Segments[:1]
	m.Segments[0].Deleted = 1
	step("with deletes but no file of them", false)
	m.Segments[0].Deleted = 0
	step("finished", true)
	l.Close()
	if err := l.Commit(m); !errors.Is(err, fs.ErrClosed) {
		t.Fatalf("commit after close: %v", err)
	}
}
