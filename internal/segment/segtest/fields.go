package segtest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Fields is a segment with fields, in order of their names.
type Fields struct {
	Fields []FieldModel
	IDs    []string
}

// FieldModel is a field: its lists by term, and the exact lengths of the documents. If it has
// positions, Gaps are those of each list, as build.Builder.AddPositions takes them. If it is a
// column, Values are the numbers of each document or, of keywords, Words. Vectors are those of each document.
type FieldModel struct {
	schema.Field
	Lists   map[string][]Posting
	Gaps    map[string][]uint32
	Lens    []uint32
	Values  [][]int64
	Words   [][]string
	Vectors [][][]float32
}

// lengths returns the lengths as a reader sees them.
func (f *FieldModel) lengths(docs int) []uint32 {
	lens := slices.Clone(f.Lens)
	if !f.HasLengths() {
		return slices.Repeat([]uint32{1}, docs)
	}
	for i, n := range lens {
		if f.Lengths == schema.LengthsByte && n >= 32 {
			for c := 255; ; c-- {
				if v := slowDecode(c); v <= uint64(n) {
					lens[i] = uint32(v)
					break
				}
			}
		}
	}
	return lens
}

// RandomFields draws a segment with fields of all kinds that are indexed in all ways, columns
// among them.
func RandomFields(r *rand.Rand, docs, fields, terms int) *Fields {
	m := new(Fields)
	for i := range docs {
		m.IDs = append(m.IDs, fmt.Sprintf("doc-%d", i))
	}
	names := map[string]bool{}
	for len(names) < fields {
		names[string(rune('a'+r.IntN(26)))+[]string{"", "é", "-x"}[r.IntN(3)]] = true
	}
	ids := r.Perm(3 * fields)
	for i, name := range slices.Sorted(maps.Keys(names)) {
		f := FieldModel{Field: schema.Field{ID: uint32(1 + ids[i]), Name: name, Kind: schema.Kind(1 + r.IntN(5)), Stored: true},
			Lists: map[string][]Posting{}, Lens: make([]uint32, docs)}
		if f.Kind == schema.Text {
			n := r.IntN(5)
			f.Index = []schema.Index{schema.IndexDefault, schema.IndexDocs, schema.IndexFreqs, schema.IndexFreqs, schema.IndexNone}[n]
			f.Positions = n == 3
			if f.HasLengths() {
				f.Lengths = schema.Lengths(r.IntN(2))
			}
		}
		if f.Indexing() != schema.IndexNone && docs > 0 {
			f.add(r, docs, r.IntN(terms+1))
		}
		if f.Positions {
			f.RandomPositions(r)
		}
		if f.Kind != schema.Text && r.IntN(2) == 0 {
			f.RandomColumn(r, docs)
		}
		if f.Kind == schema.Time {
			f.Unit = schema.Unit(r.IntN(4))
		}
		if r.IntN(6) == 0 {
			f = RandomVectors(r, f.ID, name, docs)
		}
		m.Fields = append(m.Fields, f)
	}
	return m
}

// add draws lists.
func (f *FieldModel) add(r *rand.Rand, docs, terms int) {
	from := Random(r, docs, terms)
	for term, ps := range from.Lists {
		if !f.HasLengths() {
			for i := range ps {
				ps[i].TF = 1
			}
		}
		f.Lists[term] = ps
		for _, p := range ps {
			f.Lens[p.Doc] += p.TF
		}
	}
}

// Options returns the options that build m.
func (m *Fields) Options(w With) build.Options {
	o := build.Options{Docs: uint32(len(m.IDs)), DocsCodec: w.Docs, FreqsCodec: w.Freqs, Spool: w.Spool, Choose: w.Choose, TailMemory: w.Tail}
	for _, f := range m.Fields {
		x := build.Field{Field: f.Field}
		if f.HasLengths() {
			x.Lengths = []segment.LengthTable{segment.NewLengthTable(f.Lens)}
		}
		o.Fields = append(o.Fields, x)
	}
	return o
}

