package reader_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// fieldIndex returns an index of two segments; the second one has a field more.
func fieldIndex(t *testing.T) *memfs.FS {
	fs := memfs.New()
	s := &schema.Schema{Fields: []schema.Field{{Name: "title", Kind: schema.Text}, {Name: "tag", Kind: schema.Keyword}}}
	for part := range 2 {
		if part == 1 {
			s.Fields = append(s.Fields, schema.Field{Name: "body", Kind: schema.Text, Lengths: schema.LengthsByte})
		}
		w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: s, MergePolicy: writer.NoMerges})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 300 {
			values := []schema.Value{schema.TextValue(0, fmt.Append(nil, "common word", i%7)), schema.KeywordValue(1, fmt.Append(nil, "t", i%3))}
			if part == 1 && i%2 == 0 {
				values = append(values, schema.TextValue(2, []byte("common text of a body")))
			}
			if err := w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, part, "-", i), Values: values}); err != nil {
				t.Fatal(err)
			}
		}
		err = w.Delete(t.Context(), []byte("0-2"))
		if err := errors.Join(err, w.Commit(t.Context()), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return fs
}

// dumpFields returns all that a snapshot says of its fields.
func dumpFields(t *testing.T, s *reader.Snapshot) (text string) {
	t.Helper()
	for _, desc := range s.Schema().Fields {
		f, ok := s.Field(desc.Name)
		if !ok || f.Description() != desc {
			t.Fatalf("field %+v, want %+v", f.Description(), desc)
		}
		text += fmt.Sprintln(desc.Name, f.Stats(), s.FieldStats(desc.Name))
		terms := f.Terms(nil)
		for terms.Next() {
			df, entries, err := f.Lookup(terms.Term(), nil)
			text += fmt.Sprintln(string(terms.Term()), terms.DF(), df, len(entries), err)
			for p, err := range f.Postings(terms.Term()) {
				n, lerr := f.DocLen(p.Doc)
				text += fmt.Sprint(p, n, errors.Join(err, lerr), " ")
			}
		}
		text += fmt.Sprintln(terms.Err())
		for i := range s.Segments() {
			in, ok := f.Segment(i)
			c, err := in.Cursor([]byte("common"))
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for c.Doc() != reader.NoDoc {
				n++
				c.Next()
			}
			text += fmt.Sprintln(i, ok, in.Info().Name, in.Info().Docs, n, c.Err())
			c.Close()
		}
	}
	return text
}

// Fields read the same in memory and on demand. A segment that is older than a field has nothing
// of it, and terms of all fields together are an error.
func TestFields(t *testing.T) {
	fs := fieldIndex(t)
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	want := dumpFields(t, s)
	if st := s.FieldStats("body"); st != (reader.FieldStats{Docs: 150, Tokens: 750, MaxLen: 5}) || st.AvgLen() != 5 {
		t.Errorf("body: %+v", st)
	}
	if st := s.FieldStats("tag"); st != (reader.FieldStats{Docs: 599, Tokens: 599, MaxLen: 1}) {
		t.Errorf("tag: %+v", st)
	}
	if st := s.Stats(); st.Live != 599 || st.LiveTokens != 2*599+750 {
		t.Errorf("all: %+v", st)
	}
	if f, ok := s.Segments()[0].Field("body"); ok {
		t.Errorf("the first segment has a field that came later: %+v", f.Info())
	}
	if _, ok := s.Field("nope"); ok || s.FieldStats("nope") != (reader.FieldStats{}) {
		t.Error("there is a field that there is not")
	}
	seg, term := s.Segments()[0], []byte("common")
	_, _, lookup := s.Lookup(term, nil)
	_, _, inSegment := seg.Lookup(term)
	_, cursor := seg.Cursor(term)
	terms, segTerms := s.Terms(nil), seg.Terms([]byte("c"))
	for what, err := range map[string]error{
		"Lookup": lookup, "Segment.Lookup": inSegment, "Cursor": cursor, "Postings": last(s.Postings(term)), "Segment.Postings": last(seg.Postings(term)),
		"Terms": terms.Err(), "Segment.Terms": segTerms.Err(),
	} {
		if what == "Terms" {
			terms.Next()
			err = terms.Err()
		}
		if what == "Segment.Terms" {
			segTerms.SeekGE(term)
			err = segTerms.Err()
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s without a field: %v", what, err)
		}
	}
	for _, cache := range []int64{1, 1 << 20} {
		remote, err := reader.Open(t.Context(), reader.FromFS(copyOf(t, fs)), reader.Options{CacheSize: max(cache, 0), NoCache: cache < 0})
		if err != nil {
			t.Fatal(err)
		}
		rs, err := remote.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if got := dumpFields(t, rs); got != want {
			t.Errorf("read on demand:\n%s\nin memory:\n%s", got, want)
		}
		if err := rs.Verify(t.Context()); err != nil {
			t.Error(err)
		}
		rs.Close()
		remote.Close()
	}

	f, _ := s.Field("title")
	in, _ := f.Segment(0)
	s.Close()
	_, _, lookup = f.Lookup(term, nil)
	_, _, inSegment = in.Lookup(term)
	_, cursor = in.Cursor(term)
	_, docLen := f.DocLen(0)
	for what, err := range map[string]error{
		"Lookup": lookup, "Field.Lookup": inSegment, "Cursor": cursor, "Postings": last(f.Postings(term)), "Field.Postings": last(in.Postings(term)),
		"Terms": f.Terms(nil).Err(), "Field.Terms": in.Terms(nil).Err(), "DocLen": docLen,
	} {
		if !errors.Is(err, reader.ErrClosed) {
			t.Errorf("%s after Close: %v", what, err)
		}
	}
}
