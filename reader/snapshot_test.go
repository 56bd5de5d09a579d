package reader_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
)

// three is an index of three segments. Nothing is deleted in the middle one.
func three() []*content {
	return []*content{
		{docs: 5, stored: true, deleted: []uint32{0, 3}, id: func(d uint32) string { return fmt.Sprintf("a%d", d) },
			lists: map[string]postings{"apple": {[]uint32{0, 1, 3}, []uint32{1, 2, 3}}, "apply": {[]uint32{4}, []uint32{7}}, "zoo": {[]uint32{0}, []uint32{1}}}},
		{docs: 2, stored: true, id: func(d uint32) string { return fmt.Sprintf("b%d", d) },
			lists: map[string]postings{"apple": {[]uint32{0}, []uint32{9}}, "app": {[]uint32{1}, []uint32{1}}}},
		{docs: 300, stored: true, deleted: []uint32{299}, id: func(d uint32) string {
			return []string{"a0", "a3", "c"}[min(d, 2)] + strings.Repeat("x", int(max(d, 2)-2))
		},
			lists: map[string]postings{"bee": {seq(300), ones(300)}, "zoo": {[]uint32{2}, []uint32{2}}}},
	}
}

func seq(n int) []uint32 {
	s := make([]uint32, n)
	for i := range s {
		s[i] = uint32(i)
	}
	return s
}

func TestSnapshot(t *testing.T) {
	s := open(t, three()...)
	if st := s.Stats(); st != (reader.Stats{Segments: 3, Docs: 307, Live: 304, Postings: 308, Tokens: 326, LiveTokens: 320, MaxLen: 9}) || st.AvgLen() != 320.0/304 {
		t.Errorf("stats %+v", st)
	}
	if a, o := s.Analyzer(); a != "simple" || o != "" || s.Generation() != 2 || !s.HasStored() {
		t.Errorf("analyzer %q %q, generation %d", a, o, s.Generation())
	}
	for _, want := range []struct {
		doc, seg, local uint32
		ok              bool
	}{{0, 0, 0, true}, {4, 0, 4, true}, {5, 1, 0, true}, {6, 1, 1, true}, {7, 2, 0, true}, {306, 2, 299, true}, {307, 0, 0, false}, {reader.NoDoc, 0, 0, false}} {
		seg, local, ok := s.Locate(want.doc)
		if ok != want.ok || ok && (seg.Ord() != int(want.seg) || local != want.local) {
			t.Errorf("document %d: %d, %v", want.doc, local, ok)
		}
	}
	for id, want := range map[string]int{"a0": 7, "a3": 8, "a1": 1, "b1": 6, "c": 9, "cx": 10, "none": -1, "": -1, "c" + strings.Repeat("x", 297): -1} {
		if doc, ok, err := s.FindID([]byte(id)); err != nil || ok != (want >= 0) || ok && int(doc) != want {
			t.Errorf("FindID(%q) = %d, %v, %v", id, doc, ok, err)
		}
	}
	for doc, want := range map[uint32]string{0: "a0", 6: "b1", 9: "c"} {
		if id, err := s.AppendID(nil, doc); string(id) != want || err != nil {
			t.Errorf("ID(%d) = %q, %v", doc, id, err)
		}
	}
	if b, err := s.AppendStored(nil, 6); string(b) != text(1) || err != nil {
		t.Errorf("stored %q, %v", b, err)
	}
	if n, err := s.DocLen(4); n != 7 || err != nil {
		t.Errorf("DocLen %d, %v", n, err)
	}
	for doc, want := range map[uint32]bool{0: true, 1: false, 3: true, 5: false, 306: true, 305: false} {
		if got, err := s.Deleted(doc); got != want || err != nil {
			t.Errorf("Deleted(%d) = %v, %v", doc, got, err)
		}
	}
	if d, err := s.Segments()[0].Deletes(); err != nil || d.Count() != 2 || d.Bits()[0] != 0b1001 || d.Has(1<<31) {
		t.Errorf("deletes %v, %v", d, err)
	}
	if d, err := s.Segments()[1].Deletes(); err != nil || d != nil || d.Has(0) || d.Count() != 0 || d.Bits() != nil {
		t.Errorf("no deletes: %v, %v", d, err)
	}
	for term, want := range map[string]uint64{"apple": 2, "zoo": 1, "bee": 299, "none": 0} {
		df, entries, err := s.Lookup([]byte(term), nil)
		df2, err2 := s.DF([]byte(term))
		if df != want || df2 != want || err != nil || err2 != nil {
			t.Errorf("df of %q: %d, %d, want %d", term, df, df2, want)
		}
		for _, e := range entries {
			if _, err := s.Segments()[e.Segment].Views().Lists().List(e.Entry); err != nil {
				t.Error(err)
			}
		}
	}
	var got []string
	for p, err := range s.Postings([]byte("apple")) {
		got = append(got, fmt.Sprint(p.Doc, p.Freq, err))
	}
	if !slices.Equal(got, []string{"1 2 <nil>", "5 9 <nil>"}) {
		t.Errorf("postings %q", got)
	}
	n := 0
	for range s.Postings([]byte("bee")) {
		if n++; n == 10 {
			break
		}
	}
	if n != 10 {
		t.Errorf("%d postings before the break", n)
	}
	for range s.Postings([]byte("none")) {
		t.Error("a posting of a term that is not there")
	}
	for _, f := range []func(uint32) error{
		func(d uint32) error { _, err := s.AppendID(nil, d); return err },
		func(d uint32) error { _, err := s.AppendStored(nil, d); return err },
		func(d uint32) error { _, err := s.DocLen(d); return err },
		func(d uint32) error { _, err := s.Deleted(d); return err },
	} {
		if f(306) != nil || f(307) == nil {
			t.Error("a document that does not exist is found, or one that does is not")
		}
	}
}

