package sim

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// versionNames are names of the field that tells versions of documents apart. It is renamed, but never dropped.
var versionNames = []string{"version", "version, renamed"}

// names are those of other fields. There are few, so that those of dropped fields come back.
var names = []string{"a", "ab", "b", "body", "title", "Title", "übrige", "z z"}

// versionField returns the field that tells versions apart; without a schema, the only one.
func versionField(s *schema.Schema) *schema.Field {
	if s == nil {
		return &schema.Implicit("", "", false).Fields[0]
	}
	return &s.Fields[slices.IndexFunc(s.Fields, func(f schema.Field) bool { return slices.Contains(versionNames, f.Name) })]
}

// drawSchema draws the schema of a Writer of an index with the schema old, or of a new one if that is nil:
// none, so that the index's stays, one with more fields, or one with changed ones. A new one may have no
// field that is indexed.
func drawSchema(r *rand.Rand, old *schema.Schema) *schema.Schema {
	if old == nil {
		s := &schema.Schema{Fields: []schema.Field{{Name: versionNames[0], Kind: schema.Keyword}}}
		if r.IntN(2) == 0 {
			s.Fields[0] = schema.Field{Name: versionNames[0], Kind: schema.Text, Analyzer: "whitespace"}
		}
		s.Fields[0].Stored = r.IntN(2) == 0
		if r.IntN(6) > 0 {
			return more(r, s, 1+r.IntN(5))
		}
		s.Fields[0] = schema.Field{Name: versionNames[0], Kind: schema.Keyword, Index: schema.IndexNone, Column: true}
		s = more(r, s, 5)
		s.Fields = slices.DeleteFunc(s.Fields, func(f schema.Field) bool { return f.Indexing() != schema.IndexNone })
		return s
	}
	switch r.IntN(3) {
	case 0:
		return nil
	case 1: // as a program that knows no ids says it
		s := more(r, old.Clone(), r.IntN(3))
		s.NextID = 0
		for i := range s.Fields {
			s.Fields[i].ID = 0
		}
		return s
	}
	return changed(r, old)
}

// more returns s with up to n more fields, in another order.
func more(r *rand.Rand, s *schema.Schema, n int) *schema.Schema {
	for range n {
		if name := names[r.IntN(len(names))]; s.Number(name) < 0 {
			s.Fields = append(s.Fields, drawField(r, name))
		}
	}
	r.Shuffle(len(s.Fields), func(i, j int) { s.Fields[i], s.Fields[j] = s.Fields[j], s.Fields[i] })
	return s
}

// changed returns a schema that Add, Rename and Drop make of the index's.
func changed(r *rand.Rand, s *schema.Schema) *schema.Schema {
	for range 1 + r.IntN(3) {
		name := names[r.IntN(len(names))]
		var next *schema.Schema
		var err error
		switch at := s.Fields[r.IntN(len(s.Fields))].Name; {
		case r.IntN(2) == 0:
			next, err = s.Add(drawField(r, name))
		case slices.Contains(versionNames, at):
			next, err = s.Rename(at, versionNames[r.IntN(2)])
		case r.IntN(2) == 0:
			next, err = s.Rename(at, name)
		default:
			next, err = s.Drop(at)
		}
		if err == nil { // the name may be another field's
			s = next
		}
	}
	return s
}

// drawField draws a field.
func drawField(r *rand.Rand, name string) schema.Field {
	f := schema.Field{Name: name, Kind: []schema.Kind{schema.Text, schema.Text, schema.Text, schema.Text,
		schema.Keyword, schema.Keyword, schema.Integer, schema.Float, schema.Time, schema.Impacts, schema.Vector, schema.Vector}[r.IntN(12)], Stored: r.IntN(2) == 0}
	switch f.Kind {
	case schema.Text:
		n := r.IntN(7)
		f.Index = []schema.Index{schema.IndexDefault, schema.IndexDefault, schema.IndexFreqs, schema.IndexFreqs, schema.IndexDefault, schema.IndexDocs, schema.IndexNone}[n]
		f.Positions = n == 3 || n == 4
		f.Analyzer = []string{"", "simple", "standard", "whitespace", "english", "keyword"}[r.IntN(6)]
	case schema.Keyword:
		f.Index = []schema.Index{schema.IndexDefault, schema.IndexDocs, schema.IndexNone}[r.IntN(3)]
	case schema.Time:
		f.Unit = schema.Unit(r.IntN(4))
	case schema.Impacts:
		return schema.Field{Name: name, Kind: f.Kind, Scale: []float64{0, 1, 0.3, 1e-6}[r.IntN(4)]}
	case schema.Vector:
		return drawDenseField(r, name)
	}
	f.Column = f.Kind != schema.Text && r.IntN(2) == 0
	if f.Indexing() == schema.IndexNone {
		f.Stored = f.Stored || !f.Column
		return f
	}
	f.K1 = []float64{0, 0, 1.2, 3, query.Zero}[r.IntN(5)]
	f.Boost = []float64{0, 0, 1, 2.5, 0.3, schema.MaxParameter, 1 / schema.MaxParameter}[r.IntN(7)]
	if f.HasLengths() {
		f.B = []float64{0, 0, 0.75, 1, query.Zero}[r.IntN(5)]
		f.Lengths = schema.Lengths(r.IntN(2))
	}
	return f
}

