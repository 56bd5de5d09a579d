package writer_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// fieldWorld is an index with a schema and, in plain maps, what it must hold.
type fieldWorld struct {
	fs     *memfs.FS
	w      *writer.Writer
	schema *schema.Schema
	docs   map[string][]worldValue // by id
	order  worldOrder
}

// worldValue is a value of a field, which keeps its id when it is renamed.
type worldValue struct {
	field uint32
	value schema.Value
}

func openWorld(t *rapid.T, fs *memfs.FS, s *schema.Schema) *writer.Writer {
	o := writer.Options{Schema: s, Threads: 2, Memory: writer.MinMemory}
	o.SetBatch(1000)
	if rapid.Bool().Draw(t, "large documents") {
		o.SetLarge(rapid.IntRange(1, 300).Draw(t, "large"), rapid.IntRange(1, 60).Draw(t, "piece"))
	}
	if rapid.Bool().Draw(t, "eager merges") {
		o.MergePolicy = func(all []writer.SegmentStats) []writer.Run {
			if len(all) < 3 {
				return nil
			}
			return []writer.Run{{From: 1, Segments: len(all) - 1}}
		}
	}
	w, err := writer.OpenFS(context.Background(), fs, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

var worldFields = []schema.Field{
	{Name: "body", Kind: schema.Text, Analyzer: "whitespace", Stored: true, Lengths: schema.LengthsByte},
	{Name: "title", Kind: schema.Text, Analyzer: "whitespace", Boost: 2},
	{Name: "tag", Kind: schema.Keyword, Stored: true},
	{Name: "path", Kind: schema.Text, Analyzer: "whitespace", Index: schema.IndexDocs},
	{Name: "size", Kind: schema.Integer, Stored: true},
	{Name: "note", Kind: schema.Text, Index: schema.IndexNone, Stored: true},
	{Name: "price", Kind: schema.Float, Stored: true},
	{Name: "made", Kind: schema.Time, Stored: true, Unit: schema.UnitMicrosecond},
	{Name: "host", Kind: schema.Keyword, Column: true},
	{Name: "level", Kind: schema.Keyword, Index: schema.IndexNone, Column: true},
	{Name: "count", Kind: schema.Integer, Column: true},
	{Name: "ratio", Kind: schema.Float, Column: true, Stored: true},
	{Name: "seen", Kind: schema.Time, Unit: schema.UnitSecond, Column: true, Stored: true},
	{Name: "quote", Kind: schema.Text, Analyzer: "whitespace", Positions: true},
	{Name: "placed", Kind: schema.Text, Analyzer: stackName, Positions: true},
	{Name: "stacked", Kind: schema.Text, Analyzer: stackName},
	{Name: "vector", Kind: schema.Impacts, Scale: 0.25},
}

// draw draws the values of a document.
func (x *fieldWorld) draw(t *rapid.T) (values []schema.Value) {
	for range rapid.IntRange(0, 5).Draw(t, "values") {
		i := rapid.IntRange(0, len(x.schema.Fields)-1).Draw(t, "field")
		text := func() []byte {
			words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", "abc", "zebra", "longer-than-eight", "longer-than-nine", "a|b", "a|a|ab", "+7", "+40000"}), 0, 90).Draw(t, "words")
			return []byte(strings.Join(words, " "))
		}
		switch x.schema.Fields[i].Kind {
		case schema.Text:
			values = append(values, schema.TextValue(i, text()))
		case schema.Keyword:
			values = append(values, schema.KeywordValue(i, []byte(rapid.SampledFrom([]string{"", "red", "a", "zebra", "dark blue"}).Draw(t, "keyword"))))
		case schema.Integer:
			values = append(values, schema.IntegerValue(i, rapid.Int64().Draw(t, "integer")))
		case schema.Float:
			values = append(values, schema.FloatValue(i, drawFloat(t)))
		case schema.Impacts:
			if !slices.ContainsFunc(values, func(v schema.Value) bool { return v.Field == i }) {
				values = append(values, schema.ImpactsValue(i, drawImpacts(t)))
			}
		default:
			values = append(values, schema.NanosValue(i, int64(rapid.Int32().Draw(t, "time"))))
		}
	}
	return values
}

func (x *fieldWorld) add(t *rapid.T) {
	id := fmt.Sprint(rapid.IntRange(0, 30).Draw(t, "id"))
	values := x.draw(t)
	if err := x.w.Add(context.Background(), writer.Doc{ID: []byte(id), Values: values}); err != nil {
		t.Fatal(err)
	}
	x.docs[id] = nil
	for _, v := range values {
		if v.Kind == schema.Time {
			for v.Int()%1000 != 0 { // in whole microseconds
				v = schema.NanosValue(v.Field, v.Int()-1)
			}
		}
		x.docs[id] = append(x.docs[id], worldValue{x.schema.Fields[v.Field].ID, v})
	}
}

// many adds documents for lists that need extents.
func (x *fieldWorld) many(t *rapid.T) {
	for i := range 150 {
		id := fmt.Sprint("m", i)
		x.docs[id] = nil
		var values []schema.Value
		for j := range x.schema.Fields {
			if f := &x.schema.Fields[j]; f.Kind == schema.Text {
				v := schema.TextValue(j, []byte(strings.Repeat("b ", 1+i%40)+"a"))
				values = append(values, v)
				x.docs[id] = append(x.docs[id], worldValue{f.ID, v})
			} else if f.Kind == schema.Impacts {
				v := schema.ImpactsValue(j, []schema.Impact{{Term: "b", Weight: uint8(255 - i)}, {Term: "a", Weight: 1 + uint8(i%3)}})
				values = append(values, v)
				x.docs[id] = append(x.docs[id], worldValue{f.ID, v})
			}
		}
		if err := x.w.Add(context.Background(), writer.Doc{ID: []byte(id), Values: values}); err != nil {
			t.Fatal(err)
		}
	}
}

// change opens the index with a schema that has changed.
func (x *fieldWorld) change(t *rapid.T) {
	if err := x.w.Commit(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := x.w.Close(); err != nil {
		t.Fatal(err)
	}
	s := x.schema
	var err error
	switch name := rapid.SampledFrom(s.Fields).Draw(t, "field").Name; rapid.IntRange(0, 2).Draw(t, "change") {
	case 0:
		f := rapid.SampledFrom(worldFields).Draw(t, "new")
		if f.Name += fmt.Sprint(s.NextID); s.NextID < 30 {
			s, err = s.Add(f)
		}
	case 1:
		s, err = s.Rename(name, fmt.Sprint(rapid.StringMatching(`[a-z]`).Draw(t, "name"), "-", name[:min(len(name), 20)], len(name)))
	case 2:
		if len(s.Fields) > 1 {
			s, err = s.Drop(name)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	x.w = openWorld(t, x.fs, s)
	x.schema = x.w.Schema()
	if _, ok := x.schema.ByID(x.order.field); !ok {
		x.order = worldOrder{}
	}
}

// words returns the terms of a value of f, each as often as its frequency or weight says.
func words(f *schema.Field, v schema.Value) []string {
	switch {
	case f.Indexing() == schema.IndexNone:
		return nil
	case f.Kind == schema.Impacts:
		var all []string
		for term, weight := range v.Impacts() {
			all = append(all, slices.Repeat([]string{string(term)}, int(weight))...)
		}
		return all
	case f.Analyzer == stackName:
		var all []string
		for term, places := range placesOf(f, []worldValue{{f.ID, v}}) {
			all = append(all, slices.Repeat([]string{term}, len(places))...)
		}
		return all
	case f.Kind == schema.Text:
		return strings.Fields(string(v.Bytes()))
	case len(v.Bytes()) == 0:
		return nil
	}
	return []string{string(v.Bytes())}
}

// check compares a snapshot with what the index must hold.
func (x *fieldWorld) check(t *rapid.T) {
	if err := x.w.Commit(context.Background()); err != nil {
		t.Fatal(err)
	}
	r, err := reader.Open(t.Context(), reader.FromStore(x.fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(context.Background()); err != nil {
		t.Fatal(err)
	}
	if st := s.Stats(); st.Live != uint64(len(x.docs)) {
		t.Fatalf("%d documents, want %d", st.Live, len(x.docs))
	}
	for i := range x.schema.Fields {
		x.checkField(t, s, &x.schema.Fields[i])
		x.checkColumn(t, s, &x.schema.Fields[i])
		x.checkPositions(t, s, &x.schema.Fields[i])
	}
	for id := range x.docs {
		x.checkStored(t, s, id)
	}
	if _, ok := s.Field("no such field"); ok {
		t.Fatal("there is a field that there is not")
	}
	if _, _, err := s.Lookup([]byte("a"), nil); err == nil && s.Stats().Segments > 0 && len(x.schema.Fields) > 1 || err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Fatalf("looking a term up in no field: %v", err)
	}
}

// checkField compares lists and statistics of f.
func (x *fieldWorld) checkField(t *rapid.T, s *reader.Snapshot, f *schema.Field) {
	want, lens := map[string]map[string]uint32{}, map[string]uint32{}
	var stats reader.FieldStats
	for id, values := range x.docs {
		n := uint32(0)
		for _, v := range values {
			if v.field != f.ID {
				continue
			}
			for _, term := range words(f, v.value) {
				if want[term] == nil {
					want[term] = map[string]uint32{}
				}
				want[term][id]++
				n++
				if f.Indexing() == schema.IndexDocs {
					want[term][id] = 1
				}
			}
		}
		if f.Lengths == schema.LengthsByte && n >= 32 { // sixteen steps a doubling
			step := uint32(2)
			for n >= 32*step {
				step *= 2
			}
			n -= n % step
		}
		if lens[id] = n; n > 0 {
			stats.Docs++
			stats.Tokens += uint64(n)
		}
	}
	if !f.HasLengths() {
		stats = reader.FieldStats{Docs: uint64(len(x.docs)), Tokens: uint64(len(x.docs))}
		if f.Indexing() == schema.IndexNone {
			stats = reader.FieldStats{}
		}
	}
	got := s.FieldStats(f.Name)
	if got.Docs != stats.Docs || got.Tokens != stats.Tokens {
		t.Fatalf("field %s: statistics %+v, want %+v", f.Name, got, stats)
	}
	of, ok := s.Field(f.Name)
	if !ok {
		t.Fatalf("no field %s", f.Name)
	}
	terms := of.Terms(nil)
	seen := 0
	for terms.Next() {
		term := string(terms.Term())
		list := map[string]uint32{}
		last := int64(-1)
		for p, err := range of.Postings([]byte(term)) {
			if err != nil {
				t.Fatal(err)
			}
			id, err := s.AppendID(nil, p.Doc)
			if err != nil || int64(p.Doc) <= last {
				t.Fatalf("document %d after %d, %v", p.Doc, last, err)
			}
			last = int64(p.Doc)
			list[string(id)] = p.Freq
			if n, err := of.DocLen(p.Doc); err != nil || f.HasLengths() && n != lens[string(id)] {
				t.Fatalf("field %s: document %s has %d tokens, want %d, %v", f.Name, id, n, lens[string(id)], err)
			}
		}
		if !maps.Equal(list, want[term]) {
			t.Fatalf("field %s: list %q is %v, want %v", f.Name, term, list, want[term])
		}
		if df, err := of.DF([]byte(term)); err != nil || df != uint64(len(list)) {
			t.Fatalf("field %s: df of %q is %d, want %d, %v", f.Name, term, df, len(list), err)
		}
		if len(list) > 0 {
			seen++
		}
	}
	if terms.Err() != nil || seen != len(want) {
		t.Fatalf("field %s: %d terms, want %d, %v", f.Name, seen, len(want), terms.Err())
	}
}

// checkStored compares the stored values of a document.
func (x *fieldWorld) checkStored(t *rapid.T, s *reader.Snapshot, id string) {
	doc, ok, err := s.FindID([]byte(id))
	if err != nil || !ok {
		t.Fatalf("document %s is missing, %v", id, err)
	}
	var want, got []string
	for _, v := range x.docs[id] {
		if f, ok := x.schema.ByID(v.field); ok && f.Stored {
			want = append(want, fmt.Sprint(v.field, inUnit(f, v.value)))
		}
	}
	rest, err := s.AppendStored(nil, doc)
	if err != nil {
		t.Fatal(err)
	}
	for len(rest) > 0 {
		var v record.Stored
		if v, rest, err = record.Next(rest); err != nil {
			t.Fatal(err)
		}
		if f, ok := x.schema.ByID(v.ID); ok {
			value, err := v.Value(0, f.Kind)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(v.ID, value))
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("document %s has values %q, want %q", id, got, want)
	}
}

// After documents are added, replaced and deleted, segments merged and reordered, and fields
// added, renamed and dropped, the index has in each field the lists, lengths, statistics and
// stored values that follow from the documents alone.
func TestFields(t *testing.T) {
	longtest.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		first := slices.Clone(worldFields)
		slices.SortFunc(first, func(a, b schema.Field) int { // any order
			return cmp.Compare(rapid.Uint8().Draw(t, a.Name), rapid.Uint8().Draw(t, b.Name))
		})
		x := &fieldWorld{fs: memfs.New(), docs: map[string][]worldValue{}}
		x.w = openWorld(t, x.fs, &schema.Schema{Fields: first[:rapid.IntRange(1, len(first)).Draw(t, "fields")]})
		defer func() { x.w.Close() }()
		x.schema = x.w.Schema()
		ctx := context.Background()
		try := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"":     func(*rapid.T) {},
			"add":  x.add,
			"many": x.many,
			"delete": func(t *rapid.T) {
				id := fmt.Sprint(rapid.SampledFrom([]string{"", "m"}).Draw(t, "kind"), rapid.IntRange(0, 30).Draw(t, "id"))
				try(x.w.Delete(ctx, []byte(id)))
				delete(x.docs, id)
			},
			"wait":    func(*rapid.T) { try(x.w.WaitMerges(ctx)) },
			"flush":   func(*rapid.T) { try(x.w.Flush(ctx)) },
			"check":   x.check,
			"change":  x.change,
			"merge":   func(*rapid.T) { _, err := x.w.Merge(ctx, writer.MergeOptions{MaxSegments: 1}); try(err) },
			"reorder": func(*rapid.T) { try(x.reorder(writer.OrderRandom, worldOrder{})) },
			"sort":    func(t *rapid.T) { try(x.sort(t)) },
			"copy": func(t *rapid.T) { // the index becomes what MergeFrom makes of it
				try(x.w.Commit(ctx))
				fs := memfs.New()
				w := openWorld(t, fs, x.schema)
				dir, err := indexdir.OpenFS(x.fs)
				try(err)
				_, err = w.MergeFrom(ctx, dir.FS())
				try(err)
				try(dir.Close())
				try(x.w.Close())
				x.fs, x.w = fs, w
				x.schema, x.order = x.w.Schema(), worldOrder{}
			},
		})
		x.check(t)
	})
}

// A document that the schema does not allow gives an error that names the field, and nothing of
// it is added.
func TestBadDocs(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: &schema.Schema{Fields: worldFields}, Memory: writer.MinMemory})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	good := schema.TextValue(0, []byte("text"))
	for _, tt := range []struct {
		name   string
		values []schema.Value
		want   string
	}{
		{"kind", []schema.Value{good, schema.KeywordValue(1, []byte("x"))}, `"title"`},
		{"keyword", []schema.Value{good, schema.KeywordValue(2, bytes.Repeat([]byte("x"), schema.MaxKeyword+1))}, `"tag"`},
		{"field", []schema.Value{good, schema.TextValue(len(worldFields), "")}, fmt.Sprint("field ", len(worldFields))},
		{"no field", []schema.Value{good, schema.TextValue(-1, "")}, "field -1"},
		{"weight", []schema.Value{good, schema.ImpactsValue(16, []schema.Impact{{Term: "x"}})}, `"vector": the term "x" has weight 0`},
		{"term twice", []schema.Value{good, schema.ImpactsValue(16, []schema.Impact{{Term: "x", Weight: 1}, {Term: "x", Weight: 2}})}, `"vector": the term "x" comes twice`},
		{"two vectors", []schema.Value{schema.ImpactsValue(16, nil), good, schema.ImpactsValue(16, nil)}, `"vector": a second value of impacts`},
		{"a vector of text", []schema.Value{good, schema.ImpactsValue(1, nil)}, "kind impacts in a field of kind text"},
		{"text of a vector", []schema.Value{good, schema.TextValue(16, "")}, "kind text in a field of kind impacts"},
		{"size", []schema.Value{good, schema.TextValue(1, make([]byte, writer.MinMemory/4+1))}, "memory budget"},
	} {
		err := w.Add(ctx, writer.Doc{ID: []byte("bad"), Values: tt.values})
		if !errors.Is(err, writer.ErrDocument) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), `"bad"`) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if err := w.Add(ctx, writer.Doc{Values: []schema.Value{good}}); !errors.Is(err, writer.ErrDocument) {
		t.Errorf("no id: %v", err)
	}
	if err := w.Add(ctx, writer.Text([]byte("bad"), nil)); !errors.Is(err, writer.ErrDocument) {
		t.Errorf("a document without fields: %v", err)
	}
	if err := w.AddInverted(ctx, writer.Inverted{}); !errors.Is(err, writer.ErrInvalid) {
		t.Errorf("lists without fields: %v", err)
	}
	if err := w.Add(ctx, writer.Doc{ID: []byte("good"), Values: []schema.Value{good}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	r, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if st := s.Stats(); st.Docs != 1 {
		t.Errorf("%d documents", st.Docs)
	}
}

// In the steady state Add allocates nothing.
func TestAddAllocations(t *testing.T) {
	w, err := writer.OpenFS(t.Context(), memfs.New(), writer.Options{Schema: &schema.Schema{Fields: worldFields}, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	id, text := []byte("id 00000"), []byte("some text of a document that is no longer than that")
	values := []schema.Value{schema.TextValue(0, text), schema.KeywordValue(2, text[:4]), schema.IntegerValue(4, 7)}
	add := func() {
		id[7]++
		if err := w.Add(t.Context(), writer.Doc{ID: id, Values: values}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3000 { // batches grow
		add()
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(200, add); n > 0.5 {
		t.Errorf("%v allocations a document", n)
	}
}
