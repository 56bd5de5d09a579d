package idxmerge

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// fieldsIndex makes an index of 2,000 documents, some of them deleted, of which a field was renamed, so
// that the order of fields is another, and one was dropped. It returns its schema.
func fieldsIndex(t *testing.T, dir string) *schema.Schema {
	t.Helper()
	with := func(s *schema.Schema, f func(w *writer.Writer) error) *schema.Schema {
		w, err := writer.Open(t.Context(), dir, writer.Options{Schema: s, MergePolicy: writer.NoMerges})
		if err != nil {
			t.Fatal(err)
		}
		s = w.Schema()
		if err := errors.Join(f(w), w.Commit(t.Context()), w.Close()); err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "first", Kind: schema.Text, Analyzer: "whitespace", Positions: true, Stored: true}, {Name: "gone", Kind: schema.Text, Stored: true},
		{Name: "tag", Kind: schema.Keyword}, {Name: "year", Kind: schema.Integer, Stored: true}}}
	s = with(s, func(w *writer.Writer) error {
		for i := range 2000 {
			d := writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.TextValue(0, fmt.Appendf(nil, "all all n%d", i%700)),
				schema.TextValue(1, []byte("gone")), schema.KeywordValue(2, fmt.Appendf(nil, "k%d", i)), schema.IntegerValue(3, int64(i))}}
			if err := w.Add(t.Context(), d); err != nil {
				return err
			}
		}
		return nil
	})
	s, err := s.Rename("first", "zone")
	if err == nil {
		s, err = s.Drop("gone")
	}
	if err != nil {
		t.Fatal(err)
	}
	return with(s, func(w *writer.Writer) error { return w.Delete(t.Context(), []byte("3")) })
}

// salvaged salvages the index in src, and returns where it is then and what was lost.
func salvaged(t *testing.T, src string) (out, report string, err error) {
	t.Helper()
	opened, err := openDamaged([]string{src})
	defer func() {
		for _, s := range opened {
			s.close()
		}
	}()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	cmd := new(cobra.Command)
	cmd.SetContext(t.Context())
	cmd.SetOut(&b)
	out = filepath.Join(t.TempDir(), "out")
	err = (&flags{out: out}).copyAll(cmd, opened, writer.Options{})
	return out, b.String(), err
}

// checkSalvaged compares what was salvaged with what fieldsIndex adds, and returns how many documents and
// postings in field zone there are. A document whose stored values are lost has none.
func checkSalvaged(t *testing.T, dir string, whole bool) (docs, postings int) {
	t.Helper()
	x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	number := map[uint32]int{}
	for doc := range uint32(s.Stats().Docs) {
		id, err := s.AppendID(nil, doc)
		rec, err2 := s.AppendStored(nil, doc)
		text, err3 := record.AppendLines(nil, rec, s.Schema().ByID)
		if err := errors.Join(err, err2, err3); err != nil {
			t.Fatal(err)
		}
		var n int
		fmt.Sscan(string(id), &n)
		if got, want := string(text), fmt.Sprintf("zone: all all n%d\nyear: %d\n", n%700, n); got != want && (whole || got != "") || n == 3 {
			t.Fatalf("document %s has %q, want %q", id, got, want)
		}
		number[doc] = n
	}
	for _, name := range []string{"tag", "zone"} {
		f, _ := s.Field(name)
		for terms := f.Terms(nil); terms.Next(); {
			for p, err := range f.Postings(terms.Term()) {
				n, term, freq := number[p.Doc], string(terms.Term()), uint32(1)
				if term == "all" {
					freq = 2
				}
				sound := name == "tag" && term == fmt.Sprint("k", n) || name == "zone" && (term == "all" || term == fmt.Sprint("n", n%700))
				if err != nil || !sound || p.Freq != freq {
					t.Fatalf("%s:%s is in document %d with frequency %d, %v", name, term, n, p.Freq, err)
				}
				if name == "zone" {
					postings++
				}
			}
		}
	}
	for _, g := range s.Segments() {
		checkGaps(t, g)
	}
	return len(number), postings
}