// follows returns why got is not the schema of an index whose schema was old and whose Writer was
// asked for another one, or for none. Without old, the index is new, and ids may be any.
func follows(got, asked, old *schema.Schema) error {
	want := asked
	if asked == nil {
		want = old
	}
	if got == nil || want == nil || len(got.Fields) != len(want.Fields) {
		return fmt.Errorf("the schema is %+v, not %+v", got, want)
	}
	next := uint32(0)
	if old != nil {
		next = old.NextID
	}
	for i, w := range want.Fields {
		g := got.Fields[i]
		if is, ok := old.Field(w.Name); ok && old != nil && want.NextID == 0 {
			w.ID = is.ID
		}
		if w.ID == 0 && old != nil {
			w.ID = next
			next++
		}
		if w.ID == 0 && g.ID > 0 && g.ID < got.NextID {
			w.ID = g.ID
		}
		if w.Kind == schema.Text && w.Analyzer == "" {
			w.Analyzer = "standard"
		}
		w.Options, w.Index = g.Options, w.Indexing()
		if g != w {
			return fmt.Errorf("field %d is %+v, not %+v", i, g, w)
		}
	}
	if old != nil && got.NextID != next {
		return fmt.Errorf("the next field gets the id %d, not %d", got.NextID, next)
	}
	return nil
}

// contradiction returns a schema that contradicts s, and the name of the field that does.
func contradiction(r *rand.Rand, s *schema.Schema) (c *schema.Schema, name string) {
	c = s.Clone()
	i := r.IntN(len(c.Fields))
	f := &c.Fields[i]
	name = f.Name
	switch n := r.IntN(3); {
	case n < 2 && f.HasImpacts():
		f.Scale = f.Step() * 0.75
	case n < 2 && f.Kind == schema.Vector:
		otherDense(r, f)
	case n == 0 && f.HasLengths():
		f.Positions = !f.Positions
	case n == 1 && f.Indexing() != schema.IndexNone:
		f.Stored = !f.Stored
	default:
		*f = schema.Field{ID: f.ID, Name: f.Name, Kind: schema.Integer, Stored: true}
		if s.Fields[i].Kind == schema.Integer {
			f.Kind = schema.Float
		}
	}
	return c, name
}

// drawValues draws the values of a document, in any order of fields.
func drawValues(r *rand.Rand, s *schema.Schema, version string) []schema.Value {
	var values []schema.Value
	own := versionField(s)
	for i := range s.Fields {
		f := &s.Fields[i]
		switch {
		case f.Name == own.Name && f.Kind == schema.Text:
			values = append(values, schema.TextValue(i, []byte(version)))
		case f.Name == own.Name:
			values = append(values, schema.KeywordValue(i, []byte(version)))
		default:
			n := r.IntN(4) * r.IntN(2) * (1 + r.IntN(2)) / 2
			switch {
			case f.HasImpacts():
				n = min(n, 1)
			case f.Kind == schema.Vector && f.ID%3 == 0: // every document has one
				n = 1
			}
			for range n {
				values = append(values, drawValue(r, i, f))
			}
		}
	}
	r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	return values
}

