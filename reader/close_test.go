package reader_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// twoLists has lists of several blocks and a list without an extent.
func twoLists() *content {
	c := &content{docs: 9000, stored: true, lists: map[string]postings{
		"short": {[]uint32{3, 5, 8}, []uint32{1, 40, 2}}, "even": {freqs: ones(1500)}, "odd": {freqs: ones(1500)},
	}}
	even, odd := c.lists["even"], c.lists["odd"]
	for i := range uint32(1500) {
		even.docs, odd.docs = append(even.docs, 2*i), append(odd.docs, 2*i+1)
	}
	c.lists["even"], c.lists["odd"] = even, odd
	return c
}

// A cursor closed twice is reused by one owner, not by two.
func TestCursorCloseTwice(t *testing.T) {
	s := open(t, twoLists())
	c := cursor(t, s, 0, "even")
	c.Next()
	c.Close()
	c.Close()
	a, b := cursor(t, s, 0, "even"), cursor(t, s, 0, "odd")
	for i := range uint32(1500) {
		if a.Doc() != 2*i || b.Doc() != 2*i+1 || a.Freq() != 1 || b.Freq() != 1 {
			t.Fatalf("posting %d: %d and %d", i, a.Doc(), b.Doc())
		}
		a.Next()
		b.Next()
		if c.Next() != reader.NoDoc {
			t.Fatal("the closed cursor moves")
		}
	}
}

func TestUseOfClosedCursor(t *testing.T) {
	s := open(t, twoLists())
	seg := s.Segments()[0]
	for _, term := range []string{"short", "even", "none"} {
		c, err := seg.Cursor([]byte(term))
		if err != nil {
			t.Fatal(err)
		}
		c.Next()
		c.Freq()
		c.Close()
		e, _, _ := seg.Lookup([]byte("even"))
		if err := c.Init(seg, e); !errors.Is(err, reader.ErrClosed) {
			t.Errorf("Init: %v", err)
		}
		if c.Doc() != reader.NoDoc || c.Next() != reader.NoDoc || c.NextGEQ(5) != reader.NoDoc || chunkOf(c, 5) || c.NextBlock() || c.Freq() != 0 ||
			c.Docs() != nil || c.Freqs() != nil || c.Shallow(7) != reader.NoDoc || c.BlockLast() != reader.NoDoc || c.BlockMax() != 0 ||
			c.ListMax() != 0 || c.Len() != 0 || c.Pos() != 0 || c.Segment() != nil || c.List().N != 0 {
			t.Errorf("%s: the closed cursor is not at the end", term)
		}
		if !errors.Is(c.Err(), reader.ErrClosed) || !errors.Is(c.Err(), fs.ErrClosed) {
			t.Errorf("Err: %v", c.Err())
		}
	}
}

// chunkOf reports whether c has a chunk of postings at or above target.
func chunkOf(c *reader.Cursor, target uint32) bool {
	chunk, _ := c.ChunkOf(target)
	return chunk != nil
}

// A cursor that was never initialized has no postings.
func TestCursorBeforeInit(t *testing.T) {
	for what, f := range map[string]func(c *reader.Cursor) bool{
		"Next":    func(c *reader.Cursor) bool { return c.Next() == reader.NoDoc },
		"NextGEQ": func(c *reader.Cursor) bool { return c.NextGEQ(7) == reader.NoDoc },
		"ChunkOf": func(c *reader.Cursor) bool { return !chunkOf(c, 7) },
		"Block":   func(c *reader.Cursor) bool { return !c.NextBlock() },
		"Freq":    func(c *reader.Cursor) bool { return c.Freq() == 0 },
		"Docs":    func(c *reader.Cursor) bool { return len(c.Docs()) == 0 && len(c.Freqs()) == 0 },
		"Shallow": func(c *reader.Cursor) bool { return c.Shallow(7) == reader.NoDoc },
		"bounds":  func(c *reader.Cursor) bool { return c.BlockMax() == 0 && c.ListMax() == 0 },
	} {
		for _, c := range []*reader.Cursor{reader.NewCursor(), {}} {
			if !f(c) {
				t.Errorf("%s finds something", what)
			}
			c.Close()
		}
	}
}