func TestTerms(t *testing.T) {
	s := open(t, three()...)
	walk := func(prefix string) (out []string) {
		it := s.Terms([]byte(prefix))
		for it.Next() {
			segs := ""
			for _, e := range it.Entries() {
				segs += fmt.Sprint(e.Segment)
			}
			out = append(out, fmt.Sprintf("%s %d %s", it.Term(), it.DF(), segs))
		}
		if it.Err() != nil || it.Next() {
			t.Errorf("prefix %q: %v", prefix, it.Err())
		}
		return out
	}
	for prefix, want := range map[string][]string{
		"":     {"app 1 1", "apple 4 01", "apply 1 0", "bee 300 2", "zoo 2 02"},
		"appl": {"apple 4 01", "apply 1 0"},
		"z":    {"zoo 2 02"},
		"y":    nil,
	} {
		if got := walk(prefix); !slices.Equal(got, want) {
			t.Errorf("prefix %q: %q", prefix, got)
		}
	}
	if got := open(t).Terms(nil); got.Next() || got.Err() != nil {
		t.Error("an index without segments has terms")
	}
}

func TestTermsSeek(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dfs := map[string]uint64{}
		var contents []*content
		for range rapid.IntRange(1, 4).Draw(rt, "segments") {
			c := &content{docs: 3, lists: map[string]postings{}}
			for _, term := range rapid.SliceOfN(rapid.StringMatching("[abc]{1,4}"), 0, 80).Draw(rt, "terms") {
				if _, twice := c.lists[term]; !twice {
					c.lists[term] = postings{[]uint32{1}, ones(1)}
					dfs[term]++
				}
			}
			contents = append(contents, c)
		}
		var all []string
		for term := range dfs {
			all = append(all, term)
		}
		slices.Sort(all)
		s := open(t, contents...)
		prefix := rapid.StringMatching("[abc]{0,2}").Draw(rt, "prefix")
		all = slices.DeleteFunc(all, func(t string) bool { return !strings.HasPrefix(t, prefix) })
		it := s.Terms([]byte(prefix))
		pos := -1
		for range 20 {
			var ok bool
			if rapid.Bool().Draw(rt, "seek") {
				target := rapid.StringMatching("[abc]{0,4}").Draw(rt, "target")
				ok = it.SeekGE([]byte(target))
				pos, _ = slices.BinarySearch(all, target)
			} else {
				ok = it.Next()
				pos = min(pos+1, len(all))
			}
			if ok != (pos < len(all)) || it.Err() != nil {
				rt.Fatalf("%v at %d of %d: %v", ok, pos, len(all), it.Err())
			}
			if ok && (string(it.Term()) != all[pos] || it.DF() != dfs[all[pos]]) {
				rt.Fatalf("%q (%d), want %q (%d)", it.Term(), it.DF(), all[pos], dfs[all[pos]])
			}
			if !ok {
				pos = len(all)
			}
		}
	})
}

