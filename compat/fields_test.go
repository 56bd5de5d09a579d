package compat

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// segmentField is a field of a segment (section 4.10), or the only one without FIELDS, which has
// no id.
type segmentField struct {
	field
	terms                       int
	docs, tokens, sum, low, top int // of fields with lengths
	width                       int
	lens                        []int // as readers see them
	vec                         vectorField
}

// prefix tells the lists of a field from those of others.
func (f *segmentField) prefix() string {
	if f.id == 0 {
		return ""
	}
	return f.name + "\x00"
}

// readFields reads FIELDS and DOCLENGTHS (4.10 and 4.6).
func (p *parsed) readFields(section, lengths []byte) {
	c := &cursor{section}
	ids, end, terms := map[int]bool{0: true}, 0, 0
	for range c.varint() {
		f := &segmentField{field: field{id: c.varint(), name: c.str(), kind: c.varint(), index: c.varint(), flags: c.varint(), analyzer: c.str(), options: c.str()}}
		f.terms = c.varint()
		if f.kind == 7 {
			f.vec = c.readVectorField(f.flags&32 != 0)
			need(f.terms == 0 && f.index == 1 && f.flags&^32 == 0 && f.analyzer == "" && f.options == "", "field %q of vectors", f.name)
		}
		need(f.kind != 6 || f.index == 3 && f.flags == 0 && f.analyzer == "" && f.options == "", "field %q of impacts", f.name)
		need(!ids[f.id] && f.name != "" && (f.flags < 32 || f.kind == 7), "field %d, %q", f.id, f.name)
		need(len(p.fields) == 0 || f.name > p.fields[len(p.fields)-1].name, "order of fields")
		ids[f.id] = true
		f.lens = make([]int, p.n)
		if f.hasLengths() {
			f.docs, f.tokens, f.sum, f.low, f.top, f.width = c.varint(), c.varint(), c.varint(), c.varint(), c.varint(), c.varint()
			for ; end%64 != 0; end++ {
				need(lengths[end] == 0, "padding between lengths")
			}
			f.readLengths(p, lengths[end:end+p.n*f.width])
			end += p.n * f.width
		} else {
			for i := range f.lens {
				f.lens[i] = 1
			}
		}
		terms += f.terms
		p.fields = append(p.fields, f)
	}
	need(len(c.b) == 0 && end == len(lengths) && terms == p.terms, "FIELDS")
}

func (f *segmentField) hasLengths() bool { return f.kind == 1 && f.index >= 3 }

func (f *segmentField) bytes() bool { return f.flags&2 != 0 }

// readLengths reads the lengths of a field.
func (f *segmentField) readLengths(p *parsed, b []byte) {
	docs, sum, low, top := 0, 0, 1<<40, 0
	for i := range f.lens {
		for j := range f.width {
			f.lens[i] |= int(b[i*f.width+j]) << (8 * j)
		}
		if f.bytes() {
			f.lens[i] = value(b[i])
		}
		if f.lens[i] > 0 {
			docs++
		}
		p.docs[i].tokens += f.lens[i]
		sum, low, top = sum+f.lens[i], min(low, f.lens[i]), max(top, f.lens[i])
	}
	width := 1
	if !f.bytes() && top >= 1<<8 {
		width = 2
	}
	need(docs == f.docs && sum == f.sum && min(low, top) == f.low && top == f.top && width == f.width && (f.bytes() || sum == f.tokens), "lengths of field %q", f.name)
}

// checkSchema checks the fields of a segment against the manifest, and their lists.
func (p *parsed) checkSchema(m *manifest, e *entry) {
	need((m.fields != nil) == (p.fields[0].id != 0), "a schema")
	total, withLengths := 0, 0
	for _, f := range p.fields {
		for _, of := range m.fields {
			need(of.id != f.id || of.kind == f.kind && of.index == f.index && of.flags&^32 == f.flags&^32 && of.analyzer == f.analyzer && of.options == f.options, "field %d", f.id)
		}
		sums, known := make([]int, p.n), true
		for term, l := range p.lists {
			if f.id == 0 || !strings.HasPrefix(term, f.prefix()) {
				continue
			}
			for _, x := range l {
				if x == unknown {
					known = false
					continue
				}
				sums[x.doc] += x.tf
				need(f.hasLengths() || x.tf == 1 || f.kind == 6 && x.tf >= 1 && x.tf <= 255, "frequency %d in field %q", x.tf, f.name)
			}
		}
		tokens, deleted, deletedTokens := 0, 0, 0
		for i, n := range sums {
			tokens += n
			if p.docs[i].deleted && f.lens[i] > 0 {
				deleted, deletedTokens = deleted+1, deletedTokens+f.lens[i]
			}
			if !f.hasLengths() || !known {
				continue
			}
			code := 255
			for f.bytes() && value(byte(code)) > n {
				code--
			}
			need(f.lens[i] == n || f.bytes() && f.lens[i] == value(byte(code)), "document %d has %d tokens in field %q, and length %d", i, n, f.name, f.lens[i])
		}
		if !known {
			tokens = f.tokens
		}
		if total += tokens; f.hasLengths() {
			withLengths++
			need(tokens == f.tokens && e.fields[f.id] == [4]int{f.docs, f.sum, deleted, deletedTokens}, "statistics of field %q: %v", f.name, e.fields[f.id])
		}
	}
	need(p.fields[0].id == 0 || total == p.tokens && withLengths == len(e.fields), "tokens of all fields")
}

