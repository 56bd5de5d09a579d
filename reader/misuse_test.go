package reader_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// callAll calls every method of v, with zero arguments except for those given, and returns
// the errors of those that return one last.
func callAll(v any, given map[reflect.Type]any) map[string]error {
	errs := make(map[string]error)
	failing := reflect.TypeFor[error]()
	typ := reflect.TypeOf(v)
	for i := range typ.NumMethod() {
		m := typ.Method(i)
		if m.Name == "Unhold" { // for engines, after Hold
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
		call := m.Func.Call
		if m.Type.IsVariadic() {
			call = m.Func.CallSlice
		}
		out := call(args)
		if n := len(out); n > 0 && out[n-1].Type() == failing {
			errs[m.Name], _ = out[n-1].Interface().(error)
		}
	}
	return errs
}

// Zero values behave as closed ones.
func TestZeroValues(t *testing.T) {
	given := map[reflect.Type]any{
		reflect.TypeFor[context.Context](): context.Background(), reflect.TypeFor[*segment.List](): new(segment.List),
		reflect.TypeFor[func(*indexdir.Commit) error](): func(*indexdir.Commit) error { return nil },
		reflect.TypeFor[*indexdir.Dir]():                new(indexdir.Dir),
	}
	for _, v := range []any{new(reader.Snapshot), new(reader.Index), new(indexdir.Dir)} {
		for name, err := range callAll(v, given) {
			closes := name == "Close" && err == nil // of what is closed already
			if !closes && !errors.Is(err, reader.ErrClosed) {
				t.Errorf("%T.%s: %v", v, name, err)
			}
		}
	}
	c := new(indexdir.Commit).Retain()
	c.Release()
	_, err := c.Deletes(0)
	if _, _, e := c.OpenSegment(0); !errors.Is(err, reader.ErrClosed) || !errors.Is(e, reader.ErrClosed) {
		t.Errorf("a zero Commit: %v, %v", err, e)
	}
	s := new(reader.Snapshot)
	for p, err := range s.Postings([]byte("x")) {
		if p.Doc != reader.NoDoc || !errors.Is(err, reader.ErrClosed) {
			t.Errorf("Snapshot.Postings yields %v, %v", p, err)
		}
	}
	if it := s.Terms(nil); it.Next() || !errors.Is(it.Err(), reader.ErrClosed) {
		t.Errorf("Snapshot.Terms: %v", it.Err())
	}
	cur := new(reader.Cursor)
	if cur.Doc() != reader.NoDoc || cur.Next() != reader.NoDoc || cur.NextGEQ(7) != reader.NoDoc || cur.NextBlock() || cur.Freq() != 0 {
		t.Errorf("a zero Cursor is at %d", cur.Doc())
	}
	callAll(cur, nil)
	if callAll(new(reader.Terms), nil); new(reader.Terms).Next() {
		t.Error("zero Terms have a term")
	}
}

// What callers are given they may write to.
func TestCopies(t *testing.T) {
	o, _ := mappedIndex(t)
	defer o.x.Close()
	defer o.s.Close()
	is, segs := o.s.Schema(), o.s.Segments()
	name := is.Fields[0].Name
	is.Fields[0].Name, segs[0] = "another", nil
	meta, header := o.seg.Meta(), o.seg.Header()
	docs, length := meta.Docs, header.FileLen
	meta.Docs, header.FileLen, header.Sections[0].Length = 0, 0, 1<<40
	if o.s.Schema().Fields[0].Name != name || o.s.Segments()[0] == nil {
		t.Error("a caller has changed the snapshot")
	}
	if h := o.seg.Header(); o.seg.Meta().Docs != docs || h.FileLen != length || h.Sections[0].Length == 1<<40 {
		t.Error("a caller has changed the segment")
	}
}

// A copy of a cursor neither walks in the original's buffers nor gives them back.
func TestCopiedCursor(t *testing.T) {
	o, files := mappedIndex(t)
	first := reader.NewCursor()
	if err := first.Init(o.seg, o.entry); err != nil {
		t.Fatal(err)
	}
	copied := reflect.New(reflect.TypeFor[reader.Cursor]()).Interface().(*reader.Cursor)
	reflect.ValueOf(copied).Elem().Set(reflect.ValueOf(first).Elem()) // which vet does not find
	first.Close()
	if copied.NextBlock() || copied.Err() == nil {
		t.Error("a copy walks on")
	}
	copied.Close()
	// Two cursors after it must not share a buffer.
	a, b := reader.NewCursor(), reader.NewCursor()
	for _, c := range []*reader.Cursor{a, b} {
		if err := c.Init(o.seg, o.entry); err != nil {
			t.Fatal(err)
		}
	}
	docs := a.Docs()
	want := append([]uint32(nil), docs...)
	for b.NextBlock() {
	}
	if !reflect.DeepEqual(docs, want) {
		t.Error("a cursor's block changed under another")
	}
	a.Close()
	b.Close()
	if err := errors.Join(o.s.Close(), o.x.Close()); err != nil {
		t.Fatal(err)
	}
	if n := files.open.Load(); n != 0 {
		t.Errorf("%d files are open at the end", n)
	}
}