// drawValue draws a value of a field, which is field i. Half of the fields of floats have ranks.
func drawValue(r *rand.Rand, i int, f *schema.Field) schema.Value {
	switch f.Kind {
	case schema.Text:
		words := drawWords(r)
		if r.IntN(8) == 0 && len(words) > 0 {
			words[0] = strings.ToUpper(words[0])
		}
		return schema.TextValue(i, []byte(strings.Join(words, []string{" ", ", ", "\n "}[r.IntN(3)])))
	case schema.Keyword:
		word := fmt.Sprintf("w%d", r.IntN(1<<(1+r.IntN(5))))
		switch r.IntN(32) {
		case 0:
			word = ""
		case 1:
			word = "W, \xff \x00"
		case 2:
			word = strings.Repeat("long", schema.MaxKeyword/4)
		}
		return schema.KeywordValue(i, []byte(word))
	case schema.Impacts:
		return drawImpacts(r, i)
	case schema.Vector:
		return schema.VectorValue(i, drawDense(r, f))
	case schema.Integer:
		return schema.IntegerValue(i, int64(r.Uint64())>>r.IntN(64))
	case schema.Float:
		if f.ID%2 == 0 {
			return schema.FloatValue(i, drawRank(r))
		}
		return schema.FloatValue(i, []float64{0, math.Copysign(0, -1), r.NormFloat64(), math.MaxFloat64, math.SmallestNonzeroFloat64}[r.IntN(5)])
	}
	if r.IntN(4) == 0 {
		return schema.TimeValue(i, time.Date(1678+r.IntN(583), 2, 29, 1, 2, 3, r.IntN(1e9), time.UTC))
	}
	return schema.NanosValue(i, max(math.MinInt64+1, int64(r.Uint64())>>r.IntN(64)))
}

// wrong returns a value that a document cannot have.
func wrong(r *rand.Rand, s *schema.Schema) schema.Value {
	i := r.IntN(len(s.Fields))
	f := &s.Fields[i]
	switch {
	case r.IntN(4) == 0:
		return schema.TextValue([]int{-1, len(s.Fields), math.MaxInt, 1 << 16}[r.IntN(4)], []byte("w1"))
	case f.Kind == schema.Float && r.IntN(2) == 0:
		return schema.FloatValue(i, []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(3)])
	case f.Kind == schema.Time && r.IntN(2) == 0:
		return schema.TimeValue(i, time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC))
	case f.Kind == schema.Keyword && f.Indexing() == schema.IndexDocs && r.IntN(2) == 0:
		return schema.KeywordValue(i, bytes.Repeat([]byte("k"), schema.MaxKeyword+1))
	case f.Kind == schema.Vector && r.IntN(4) > 0:
		return schema.VectorValue(i, wrongDense(r, f))
	case f.Kind != schema.Vector && r.IntN(8) == 0:
		return schema.VectorValue(i, []float32{1})
	case f.Kind == schema.Text:
		return schema.KeywordValue(i, []byte("w1"))
	case f.HasImpacts() && r.IntN(2) == 0:
		return schema.ImpactsValue(i, [][]schema.Impact{{{Term: "w1"}}, {{Term: "w1", Weight: 1}, {Term: "w1", Weight: 2}}}[r.IntN(2)])
	}
	return schema.TextValue(i, []byte("w1"))
}

// terms returns the terms of values of a field.
func terms(f *schema.Field, values []any) (all []string) {
	if f.Indexing() == schema.IndexNone {
		return nil
	}
	for _, v := range values {
		if of, ok := v.(vector); ok {
			return slices.Sorted(maps.Keys(of.weights()))
		}
		switch text := v.(string); {
		case f.HasImpacts(), f.Kind == schema.Keyword, f.Analyzer == "keyword":
			if text != "" {
				all = append(all, text)
			}
		case f.Analyzer == "whitespace":
			all = append(all, strings.Fields(text)...)
		default: // the words have nothing that these analyzers tell apart
			all = append(all, strings.Fields(strings.ToLower(strings.ReplaceAll(text, ",", " ")))...)
		}
	}
	return all
}

// kept returns a value of the model as field f keeps it.
func kept(f *schema.Field, x any) any {
	v, ok := x.(dense)
	switch {
	case ok && f.Values == schema.Float16:
		return denseOf(oracle.Halves(v.floats()))
	case ok && f.Values == schema.Int8:
		return denseOf(oracle.Coded(v.floats()))
	}
	return x
}

// plain returns a value as the model keeps it.
func plain(v schema.Value) any {
	switch v.Kind {
	case schema.Text, schema.Keyword:
		return string(v.Bytes())
	case schema.Float:
		return math.Float64bits(v.Float())
	case schema.Impacts:
		return vector(v.String())
	case schema.Vector:
		return dense(v.VectorBytes())
	}
	return v.Int()
}
