package indexdir_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
)

// published returns the newest publication.
func published(t *testing.T, d *indexdir.Dir) *indexdir.Commit {
	t.Helper()
	c, err := d.OpenPublished(func(*indexdir.Commit) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if c.Published == 0 || c.Published != d.Published() {
		t.Fatalf("publication %d, the newest is %d", c.Published, d.Published())
	}
	return c
}

// readable fails the test unless all files of c can be opened.
func readable(t *testing.T, d *indexdir.Dir, c *indexdir.Commit) {
	t.Helper()
	for _, f := range c.Files() {
		data, err := d.OpenFile(f)
		if err != nil {
			t.Fatal(err)
		}
		data.Close()
	}
}

func TestPublish(t *testing.T) {
	for name, fsys := range systems(t) {
		t.Run(name, func(t *testing.T) {
			d, _ := indexdir.OpenFS(fsys)
			other, _ := indexdir.OpenFS(memfs.Elsewhere(fsys))
			l, err := d.Lock()
			if err != nil {
				t.Fatal(err)
			}
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			newest := func(gen uint64) {
				t.Helper()
				if c, err := d.Latest(); err != nil || c.Generation != gen || c.Published != 0 {
					t.Fatalf("newest commit: %+v, %v", c, err)
				} else {
					c.Release()
				}
			}
			m := put(t, l, 1)
			must(l.Publish(m.Clone()))
			if n := d.Published(); n != 0 {
				t.Fatal("nothing new was published")
			}
			if _, err := d.OpenPublished(nil); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("no publication: %v", err)
			}

			// A segment and deletes, which other processes do not see.
			gen := m.Generation
			s, err := writeSegment(l, 2)
			must(err)
			m.Segments = append(m.Segments, s)
			must(l.WriteDeletes(&m.Segments[0], docset.BitsOf(3)))
			must(l.Publish(m))
			first := published(t, d)
			if len(first.Files()) != 3 || first.Generation != gen || other.Published() != 0 {
				t.Fatalf("%+v", first)
			}
			newest(gen)

			// More deletes, and another segment in place of the second: what the first
			// publication named goes with the last use of it.
			second, dels := m.Segments[1], m.Segments[0].DeletesFile
			s, err = writeSegment(l, 3)
			must(err)
			must(l.Discard(second.File))
			m.Segments[1] = s
			must(l.WriteDeletes(&m.Segments[0], docset.BitsOf(3, 4)))
			must(l.Publish(m))
			must(l.Publish(m.Clone()))
			c := published(t, d)
			if c.Published != first.Published+1 {
				t.Fatalf("publication %d after %d", c.Published, first.Published)
			}
			again := first.Retain()
			first.Release()
			readable(t, d, again)
			again.Release()
			if _, err := d.OpenFile(indexdir.DeletesName(dels)); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("superseded deletes: %v", err)
			}
			if _, err := d.OpenFile(indexdir.SegmentName(second.File)); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("superseded segment: %v", err)
			}

			// The commit names the same files.
			must(l.Commit(m))
			newest(gen + 1)
			if d.Published() != 0 {
				t.Fatal("a publication outlives the commit")
			}
			readable(t, d, c)
			c.Release()
			if c, err := other.Latest(); err != nil || len(c.Segments) != 2 {
				t.Fatal(err)
			} else {
				readable(t, other, c)
				c.Release()
			}

			// What is not committed goes with the lock and its last user.
			s, err = writeSegment(l, 4)
			must(err)
			m.Segments = append(m.Segments, s)
			must(l.Publish(m))
			c = published(t, d)
			must(l.Close())
			if d.Published() != 0 {
				t.Fatal("a publication outlives its lock")
			}
			newest(gen + 1)
			l, err = d.Lock()
			must(err)
			readable(t, d, c)
			num, f, err := l.CreateSegment()
			must(err)
			if num <= s.File {
				t.Fatalf("file number %d is given again", num)
			}
			must(f.Close())
			c.Release()
			if _, err := d.OpenFile(indexdir.SegmentName(s.File)); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("a file that was never committed: %v", err)
			}
			must(errors.Join(l.Close(), d.Close(), other.Close()))
		})
	}
}

func TestPublishRefuses(t *testing.T) {
	d, _ := indexdir.OpenFS(systems(t)["memory"])
	defer d.Close()
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	m := put(t, l, 1)
	num, f, err := l.CreateSegment()
	if err != nil {
		t.Fatal(err)
	}
	for what, s := range map[string]indexdir.SegmentInfo{"unknown": {File: num - 1 + 1<<20, Docs: 1}, "open": {File: num, Docs: 1}} {
		bad := m.Clone()
		bad.Segments = append(bad.Segments, s)
		if err := l.Publish(bad); err == nil || d.Published() != 0 {
			t.Errorf("%s file: %v", what, err)
		}
	}
	f.Close()
	l.Close()
	if err := l.Publish(m); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
