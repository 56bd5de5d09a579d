package indexdir_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/store"
)

// A file that could not be synced once is never committed: that a later sync succeeds does not mean
// that its content is durable.
func TestCommitAfterFailedSync(t *testing.T) {
	mem := memfs.New()
	d, _ := indexdir.OpenFS(mem)
	defer d.Close()
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m := l.Manifest()
	s, err := writeSegment(l, 1) // which the commit syncs
	if err != nil {
		t.Fatal(err)
	}
	m.Segments = []indexdir.SegmentInfo{s}
	name := indexdir.SegmentName(s.File)
	mem.Watch(func(op memfs.Op) {
		if op.Kind == "sync" && strings.HasPrefix(op.Name, name) {
			mem.Inject(memfs.Fault{Err: errInjected})
		}
	})
	if err := l.Commit(m); !errors.Is(err, errInjected) || errors.Is(err, store.ErrUncertain) {
		t.Fatal(err)
	}
	mem.Watch(nil)
	mem.Heal()
	if err := l.Commit(m); !errors.Is(err, errInjected) || !strings.Contains(err.Error(), name) {
		t.Errorf("a file that could not be synced is committed: %v", err)
	}
	if err := l.Discard(s.File); err != nil {
		t.Fatal(err)
	}
	if m.Segments[0], err = writeSegment(l, 1); err != nil {
		t.Fatal(err)
	}
	if err := l.Commit(m); err != nil {
		t.Fatal(err)
	}
	if err := checkWhole(mem.Crash(), 2, 2); err != nil {
		t.Error(err)
	}
}

// counting is a file system that counts the open files that it created.
type counting struct {
	store.FS
	open atomic.Int64
	fail error // of the next Sync, which syncs nevertheless
}

type countedFile struct {
	store.File
	fs *counting
}

func (c *counting) Create(name string) (store.File, error) {
	f, err := c.FS.Create(name)
	if err != nil {
		return nil, err
	}
	c.open.Add(1)
	return &countedFile{f, c}, nil
}

func (c *counting) Sync(files ...store.File) error {
	err := errors.Join(c.FS.Sync(files...), c.fail)
	c.fail = nil
	return err
}

func (f *countedFile) Close() error {
	f.fs.open.Add(-1)
	return f.File.Close()
}

// A commit fails after its segment was synced, because of the directory perhaps. The next one
// closes the segment.
func TestCommitClosesFiles(t *testing.T) {
	for name, mem := range systems(t) {
		t.Run(name, func(t *testing.T) {
			fsys := &counting{FS: mem}
			d, _ := indexdir.OpenFS(fsys)
			defer d.Close()
			l, err := d.Lock()
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			m := l.Manifest()
			s, err := writeSegment(l, 1)
			if err != nil {
				t.Fatal(err)
			}
			m.Segments = []indexdir.SegmentInfo{s}
			fsys.fail = errInjected
			if err := l.Commit(m); !errors.Is(err, errInjected) || errors.Is(err, store.ErrUncertain) {
				t.Fatal(err)
			}
			if err := l.Commit(m); err != nil {
				t.Fatal(err)
			}
			if n := fsys.open.Load(); n != 0 {
				t.Errorf("%d files are still open", n)
			}
		})
	}
}
