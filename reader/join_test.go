package reader_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// joinable returns a snapshot of documents "from" to before "to", each with its number as its only word.
func joinable(t *testing.T, o writer.Options, from, to int) *reader.Snapshot {
	t.Helper()
	fsys := memfs.New()
	w, err := writer.OpenFS(context.Background(), fsys, o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for n := from; n < to; n++ {
		id := fmt.Appendf(nil, "%03d", n)
		if !o.Schema.IsImplicit() {
			err = w.Add(context.Background(), writer.Doc{ID: id, Values: []schema.Value{schema.KeywordValue(0, id)}})
		} else {
			err = w.Add(context.Background(), writer.Text(id, id))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(context.Background()); err != nil {
		t.Fatal(err)
	}
	x, err := reader.Open(t.Context(), reader.FromStore(fsys), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestJoin(t *testing.T) {
	o := writer.Options{Schema: schema.Implicit("simple", "", true)}
	a, b, none := joinable(t, o, 0, 30), joinable(t, o, 30, 50), joinable(t, o, 0, 0)
	s, err := reader.Join(a, none, b)
	if err != nil {
		t.Fatal(err)
	}
	other, err := reader.Join(b, none, a)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Close(), b.Close(), none.Close()); err != nil {
		t.Fatal(err)
	}
	if st := s.Stats(); st.Docs != 50 || st.Live != 50 || st.Segments != 2 {
		t.Errorf("statistics %+v", st)
	}
	for doc := range uint32(50) {
		id, err := s.AppendID(nil, doc)
		if want := fmt.Sprintf("%03d", doc); string(id) != want || err != nil {
			t.Fatalf("document %d has id %s, %v", doc, id, err)
		}
		if d, ok, err := s.FindID(id); d != doc || !ok || err != nil {
			t.Fatalf("id %s is of document %d, %v, %v", id, d, ok, err)
		}
		if text, err := s.AppendStored(nil, doc); string(text) != string(id) || err != nil {
			t.Fatalf("document %d has the text %q, %v", doc, text, err)
		}
	}
	if err := s.Verify(context.Background()); err != nil {
		t.Error(err)
	}
	if s.Generation() != 0 || s.Uncommitted() || s.Stats().Segments != 2 || s.Commit() != "" || len(s.Ancestry().Sessions) > 0 {
		t.Errorf("generation %d, uncommitted %v, commit %q, %+v", s.Generation(), s.Uncommitted(), s.Commit(), s.Stats())
	}
	again, err := s.Retain()
	if err != nil {
		t.Fatal(err)
	}
	if again.CommitID() != s.CommitID() || again.CommitID() == other.CommitID() || again.CommitID() == a.CommitID() {
		t.Error("the ids of commits do not tell joined ones apart")
	}
	twice, err := reader.Join(s, other)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Close(), other.Close()); err != nil {
		t.Error(err)
	}
	if _, err := s.AppendID(nil, 3); !errors.Is(err, reader.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if id, err := again.AppendID(nil, 45); string(id) != "045" || err != nil {
		t.Errorf("after Close of another: %s, %v", id, err)
	}
	if id, err := twice.AppendID(nil, 52); string(id) != "032" || err != nil {
		t.Errorf("joined twice: %s, %v", id, err)
	}
	if err := errors.Join(again.Close(), twice.Close(), twice.Close()); err != nil {
		t.Error(err)
	}
}

func TestJoinRefuses(t *testing.T) {
	keyword := func(name string, stored bool) writer.Options {
		return writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: name, Kind: schema.Keyword, Stored: stored}}}}
	}
	simple := joinable(t, writer.Options{Schema: schema.Implicit("simple", "", false)}, 0, 3)
	tags := joinable(t, keyword("tag", true), 0, 3)
	closed := joinable(t, writer.Options{Schema: schema.Implicit("simple", "", false)}, 0, 3)
	closed.Close()
	for _, c := range []struct {
		what string
		all  []*reader.Snapshot
		is   error
	}{
		{"none", nil, fs.ErrInvalid},
		{"a nil one", []*reader.Snapshot{simple, nil}, fs.ErrInvalid},
		{"other analyzers", []*reader.Snapshot{simple, joinable(t, writer.Options{Schema: schema.Implicit("standard", "", false)}, 0, 3)}, fs.ErrInvalid},
		{"a schema and none", []*reader.Snapshot{simple, tags}, fs.ErrInvalid},
		{"other fields", []*reader.Snapshot{tags, joinable(t, keyword("label", true), 0, 3)}, fs.ErrInvalid},
		{"other properties", []*reader.Snapshot{tags, joinable(t, keyword("tag", false), 0, 3)}, fs.ErrInvalid},
		{"a closed one", []*reader.Snapshot{simple, closed}, reader.ErrClosed},
		{"a zero one", []*reader.Snapshot{simple, new(reader.Snapshot)}, reader.ErrClosed},
	} {
		if s, err := reader.Join(c.all...); !errors.Is(err, c.is) || s != nil {
			t.Errorf("%s: %v, %v", c.what, s, err)
		} else {
			t.Log(err)
		}
	}
	same := joinable(t, keyword("tag", true), 3, 6)
	s, err := reader.Join(tags, same)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if f := s.FieldStats("tag"); f.Docs != 6 {
		t.Errorf("%+v", f)
	}
}