// The bound of a list does not depend on where the cursor stands.
func TestListMaxAtTheEnd(t *testing.T) {
	x := twoLists()
	s := open(t, x)
	for _, term := range []string{"short", "even"} {
		c := cursor(t, s, 0, term)
		for c.Next() != reader.NoDoc {
		}
		for i, d := range x.lists[term].docs {
			if !c.ListMax().Dominates(x.lists[term].freqs[i], x.lengths()[d]) {
				t.Fatalf("%s: posting %d is above the bound of the list", term, i)
			}
		}
	}
}

func TestStrategies(t *testing.T) {
	s := open(t, twoLists())
	c := cursor(t, s, 0, "even")
	for by := range reader.Strategy(5) {
		if err := c.SetStrategy(by); (err == nil) != (by <= reader.Buckets) {
			t.Errorf("strategy %d: %v", by, err)
		}
	}
}

// After a snapshot is closed, every method of its parts that can return an error
// returns ErrClosed; the others do not touch the unmapped files.
func TestUseAfterClose(t *testing.T) {
	dir := t.TempDir()
	writeTo(t, dir, twoLists(), &content{docs: 3, deleted: []uint32{1}})
	x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, _ := x.Snapshot()
	segs := s.Segments()
	e, _, _ := segs[0].Lookup([]byte("even"))
	c := cursor(t, s, 0, "even")
	terms, all := segs[0].Terms(nil), s.Terms(nil)
	lists := s.Postings([]byte("even"))
	for p, err := range segs[0].Postings([]byte("even")) {
		if p.Doc == 4 { // the rest of the row is already decoded
			if err := errors.Join(s.Close(), x.Close(), s.Close(), x.Close()); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil && !errors.Is(err, reader.ErrClosed) {
			t.Fatal(err)
		}
	}
	closed := func(what string, err error) {
		if !errors.Is(err, reader.ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, err := range lists {
		closed("Postings", err)
	}
	for _, err := range segs[0].Postings([]byte("even")) {
		closed("Postings of a segment", err)
	}
	if c.NextGEQ(2000) != reader.NoDoc {
		t.Error("the cursor moves")
	}
	closed("Cursor.NextGEQ", c.Err())
	closed("Cursor.Init", c.Init(segs[0], e))
	for what, it := range map[string]*reader.Terms{"segment": terms, "snapshot": all, "new": s.Terms(nil), "new of segment": segs[1].Terms(nil)} {
		if it.Next() || it.SeekGE([]byte("a")) {
			t.Errorf("terms of %s go on", what)
		}
		closed("Terms of "+what, it.Err())
	}
	given := map[reflect.Type]any{
		reflect.TypeFor[context.Context](): context.Background(), reflect.TypeFor[*segment.List](): new(segment.List),
		reflect.TypeFor[*segment.Entry](): &e, reflect.TypeFor[segment.Entry](): e,
		reflect.TypeFor[func(uint32, []byte) error](): func(uint32, []byte) error { return nil },
	}
	failing := reflect.TypeFor[error]()
	for _, v := range []any{x, s, segs[0], segs[1]} {
		typ := reflect.TypeOf(v)
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			if m.Name == "Unhold" { // undoes a Hold that succeeded
				continue
			}
			args := []reflect.Value{reflect.ValueOf(v)}
			for j := 1; j < m.Type.NumIn(); j++ {
				arg := reflect.New(m.Type.In(j)).Elem()
				if g, ok := given[arg.Type()]; ok {
					arg.Set(reflect.ValueOf(g))
				}
				args = append(args, arg)
			}
			out := m.Func.Call(args)
			if n := len(out); n > 0 && out[n-1].Type() == failing && m.Name != "Close" {
				err, _ := out[n-1].Interface().(error)
				closed(typ.String()+"."+m.Name, err)
			}
		}
	}
}

// Cursors and Postings recover from faults by themselves, also when their user
// has armed faults.
func TestCursorFaults(t *testing.T) {
	if noMappings || runtime.GOOS == "windows" {
		t.Skip("files are not mapped, or cannot be truncated while they are")
	}
	for what, f := range map[string]func(seg *reader.Segment, c *reader.Cursor) error{
		"Next":    func(_ *reader.Segment, c *reader.Cursor) error { c.Next(); return c.Err() },
		"NextGEQ": func(_ *reader.Segment, c *reader.Cursor) error { c.NextGEQ(2000); return c.Err() },
		"ChunkOf": func(_ *reader.Segment, c *reader.Cursor) error { c.ChunkOf(2000); return c.Err() },
		"Freq":    func(_ *reader.Segment, c *reader.Cursor) error { c.Freq(); return c.Err() },
		"Shallow": func(_ *reader.Segment, c *reader.Cursor) error { c.Shallow(2000); return c.Err() },
		"bound":   func(_ *reader.Segment, c *reader.Cursor) error { c.BlockMax(); return c.Err() },
		"Init": func(seg *reader.Segment, c *reader.Cursor) error {
			return c.Init(seg, c.List().Entry())
		},
		"nested": func(_ *reader.Segment, c *reader.Cursor) (err error) {
			defer indexdir.CatchFault(indexdir.ArmFault(), &err)
			c.Next()
			c.SetArmed(true)
			return c.Err()
		},
		"armed": func(seg *reader.Segment, c *reader.Cursor) (err error) {
			defer indexdir.CatchFault(indexdir.ArmFault(), &err)
			c.SetArmed(true)
			c.NextGEQ(2000)
			t.Error("no fault reached the user's guard")
			return nil
		},
		"Postings": func(seg *reader.Segment, _ *reader.Cursor) error {
			for _, err := range seg.Postings([]byte("even")) {
				return err
			}
			return nil
		},
		"Cursor": func(seg *reader.Segment, _ *reader.Cursor) error { _, err := seg.Cursor([]byte("even")); return err },
		"Terms":  func(seg *reader.Segment, _ *reader.Cursor) error { it := seg.Terms(nil); it.Next(); return it.Err() },
		"ID":     func(seg *reader.Segment, _ *reader.Cursor) error { _, err := seg.AppendID(nil, 1); return err },
		"FindID": func(seg *reader.Segment, _ *reader.Cursor) error { _, _, err := seg.FindID([]byte("x")); return err },
		"Stored": func(seg *reader.Segment, _ *reader.Cursor) error { _, err := seg.AppendStored(nil, 1); return err },
		"DocLen": func(seg *reader.Segment, _ *reader.Cursor) error { _, err := seg.DocLen(1); return err },
		"EachID": func(seg *reader.Segment, _ *reader.Cursor) error {
			return seg.EachID(func(uint32, []byte) error { return nil })
		},
		"entries": func(seg *reader.Segment, _ *reader.Cursor) error { _, _, err := seg.Lookup([]byte("even")); return err },
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			writeTo(t, dir, twoLists())
			x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			s, _ := x.Snapshot()
			defer s.Close()
			seg := s.Segments()[0]
			c := cursor(t, s, 0, "even")
			defer c.Close()
			if err := os.Truncate(filepath.Join(dir, seg.Name()), 0); err != nil {
				t.Fatal(err)
			}
			err = f(seg, c)
			var e *format.Error
			if !errors.As(err, &e) || e.Kind != format.ErrCorrupt || e.File == "" {
				t.Errorf("%v", err)
			}
			if c.Err() != nil && c.Doc() != reader.NoDoc {
				t.Error("the cursor goes on after a fault")
			}
		})
	}
}
