package reader_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
)

// copyOf returns the files of an index as an fs.FS.
func copyOf(t testing.TB, fsys store.FS) fstest.MapFS {
	t.Helper()
	names, err := fsys.List()
	if err != nil {
		t.Fatal(err)
	}
	m := fstest.MapFS{}
	for _, n := range names {
		d, err := fsys.Open(n)
		if err != nil {
			t.Fatal(err)
		}
		b, err := d.Range(0, d.Size())
		if err != nil {
			t.Fatal(err)
		}
		m[n] = &fstest.MapFile{Data: bytes.Clone(b)}
		d.Close()
	}
	return m
}

// dump writes all content of a snapshot.
func dump(t testing.TB, s *reader.Snapshot) string {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintln(&b, s.Stats())
	terms := s.Terms(nil)
	for terms.Next() {
		fmt.Fprintln(&b, string(terms.Term()), terms.DF())
		for p, err := range s.Postings(terms.Term()) {
			if err != nil {
				t.Error(err)
			}
			fmt.Fprint(&b, p.Doc, ":", p.Freq, " ")
		}
	}
	if terms.Err() != nil {
		t.Error(terms.Err())
	}
	for doc := range uint32(s.Stats().Docs) {
		id, err1 := s.AppendID(nil, doc)
		tx, err2 := s.AppendStored(nil, doc)
		n, err3 := s.DocLen(doc)
		found, ok, err4 := s.FindID(id)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			t.Error(err)
		}
		fmt.Fprintln(&b, string(id), string(tx), n, found, ok)
	}
	return b.String()
}

// An index read through an io.ReaderAt reads the same, with caches of any size
// and from many goroutines.
func TestReadOnDemand(t *testing.T) {
	big := three()
	big = append(big, &content{docs: 1000, stored: true, lists: map[string]postings{
		"x": {seq(1000), ones(1000)}, "y": {seq(500), ones(500)}}, id: func(d uint32) string { return fmt.Sprint("big", d) }})
	mem := memfs.New()
	commit(t, mem, big...)
	x, err := reader.Open(t.Context(), reader.FromStore(mem), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, _ := x.Snapshot()
	defer s.Close()
	want := dump(t, s)
	files := copyOf(t, mem)
	for _, size := range []int64{-1, 0, 1 << 18, 1 << 30} {
		x, err := reader.Open(t.Context(), reader.FromFS(files), reader.Options{CacheSize: max(size, 0), NoCache: size < 0})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				s, err := x.Snapshot()
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				if size != -1 && size != 1<<18 {
					s.FindID([]byte("big7")) // in another order
				}
				if dump(t, s) != want {
					t.Errorf("cache of %d bytes: another index", size)
				}
			})
		}
		wg.Wait()
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// counting is a Source that counts reads and open files and can cut them short.
type counting struct {
	files  map[string]func() (io.ReaderAt, int64)
	reads  atomic.Int64
	bytes  atomic.Int64
	opened atomic.Int64
	short  atomic.Bool
}

type countedFile struct {
	io.ReaderAt
	c *counting
}

func (c *counting) List() ([]string, error) { return slices.Collect(maps.Keys(c.files)), nil }

func (c *counting) Open(name string) (io.ReaderAt, int64, error) {
	f := c.files[name]
	if f == nil {
		return nil, 0, fs.ErrNotExist
	}
	c.opened.Add(1)
	r, n := f()
	return &countedFile{r, c}, n, nil
}

func (f *countedFile) ReadAt(p []byte, off int64) (int, error) {
	f.c.reads.Add(1)
	f.c.bytes.Add(int64(len(p)))
	if f.c.short.Load() {
		n, _ := f.ReaderAt.ReadAt(p[:len(p)/2], off)
		return n, io.EOF
	}
	return f.ReaderAt.ReadAt(p, off)
}

func (f *countedFile) Close() error {
	f.c.opened.Add(-1)
	return nil
}

