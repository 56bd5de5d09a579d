package reader_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// opened is what calls need. Everything in it was obtained before Close.
type opened struct {
	x     *reader.Index
	s     *reader.Snapshot
	seg   *reader.Segment
	entry segment.Entry
	lists iter.Seq2[reader.Posting, error]
}

// calls are all methods that read an index.
var calls = map[string]func(o *opened) error{
	"Index.Snapshot": func(o *opened) error {
		s, err := o.x.Snapshot()
		if err == nil {
			err = s.Close()
		}
		return err
	},
	"Index.Refresh":            func(o *opened) error { _, err := o.x.Refresh(context.Background()); return err },
	"Index.RefreshUncommitted": func(o *opened) error { _, err := o.x.RefreshUncommitted(context.Background()); return err },
	"Snapshot.Retain": func(o *opened) error {
		s, err := o.s.Retain()
		if err == nil {
			err = s.Close()
		}
		return err
	},
	"Snapshot.Err":      func(o *opened) error { return o.s.Err() },
	"Snapshot.ID":       func(o *opened) error { _, err := o.s.AppendID(nil, 7); return err },
	"Snapshot.Texts":    func(o *opened) error { _, _, err := o.s.AppendTexts(nil, nil, []uint32{7}); return err },
	"Snapshot.Values":   func(o *opened) error { _, _, err := o.s.AppendValues(nil, nil, []uint32{7}, nil); return err },
	"Snapshot.Stored":   func(o *opened) error { _, err := o.s.AppendStored(nil, 7); return err },
	"Snapshot.DocLen":   func(o *opened) error { _, err := o.s.DocLen(7); return err },
	"Snapshot.Deleted":  func(o *opened) error { _, err := o.s.Deleted(3001); return err },
	"Snapshot.FindID":   func(o *opened) error { _, _, err := o.s.FindID([]byte("x")); return err },
	"Snapshot.DF":       func(o *opened) error { _, err := o.s.DF([]byte("even")); return err },
	"Snapshot.Lookup":   func(o *opened) error { _, _, err := o.s.Lookup([]byte("even"), nil); return err },
	"Snapshot.Verify":   func(o *opened) error { return o.s.Verify(context.Background()) },
	"Snapshot.Postings": func(o *opened) error { return last(o.s.Postings([]byte("even"))) },
	"earlier Postings":  func(o *opened) error { return last(o.lists) },
	"Snapshot.Acquire": func(o *opened) (err error) {
		defer indexdir.CatchFault(indexdir.ArmFault(), &err)
		release, err := o.s.Acquire()
		if err != nil {
			return err
		}
		defer release()
		var l segment.List
		return errors.Join(o.seg.Views().Lists().Init(&l, o.entry), l.VerifyChecksum())
	},
	"Snapshot.Terms": func(o *opened) error {
		it := o.s.Terms([]byte("e"))
		for it.Next() {
		}
		it.SeekGE([]byte("a"))
		return it.Err()
	},
	"Segment.Terms":    func(o *opened) error { it := o.seg.Terms(nil); it.SeekGE([]byte("f")); return it.Err() },
	"Segment.Deletes":  func(o *opened) error { _, err := o.seg.Deletes(); return err },
	"Segment.Lookup":   func(o *opened) error { _, _, err := o.seg.Lookup([]byte("odd")); return err },
	"Segment.LiveDF":   func(o *opened) error { _, err := o.seg.LiveDF(o.entry); return err },
	"Segment.ID":       func(o *opened) error { _, err := o.seg.AppendID(nil, 5); return err },
	"Segment.FindID":   func(o *opened) error { _, _, err := o.seg.FindID([]byte("x")); return err },
	"Segment.EachID":   func(o *opened) error { return o.seg.EachID(func(uint32, []byte) error { return nil }) },
	"Segment.DocLen":   func(o *opened) error { _, err := o.seg.DocLen(5); return err },
	"Segment.Texts":    func(o *opened) error { _, _, err := o.seg.AppendTexts(nil, nil, []uint32{5}); return err },
	"Segment.Stored":   func(o *opened) error { _, err := o.seg.AppendStored(nil, 5); return err },
	"Segment.Postings": func(o *opened) error { return last(o.seg.Postings([]byte("odd"))) },
	"Segment.Cursor": func(o *opened) error {
		c, err := o.seg.Cursor([]byte("odd"))
		if err == nil {
			c.Close()
		}
		return err
	},
	"Cursor": func(o *opened) error {
		c := reader.NewCursor()
		defer c.Close()
		err := c.Init(o.seg, o.entry)
		for c.Doc() != reader.NoDoc {
			c.Shallow(c.Doc() + 300)
			c.BlockMax()
			c.Freq()
			c.NextGEQ(c.Doc() + 100)
			c.NextBlock()
		}
		return errors.Join(err, c.Err())
	},
}

func last(lists iter.Seq2[reader.Posting, error]) (err error) {
	for _, err = range lists {
	}
	return err
}

// counted counts the open files of a file system.
type counted struct {
	store.ReadFS
	open atomic.Int64
}

type countedData struct {
	store.Data
	fs   *counted
	once sync.Once
}

func (f *counted) Open(name string) (store.Data, error) {
	d, err := f.ReadFS.Open(name)
	if err != nil {
		return nil, err
	}
	f.open.Add(1)
	return &countedData{Data: d, fs: f}, nil
}

func (d *countedData) Mapped() []byte { return d.Data.(interface{ Mapped() []byte }).Mapped() }