// Snapshots do not change while commits come and go.
func TestRefresh(t *testing.T) {
	fsys := memfs.New()
	commit(t, fsys, three()[0])
	x, err := reader.Open(t.Context(), reader.FromStore(fsys), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	old, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := x.Refresh(t.Context()); changed || err != nil {
		t.Fatalf("refresh without a commit: %v, %v", changed, err)
	}
	commit(t, fsys, three()[1:]...)
	if s, _ := x.Snapshot(); s.Generation() != 2 || s.Close() != nil {
		t.Fatal("newer snapshot before Refresh")
	}
	if changed, err := x.Refresh(t.Context()); !changed || err != nil {
		t.Fatalf("refresh: %v, %v", changed, err)
	}
	now, _ := x.Snapshot()
	again, err := old.Retain()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(old.Close(), old.Close(), x.Close(), x.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Snapshot(); !errors.Is(err, reader.ErrClosed) {
		t.Errorf("snapshot after close: %v", err)
	}
	if _, err := x.Refresh(t.Context()); !errors.Is(err, reader.ErrClosed) {
		t.Errorf("refresh after close: %v", err)
	}
	if _, err := old.Retain(); !errors.Is(err, reader.ErrClosed) {
		t.Errorf("retain after close: %v", err)
	}
	if _, err := old.DF([]byte("apple")); !errors.Is(err, reader.ErrClosed) {
		t.Errorf("use after close: %v", err)
	}
	for s, want := range map[*reader.Snapshot]uint64{again: 0, now: 1} {
		if df, err := s.DF([]byte("app")); df != want || err != nil {
			t.Errorf("df %d, %v", df, err)
		}
		if _, err := s.Segments()[0].Deletes(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	names, _ := fsys.List()
	if slices.Contains(names, indexdir.SegmentName(1)) || !slices.Contains(names, indexdir.SegmentName(3)) {
		t.Errorf("files at the end: %q", names)
	}
}

// Readers, refreshes and a writer run at once. Every answer belongs to the commit
// of its snapshot. The race detector runs this too.
func TestConcurrent(t *testing.T) {
	longtest.NoEmulator(t, "takes long")
	for name, fsys := range map[string]store.FS{"memory": memfs.New(), "os": store.Dir(t.TempDir())} {
		t.Run(name, func(t *testing.T) {
			if noWriters && name == "os" {
				t.Skip("local directories cannot be locked")
			}
			// Commit g has documents with frequencies g, and 200+g of them.
			numbered := func(g int) *content {
				p := postings{docs: seq(200 + g)}
				for range p.docs {
					p.freqs = append(p.freqs, uint32(g))
				}
				return &content{docs: uint32(200 + g), deleted: []uint32{uint32(g)}, lists: map[string]postings{"x": p}}
			}
			commit(t, fsys, numbered(1))
			x, err := reader.Open(t.Context(), reader.FromStore(fsys), reader.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var done atomic.Bool
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					for !done.Load() {
						if _, err := x.Refresh(t.Context()); err != nil {
							t.Error(err)
						}
						s, err := x.Snapshot()
						if err != nil {
							t.Error(err)
							return
						}
						g, n := uint32(s.Generation()-1), uint32(0)
						for p, err := range s.Postings([]byte("x")) {
							if p.Freq != g || p.Doc == g || err != nil {
								t.Errorf("commit %d: document %d has frequency %d: %v", g, p.Doc, p.Freq, err)
							}
							n++
						}
						if n != 199+g {
							t.Errorf("commit %d: %d postings", g, n)
						}
						if id, err := s.AppendID(nil, 7); string(id) != "doc-7" || err != nil {
							t.Errorf("id %q, %v", id, err)
						}
						s.Close()
					}
				})
			}
			commits := 30
			if testing.Short() {
				commits = 10
			}
			for g := 2; g < commits; g++ {
				commit(t, fsys, numbered(g))
			}
			done.Store(true)
			wg.Wait()
			if err := x.Close(); err != nil {
				t.Error(err)
			}
			d, _ := indexdir.OpenFS(fsys)
			l, err := d.Lock() // notes that the files are gone
			if err != nil {
				t.Fatal(err)
			}
			if names, _ := fsys.List(); len(names) != 5 {
				t.Errorf("left over: %q", names)
			}
			if err := errors.Join(l.Close(), d.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// spoil changes a bit of the first section of a file.
func spoil(b []byte) []byte {
	h, err := format.ParseFile("", b)
	if err != nil {
		panic(err)
	}
	b[h.FrontSize()+5] ^= 1
	return b
}

// tamper rewrites a file of the index.
func tamper(t *testing.T, fsys *memfs.FS, name string, change func(b []byte) []byte) {
	t.Helper()
	d, err := fsys.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := d.Range(0, d.Size())
	b = change(bytes.Clone(b))
	fsys.Remove(name)
	f, err := fsys.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteAt(b, 0)
}

func TestOpenErrors(t *testing.T) {
	ctx := context.Background()
	seg, dels := indexdir.SegmentName(1), indexdir.DeletesName(2)
	for what, c := range map[string]struct {
		kind   error
		verify bool
		change func(*memfs.FS)
	}{
		"no manifest": {format.ErrCorrupt, false, func(f *memfs.FS) {
			f.Remove(indexdir.ManifestName(2))
			f.Remove(indexdir.MirrorName(2))
		}},
		"missing segment":   {format.ErrCorrupt, false, func(f *memfs.FS) { f.Remove(seg) }},
		"missing deletes":   {format.ErrCorrupt, false, func(f *memfs.FS) { f.Remove(dels) }},
		"truncated segment": {format.ErrCorrupt, false, func(f *memfs.FS) { tamper(t, f, seg, func(b []byte) []byte { return b[:len(b)-1] }) }},
		"empty segment":     {format.ErrNotAnIndex, false, func(f *memfs.FS) { tamper(t, f, seg, func(b []byte) []byte { return nil }) }},
		"newer segment":     {format.ErrTooNew, false, func(f *memfs.FS) { tamper(t, f, seg, func(b []byte) []byte { b[8]++; return b }) }},
		"newer manifest": {format.ErrTooNew, false, func(f *memfs.FS) {
			for _, name := range []string{indexdir.ManifestName(2), indexdir.MirrorName(2)} {
				tamper(t, f, name, func(b []byte) []byte { b[8]++; return b })
			}
		}},
		"segment of a newer minor version": {format.ErrTooNew, false, func(f *memfs.FS) { tamper(t, f, seg, newer) }},
		"deletes of a newer minor version": {format.ErrTooNew, true, func(f *memfs.FS) { tamper(t, f, dels, newer) }},
		"manifest of a newer minor version": {format.ErrTooNew, false, func(f *memfs.FS) {
			tamper(t, f, indexdir.ManifestName(2), newer)
			tamper(t, f, indexdir.MirrorName(2), newer)
		}},
		"another segment":      {format.ErrCorrupt, false, func(f *memfs.FS) { f.Rename(indexdir.SegmentName(3), seg) }},
		"deletes of another":   {format.ErrCorrupt, true, func(f *memfs.FS) { f.Rename(indexdir.DeletesName(5), dels) }},
		"damage in postings":   {format.ErrCorrupt, true, func(f *memfs.FS) { tamper(t, f, seg, spoil) }},
		"damage in deletes":    {format.ErrCorrupt, true, func(f *memfs.FS) { tamper(t, f, dels, spoil) }},
		"segment as a deletes": {format.ErrCorrupt, true, func(f *memfs.FS) { f.Rename(indexdir.SegmentName(3), dels) }},
	} {
		t.Run(what, func(t *testing.T) {
			fsys := memfs.New()
			commit(t, fsys, three()...)
			c.change(fsys)
			x, err := reader.Open(ctx, reader.FromStore(fsys), reader.Options{})
			if c.verify && err == nil {
				defer x.Close()
				s, _ := x.Snapshot()
				defer s.Close()
				x, err = nil, s.Verify(ctx)
			}
			if !errors.Is(err, c.kind) {
				t.Fatalf("%v", err)
			}
			if x != nil {
				t.Fatal("an index and an error")
			}
		})
	}
	fsys := memfs.New()
	commit(t, fsys, three()...)
	x, err := reader.Open(ctx, reader.FromStore(fsys), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	sn, _ := x.Snapshot()
	defer sn.Close()
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if err := sn.Verify(stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled verification: %v", err)
	}
	if err := sn.Verify(ctx); err != nil {
		t.Errorf("verification: %v", err)
	}
	if err := sn.Verify(stopped); err != nil { // all is verified already
		t.Errorf("second verification: %v", err)
	}
}

func TestOpenMissing(t *testing.T) {
	if _, err := reader.Open(t.Context(), reader.Dir(t.TempDir()+"/none"), reader.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := reader.Open(t.Context(), reader.Dir(t.TempDir()), reader.Options{}); !errors.Is(err, format.ErrNotAnIndex) {
		t.Error(err)
	}
}