// Build returns the segment file of m.
func (m *Fields) Build(t TB, w With) []byte {
	t.Helper()
	f := new(MemFile)
	b, err := build.New(format.NewFileWriter(f, format.KindSegment, format.ID{1, 2, 3}), m.Options(w))
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Fields {
		x := &m.Fields[i]
		if len(x.Lists) == 0 {
			continue
		}
		if err := b.BeginField(i); err != nil {
			t.Fatal(err)
		}
		for _, term := range slices.Sorted(maps.Keys(x.Lists)) {
			if err := b.AddPositions([]byte(term), Split(x.Lists[term]), x.Gaps[term]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, id := range m.IDs {
		if err := b.AddDoc([]byte(id), nil); err != nil {
			t.Fatal(err)
		}
	}
	for i := range m.Fields {
		if m.Fields[i].Column {
			m.Fields[i].addColumn(t, b, i)
		}
		if m.Fields[i].Kind == schema.Vector {
			m.Fields[i].addVectors(t, b, i)
		}
	}
	if _, err := b.Finish(); err != nil {
		t.Fatal(err)
	}
	return f.B
}

// Check compares every view of the fields of s with m.
func (m *Fields) Check(t TB, s *segment.Segment) {
	t.Helper()
	if len(s.Fields()) != len(m.Fields) {
		t.Fatalf("%d fields, want %d", len(s.Fields()), len(m.Fields))
	}
	all := s.Lists().Terms()
	for i := range m.Fields {
		f := &m.Fields[i]
		if n, ok := s.FieldByID(f.ID); n != i || !ok {
			t.Fatalf("field %q with id %d is number %d, %t; want %d", f.Name, f.ID, n, ok, i)
		}
		f.check(t, s.Field(i), all, len(m.IDs))
	}
	if all.Next() || all.Err() != nil {
		t.Fatalf("a term %q more, %v", all.Term(), all.Err())
	}
	for doc := range m.IDs {
		want := uint32(0)
		for i := range m.Fields {
			if f := &m.Fields[i]; f.HasLengths() {
				want += f.lengths(len(m.IDs))[doc]
			}
		}
		if n, err := s.Documents().Length(uint32(doc)); n != want || err != nil {
			t.Fatalf("document %d has %d tokens, want %d, %v", doc, n, want, err)
		}
	}
}

// check compares a view of f with f. all is before its first term.
func (f *FieldModel) check(t TB, v segment.FieldView, all *segment.TermIterator, docs int) {
	t.Helper()
	x := v.Info()
	if x.Name != f.Name || x.Kind != f.Kind || x.Index != f.Indexing() || x.Positions != f.Positions || x.Stored != f.Stored || x.Column != f.Column || x.Unit != f.Unit || x.Lengths != f.Lengths || x.Dims != f.Dims || x.Similarity != f.Similarity || x.Field.Values != f.Field.Values || x.Model != f.Model || int(x.Terms) != len(f.Lists) {
		t.Fatalf("field %+v, want %+v with %d terms", x, f.Field, len(f.Lists))
	}
	table, err := v.Lengths()
	if err != nil || table.Len() != docs {
		t.Fatalf("field %q has %d lengths, want %d, %v", f.Name, table.Len(), docs, err)
	}
	f.checkStats(t, x, table)
	f.checkColumn(t, v, docs)
	f.checkVectors(t, v)
	seen := &Model{Lens: f.lengths(docs)}
	it := v.Terms(nil)
	var l segment.List
	for _, term := range slices.Sorted(maps.Keys(f.Lists)) {
		if !it.Next() || string(it.Term()) != term || !all.Next() || string(all.Term()) != term || all.Entry() != it.Entry() {
			t.Fatalf("field %q: terms %q and %q, want %q, %v, %v", f.Name, it.Term(), all.Term(), term, it.Err(), all.Err())
		}
		e, ok, err := v.Lookup([]byte(term))
		if err != nil || !ok || e != it.Entry() || !v.Terms([]byte(term)).Next() {
			t.Fatalf("field %q: lookup of %q: %v %v %v, iterator has %v", f.Name, term, e, ok, err, it.Entry())
		}
		if err := v.Segment().Lists().Init(&l, e); err != nil {
			t.Fatal(err)
		}
		if got := PostingsOf(t, &l); !slices.Equal(got, f.Lists[term]) {
			t.Fatalf("field %q: list %q is %v, want %v", f.Name, term, got, f.Lists[term])
		}
		if f.Kind == schema.Impacts {
			checkMaxima(t, &l, f.Lists[term])
		} else {
			seen.checkBounds(t, &l, f.Lists[term])
		}
		f.checkPositions(t, v, term, &l)
	}
	if it.Next() || it.Err() != nil {
		t.Fatalf("field %q: a term %q more, %v", f.Name, it.Term(), it.Err())
	}
}

// checkStats compares statistics and lengths with f.
func (f *FieldModel) checkStats(t TB, x *segment.Field, table segment.LengthTable) {
	t.Helper()
	docs := uint32(table.Len())
	all := make([]uint32, docs)
	for i := range all {
		all[i] = uint32(i)
	}
	gathered := make([]uint32, docs)
	table.GatherLengths(gathered, all)
	lens := f.lengths(int(docs))
	if !slices.Equal(gathered, lens) {
		t.Fatalf("field %q has lengths %v, want %v", f.Name, gathered, lens)
	}
	want := segment.Field{Docs: docs}
	if f.HasLengths() {
		want = segment.Field{}
		for i, n := range lens {
			want.Tokens, want.LengthSum = want.Tokens+uint64(f.Lens[i]), want.LengthSum+uint64(n)
			if n > 0 {
				want.Docs++
			}
		}
		if docs > 0 {
			want.MinLen, want.MaxLen = slices.Min(lens), slices.Max(lens)
		}
	}
	if x.Docs != want.Docs || x.Tokens != want.Tokens || x.LengthSum != want.LengthSum || x.MinLen != want.MinLen || x.MaxLen != want.MaxLen {
		t.Fatalf("field %+v, want %+v", x, want)
	}
}