func (d *countedData) Close() error {
	d.once.Do(func() { d.fs.open.Add(-1) })
	return d.Data.Close()
}

// mappedIndex opens a local index of two segments, one with deleted documents.
func mappedIndex(t *testing.T) (o *opened, files *counted) {
	t.Helper()
	dir := t.TempDir()
	writeTo(t, dir, twoLists(), &content{docs: 3, deleted: []uint32{1}})
	files = &counted{ReadFS: store.Dir(dir)}
	return openAgain(t, files), files
}

func openAgain(t *testing.T, files *counted) *opened {
	t.Helper()
	x, err := reader.Open(t.Context(), reader.FromStore(files), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	seg := s.Segments()[0]
	e, ok, err := seg.Lookup([]byte("even"))
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	return &opened{x, s, seg, e, s.Postings([]byte("odd"))}
}

func TestCallsAfterClose(t *testing.T) {
	for what, f := range calls {
		o, files := mappedIndex(t)
		if err := f(o); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if err := errors.Join(o.s.Close(), o.x.Close()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if n := files.open.Load(); n != 0 {
			t.Errorf("%s: %d files stay open", what, n)
		}
		if err := f(o); !errors.Is(err, reader.ErrClosed) {
			t.Errorf("%s after Close: %v", what, err)
		}
	}
}

// Every method may run while the snapshot and the index are closed: it succeeds or
// fails with ErrClosed, and the files are closed when the last call has returned.
func TestCallsBesideClose(t *testing.T) {
	const rounds = 5
	o, files := mappedIndex(t)
	for round := range rounds {
		var running sync.WaitGroup
		for what, f := range calls {
			running.Go(func() {
				for {
					if err := f(o); err != nil {
						if !errors.Is(err, reader.ErrClosed) {
							t.Errorf("%s: %v", what, err)
						}
						return
					}
					runtime.Gosched() // WebAssembly preempts nothing
				}
			})
		}
		time.Sleep(time.Duration(round%4) * 100 * time.Microsecond)
		var closing sync.WaitGroup
		closing.Go(func() { o.s.Close() })
		closing.Go(func() { o.x.Close() })
		closing.Wait()
		running.Wait()
		if n := files.open.Load(); n != 0 {
			t.Fatalf("%d files stay open", n)
		}
		o = openAgain(t, files)
	}
	o.s.Close()
	o.x.Close()
}

// A cursor and a running iteration keep the files of their segments open.
func TestUsesKeepFiles(t *testing.T) {
	for what, use := range map[string]func(o *opened, closing func()) (err error){
		"Cursor": func(o *opened, closing func()) error {
			c := reader.NewCursor()
			defer c.Close()
			if err := c.Init(o.seg, o.entry); err != nil {
				return err
			}
			docs, l := c.Docs(), c.List()
			closing()
			for i := range docs {
				if c.Doc() != uint32(2*i) {
					t.Fatalf("posting %d is document %d", i, c.Doc())
				}
				c.Next()
			}
			if c.Doc() != reader.NoDoc {
				t.Error("the cursor leaves the block it has decoded")
			}
			return errors.Join(l.VerifyChecksum(), c.Err())
		},
		"Postings": func(o *opened, closing func()) error {
			n := 0
			for _, err := range o.seg.Postings([]byte("even")) {
				if err != nil {
					return err
				}
				if n++; n == 10 {
					closing()
				}
			}
			if n != 1500 { // a single row
				t.Errorf("%d postings", n)
			}
			return o.s.Err()
		},
		"EachID": func(o *opened, closing func()) error {
			return o.seg.EachID(func(doc uint32, _ []byte) error {
				if doc == 10 {
					closing()
				}
				return nil
			})
		},
		"Acquire": func(o *opened, closing func()) error {
			release, err := o.s.Acquire()
			if err != nil {
				return err
			}
			defer release()
			closing()
			return errors.Join(o.seg.Views().Documents().EachID(func(uint32, []byte) error { return nil }), o.s.Err())
		},
	} {
		o, files := mappedIndex(t)
		err := use(o, func() {
			if err := errors.Join(o.s.Close(), o.x.Close()); err != nil {
				t.Error(err)
			}
			if files.open.Load() == 0 {
				t.Fatalf("%s: the file is closed under it", what)
			}
		})
		if !errors.Is(err, reader.ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
		if n := files.open.Load(); n != 0 {
			t.Errorf("%s: %d files stay open", what, n)
		}
	}
}

// Init for another snapshot releases the one before.
func TestCursorMovesToAnotherSnapshot(t *testing.T) {
	a, filesA := mappedIndex(t)
	b, filesB := mappedIndex(t)
	c := reader.NewCursor()
	if err := errors.Join(c.Init(a.seg, a.entry), a.s.Close(), a.x.Close(), c.Init(b.seg, b.entry)); err != nil {
		t.Fatal(err)
	}
	if filesA.open.Load() != 0 || filesB.open.Load() == 0 {
		t.Errorf("%d and %d files are open", filesA.open.Load(), filesB.open.Load())
	}
	if err := c.Init(a.seg, a.entry); !errors.Is(err, reader.ErrClosed) {
		t.Errorf("Init for a closed snapshot: %v", err)
	}
	if err := errors.Join(b.s.Close(), b.x.Close()); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if n := filesB.open.Load(); n != 0 {
		t.Errorf("%d files stay open", n)
	}
}