// fieldDocs returns the documents of an index with the schema of fieldSchema, and what the
// segment that holds them has.
func fieldDocs() (docs []writer.Doc, want segmentContents) {
	want = segmentContents{lists: map[string][]posting{}, stored: true}
	add := func(field, term string, doc int, once bool) bool {
		l := want.lists[field+"\x00"+term]
		if n := len(l); n > 0 && l[n-1].doc == doc {
			if !once {
				l[n-1].tf++
			}
			return false
		}
		want.lists[field+"\x00"+term] = append(l, posting{doc, 1})
		return true
	}
	for i := range 400 {
		id := fmt.Sprint("d", i)
		title := strings.Repeat("all ", i%3) + fmt.Sprint("few", i%50)
		body := strings.Repeat("all words ", 1+i%40) + title
		tag := fmt.Sprint("tag ", i%7)
		d := document{id: id}
		for _, w := range strings.Fields(title) {
			add("title", w, i, false)
			add("once", w, i, true)
			d.tokens++
		}
		n := 0
		for _, w := range strings.Fields(body) {
			add("body", w, i, false)
			n++
		}
		for step := 2; n >= 16*step; step *= 2 { // sixteen steps a doubling
			if n < 32*step {
				n -= n % step
			}
		}
		d.tokens += n
		add("tag", tag, i, true)
		want.docs = append(want.docs, d)
		docs = append(docs, writer.Doc{ID: []byte(id), Values: []schema.Value{
			schema.TextValue(0, []byte(title)), schema.TextValue(1, []byte(body)), schema.KeywordValue(2, []byte(tag)), schema.TextValue(3, []byte(title)), schema.IntegerValue(4, int64(i))}})
	}
	return docs, want
}

var fieldSchema = &schema.Schema{Fields: []schema.Field{
	{Name: "title", Kind: schema.Text, Analyzer: "whitespace"},
	{Name: "body", Kind: schema.Text, Analyzer: "whitespace", Lengths: schema.LengthsByte},
	{Name: "tag", Kind: schema.Keyword},
	{Name: "once", Kind: schema.Text, Analyzer: "whitespace", Index: schema.IndexDocs},
	{Name: "number", Kind: schema.Integer, Stored: true},
}}

// A reader written from FORMAT.md alone finds what was indexed in fields, also when a field has
// another name, and nothing of one that has been dropped after a merge.
func TestFieldsSpecification(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	docs, want := fieldDocs()
	change := func(s *schema.Schema, f func(w *writer.Writer) error) *schema.Schema {
		t.Helper()
		w, err := writer.Open(ctx, dir, writer.Options{Schema: s, MergePolicy: writer.NoMerges})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{f(w), w.Commit(ctx), w.Close()} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return w.Schema()
	}
	check := func(what string, want segmentContents) {
		t.Helper()
		got, err := readIndex(dir)
		if err == nil {
			for i := range got.segments[0].docs {
				got.segments[0].docs[i].text = "" // records
			}
			err = got.compare(&contents{segments: []segmentContents{want}})
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	s := change(fieldSchema, func(w *writer.Writer) error {
		for _, d := range docs {
			if err := w.Add(ctx, d); err != nil {
				return err
			}
		}
		return nil
	})
	check("built", want)
	change(nil, func(w *writer.Writer) error { return w.Delete(ctx, []byte("d7")) })
	want.docs[7].deleted = true
	check("with a deleted document", want)
	s, err := s.Rename("title", "a title")
	if err == nil {
		s, err = s.Drop("once")
	}
	if err != nil {
		t.Fatal(err)
	}
	change(s, func(*writer.Writer) error { return nil })
	check("with another schema", want)
	change(nil, func(w *writer.Writer) error {
		_, err := w.Merge(ctx, writer.MergeOptions{MaxSegments: 1})
		return err
	})
	merged := segmentContents{lists: map[string][]posting{}, stored: true}
	for i, d := range want.docs {
		if i != 7 {
			merged.docs = append(merged.docs, d)
		}
	}
	for term, l := range want.lists {
		term = strings.Replace(term, "title\x00", "a title\x00", 1)
		if strings.HasPrefix(term, "once") {
			continue
		}
		for _, x := range l {
			if x.doc > 7 {
				x.doc--
			} else if x.doc == 7 {
				continue
			}
			merged.lists[term] = append(merged.lists[term], x)
		}
	}
	check("merged", merged)
	index, err := reader.Open(ctx, reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	if err := snapshot.Verify(ctx); err != nil {
		t.Error(err)
	}
}