// checkGaps checks the positions in field zone: 0 and 1 of all, and 2 of the other term.
func checkGaps(t *testing.T, g *reader.Segment) {
	t.Helper()
	f, ok := g.Field("zone")
	if !ok {
		return
	}
	v := f.View()
	for terms := v.Terms(nil); terms.Next(); {
		var l segment.List
		err := g.Views().Lists().Init(&l, terms.Entry())
		positions, err2 := l.Positions()
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		want := uint32(2)
		var rows segment.Rows
		if string(terms.Term()) == "all" {
			want = 0
		}
		var gaps []uint32
		for rows.Reset(&l); rows.Next(); {
			for b := 0; b*l.BlockLen < rows.Len(); b++ {
				total := uint32(0)
				for _, tf := range rows.Freqs[b*l.BlockLen : min((b+1)*l.BlockLen, rows.Len())] {
					total += tf
				}
				if gaps, err = positions.AppendBlock(gaps, rows.Block+b, total); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, gap := range gaps {
			if gap != want {
				t.Fatalf("%q has gap %d, want %d", terms.Term(), gap, want)
			}
		}
	}
}

// TestFields copies an index with a schema: whole, and with a page of each section damaged, and says
// what is lost of which field.
func TestFields(t *testing.T) {
	src := t.TempDir()
	of := fieldsIndex(t, src)
	out, report, err := salvaged(t, src)
	if err != nil || !strings.Contains(report, "nothing is lost") {
		t.Fatalf("%v\n%s", err, report)
	}
	if docs, postings := checkSalvaged(t, out, true); docs != 1999 || postings != 3998 {
		t.Errorf("%d documents and %d postings", docs, postings)
	}
	d, err := indexdir.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c, err := d.Latest()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	if err := errors.Join(c.Schema.Extends(of), of.Extends(c.Schema)); err != nil {
		t.Error(err)
	}
	path := filepath.Join(src, indexdir.SegmentName(1))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h, err := format.ParseFile(path, good)
	if err != nil {
		t.Fatal(err)
	}
	for section, lost := range map[format.SectionID]string{
		format.SectionIDs: "documents", format.SectionStored: "texts", format.SectionTerms: `field "tag": terms after`, format.SectionPostings: `field "first": term "all"`,
		format.SectionPositions: `field "first": term "all"`, format.SectionPositionIndex: "",
		format.SectionDocLengths: "", format.SectionTermIndex: ""} {
		bad := bytes.Clone(good)
		sec, _ := h.Section(section)
		for i := range min(sec.Length, format.PageSize) {
			bad[sec.Offset+i] ^= 0x5a
		}
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		out, report, err := salvaged(t, src)
		if errors.Is(err, errLost) != (lost != "") || !strings.Contains(report, lost) {
			t.Errorf("%s: %v\n%s", section, err, report)
		}
		docs, postings := checkSalvaged(t, out, lost == "")
		if whole := docs == 1999 && postings == 3998; lost == "" && !whole {
			t.Errorf("%s: %d documents and %d postings", section, docs, postings)
		}
	}
}

// TestOtherFields adds to indexes that do not have the fields of the source: nothing is added.
func TestOtherFields(t *testing.T) {
	src := t.TempDir()
	fieldsIndex(t, src)
	plain, other := t.TempDir(), t.TempDir()
	change(t, plain, func(w *writer.Writer) error {
		return w.Add(t.Context(), writer.Text([]byte("one"), []byte("one")))
	})
	w, err := writer.Open(t.Context(), other, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "tag", Kind: schema.Text}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	for _, dirs := range [][]string{{src, plain}, {plain, src}, {src, other}, {other, src}} {
		opened, err := openDamaged(dirs)
		if !errors.Is(err, schema.ErrInvalid) {
			t.Errorf("%v: %v", dirs, err)
		}
		for _, s := range opened {
			s.close()
		}
	}
	for _, out := range []string{plain, other} {
		opened, err := openDamaged([]string{src})
		if err != nil {
			t.Fatal(err)
		}
		cmd := new(cobra.Command)
		cmd.SetContext(t.Context())
		cmd.SetOut(new(bytes.Buffer))
		if err := (&flags{out: out}).copyAll(cmd, opened, writer.Options{}); !errors.Is(err, schema.ErrInvalid) {
			t.Errorf("%s: %v", out, err)
		}
		opened[0].close()
	}
}