func countingOf(files fstest.MapFS) *counting {
	c := &counting{files: map[string]func() (io.ReaderAt, int64){}}
	for n, f := range files {
		c.files[n] = func() (io.ReaderAt, int64) { return bytes.NewReader(f.Data), int64(len(f.Data)) }
	}
	return c
}

func TestReaderAtErrors(t *testing.T) {
	mem := memfs.New()
	commit(t, mem, three()...)
	c := countingOf(copyOf(t, mem))
	c.short.Store(true)
	if _, err := reader.Open(t.Context(), c, reader.Options{}); !errors.Is(err, format.ErrCorrupt) {
		t.Errorf("short reads: %v", err)
	}
	c.short.Store(false)
	x, err := reader.Open(t.Context(), c, reader.Options{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	s, _ := x.Snapshot()
	c.short.Store(true)
	if _, err := s.DF([]byte("bee")); !errors.Is(err, format.ErrCorrupt) {
		t.Errorf("short reads later: %v", err)
	}
	for p, err := range s.Postings([]byte("bee")) {
		if !errors.Is(err, format.ErrCorrupt) || p != (reader.Posting{Doc: reader.NoDoc}) {
			t.Errorf("short reads later: %v, %v", p, err)
		}
	}
	c.short.Store(false)
	if df, err := s.DF([]byte("bee")); df != 299 || err != nil {
		t.Errorf("an error sticks: %d, %v", df, err)
	}
	s.Close()
	x.Close()
	if n := c.opened.Load(); n != 0 {
		t.Errorf("%d files are still open", n)
	}
	var list []string
	for n := range c.files {
		list = append(list, n)
	}
	for _, n := range list { // one file missing at a time
		f := c.files[n]
		delete(c.files, n)
		_, err := reader.Open(t.Context(), c, reader.Options{})
		if whole := !strings.HasPrefix(n, "segment-") && !strings.HasPrefix(n, "deletes-"); whole != (err == nil) || !whole && !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("without %s: %v", n, err)
		}
		c.files[n] = f
	}
}

// A file whose length is impossible is an error, and is closed.
func TestReaderAtImpossibleLength(t *testing.T) {
	for _, n := range []int64{-1, format.MaxFileSize + 1} {
		c := &counting{files: map[string]func() (io.ReaderAt, int64){
			"manifest-000000000001.pin": func() (io.ReaderAt, int64) { return strings.NewReader(""), n }}}
		if _, err := reader.Open(t.Context(), c, reader.Options{}); !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("length %d: %v", n, err)
		}
		if n := c.opened.Load(); n != 0 {
			t.Errorf("%d files are still open", n)
		}
	}
}

// What Open reads does not depend on the size of the index.
func TestOpenReadsConstant(t *testing.T) {
	read := func(docs uint32) (reads, bytes int64) {
		c := sparse(t, docs)
		x, err := reader.Open(t.Context(), c, reader.Options{NoCache: true})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		return c.reads.Load(), c.bytes.Load()
	}
	r1, b1 := read(1 << 16)
	r2, b2 := read(1 << 30)
	if r1 != r2 || max(b1, b2) > 6*64<<10 { // the last unit of a file may be more or less full
		t.Errorf("%d reads of %d bytes for the small index, %d of %d for the large", r1, b1, r2, b2)
	}
}

// A Source without an index is said to have none; a cache of a size below 0 is refused.
func TestOpenNothing(t *testing.T) {
	if _, err := reader.Open(t.Context(), reader.FromFS(fstest.MapFS{}), reader.Options{}); !errors.Is(err, format.ErrNotAnIndex) {
		t.Errorf("no index: %v", err)
	}
	for _, o := range []reader.Options{{CacheSize: -1}, {CacheSize: 1, NoCache: true}} {
		if _, err := reader.Open(t.Context(), reader.FromFS(fstest.MapFS{}), o); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
