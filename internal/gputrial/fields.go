package gputrial

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Library is an index with a schema that was drawn: fields of all kinds, each with parameters of its own, in several
// segments, some of whose documents are deleted.
type Library struct {
	Schema *schema.Schema
	Index  *reader.Index
	Docs   int

	writer *writer.Writer
	rng    *rand.Rand
}

// words is the number of words of a Library's fields of text. The first are in most documents.
const words = 120

// DrawLibrary draws an index of that many documents. Of every other one the segments that are written first lack a
// field.
func DrawLibrary(ctx context.Context, rng *rand.Rand, docs int) (l *Library, err error) {
	return drawLibrary(ctx, rng, drawSchema(rng), docs)
}

// DrawLibraries draws indexes of so many documents each, all with the same schema: parts of a collection.
func DrawLibraries(ctx context.Context, rng *rand.Rand, docs ...int) (all []*Library, err error) {
	s := drawSchema(rng)
	for _, n := range docs {
		l, err := drawLibrary(ctx, rng, s, n)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// drawLibrary draws an index with a schema.
func drawLibrary(ctx context.Context, rng *rand.Rand, s *schema.Schema, docs int) (l *Library, err error) {
	l = &Library{Schema: s, Docs: docs, rng: rng}
	fs := memfs.New()
	whole := l.Schema
	parts := 1 + rng.IntN(4)
	if len(whole.Fields) > 1 && parts > 1 && rng.IntN(2) == 0 {
		l.Schema = &schema.Schema{Fields: whole.Fields[:len(whole.Fields)-1]}
	}
	o := writer.Options{MergePolicy: writer.NoMerges}
	codecs := Codecs()
	o.DocsCodec = codecs[rng.IntN(len(codecs))]
	if c, _ := registry.ByName(o.DocsCodec); c.BlockLen() != 128 || rng.IntN(2) == 0 {
		o.DocsCodec = ""
	}
	for part := range parts {
		if part > 0 {
			l.Schema = whole
		}
		if o.Schema = l.Schema; l.writer != nil {
			err = l.writer.Close()
		}
		if err == nil {
			l.writer, err = writer.OpenFS(ctx, fs, o)
		}
		for d := part * docs / parts; d < (part+1)*docs/parts && err == nil; d++ {
			err = l.writer.Add(ctx, writer.Doc{ID: fmt.Append(nil, d), Values: l.values()})
		}
		if err != nil {
			return nil, err
		}
		if err := l.writer.Commit(ctx); err != nil {
			return nil, err
		}
	}
	for range rng.IntN(docs/4 + 1) {
		if err := l.writer.Delete(ctx, fmt.Append(nil, rng.IntN(docs))); err != nil {
			return nil, err
		}
	}
	if err := l.writer.Commit(ctx); err != nil {
		return nil, err
	}
	l.Index, err = reader.Open(ctx, reader.FromStore(fs), reader.Options{})
	return l, err
}

// Merge merges all segments and makes Index newer.
func (l *Library) Merge(ctx context.Context) error {
	_, err := l.writer.Merge(ctx, writer.MergeOptions{})
	if err == nil {
		err = l.writer.Commit(ctx)
	}
	if err == nil {
		_, err = l.Index.Refresh(ctx)
	}
	return err
}

// Close closes the index.
func (l *Library) Close() error { return errors.Join(l.writer.Close(), l.Index.Close()) }

// drawSchema draws one to six fields, at least one of text.
func drawSchema(rng *rand.Rand) *schema.Schema {
	s := &schema.Schema{}
	for i := range 1 + rng.IntN(6) {
		f := schema.Field{Name: fmt.Sprintf("%c%d", 'a'+rng.IntN(26), i), Kind: schema.Text, Analyzer: "whitespace"}
		switch rng.IntN(6) {
		case 0, 1:
			f.Lengths = schema.LengthsByte
		case 2:
			f.Index = schema.IndexDocs
		case 3:
			if i > 0 {
				f.Kind, f.Analyzer = schema.Keyword, ""
			}
		}
		f.K1, f.Boost = []float64{0, 1.2, query.Zero, 40}[rng.IntN(4)], []float64{0, 0.5, 2, 300}[rng.IntN(4)]
		if f.HasLengths() {
			f.B = []float64{0, 0.75, query.Zero, 1}[rng.IntN(4)]
		}
		s.Fields = append(s.Fields, f)
	}
	return s
}

// word draws a word, most often one that most documents have.
func word(rng *rand.Rand) string {
	return fmt.Sprint("t", int(words*rng.Float64()*rng.Float64()*rng.Float64()))
}

// values draws the values of a document. A few are a hundred times as long as others, or one word again and again.
func (l *Library) values() (vs []schema.Value) {
	rng := l.rng
	for i := range l.Schema.Fields {
		if rng.IntN(6) == 0 {
			continue
		}
		if l.Schema.Fields[i].Kind == schema.Keyword {
			vs = append(vs, schema.KeywordValue(i, []byte(word(rng))))
			continue
		}
		n := 1 + rng.IntN(1+4*(i+1))
		if rng.IntN(60) == 0 {
			n *= 1 + rng.IntN(100)
		}
		var text []string
		for range n {
			text = append(text, word(rng))
		}
		if rng.IntN(40) == 0 {
			text = []string{strings.Repeat(word(rng)+" ", n)}
		}
		vs = append(vs, schema.TextValue(i, []byte(strings.Join(text, " "))))
	}
	return vs
}

// Query draws a query: text, terms of any fields, or terms of one that must all match.
func (l *Library) Query(rng *rand.Rand) (q search.Query) {
	field := func() *schema.Field { return &l.Schema.Fields[rng.IntN(len(l.Schema.Fields))] }
	boost := func() float64 { return []float64{0, 0, 1, 0.3, 7}[rng.IntN(5)] }
	text := func() string {
		all := word(rng)
		for range rng.IntN(4) {
			all += " " + word(rng)
		}
		return all
	}
	switch rng.IntN(5) {
	case 0:
		q.Text = text()
	case 1:
		q.Node = query.Match{Text: text(), Boost: boost()}
	case 2: // within a field
		f := field()
		q.Node = query.Match{Field: f.Name, Text: text(), Mode: query.Mode(rng.IntN(3)), Boost: boost()}
	case 3:
		f, all := field().Name, query.Bool{}
		for range 1 + rng.IntN(3) {
			all.Must = append(all.Must, query.Term{Field: f, Text: word(rng), Boost: boost()})
		}
		q.Node = all
	default:
		any := query.Bool{}
		for range 1 + rng.IntN(5) {
			any.Should = append(any.Should, query.Term{Field: field().Name, Text: word(rng), Boost: boost()},
				query.Match{Field: field().Name, Text: text(), Boost: boost()})
		}
		q.Node = any
	}
	q.K = []int{0, 1, 3, 10, 100, 1000}[rng.IntN(6)]
	return q
}

// Request draws a query or a tree, which may ask for its total and for the hits behind a place.
func (l *Library) Request(rng *rand.Rand) search.Query {
	q := l.Query(rng)
	if rng.IntN(2) == 0 {
		q.Node, q.Text = l.Tree(rng), ""
	}
	if m, ok := q.Node.(query.Match); ok && m.Mode == query.ModeAndOr {
		return q
	}
	q.Total = rng.IntN(3) == 0
	if rng.IntN(4) == 0 {
		q.After = &search.Position{Score: rng.Float32() * 4, Doc: uint32(rng.IntN(l.Docs)), Before: rng.IntN(3) == 0}
	}
	return q
}

// Tree draws a tree of words of fields: what must, should and must not match, at least some of several, the best of several, filters by
// words, and each word in any field.
func (l *Library) Tree(rng *rand.Rand) query.Node { return l.tree(rng, 3) }

func (l *Library) tree(rng *rand.Rand, depth int) query.Node {
	boost := []float64{0, 0, 1, 0.3, 7}[rng.IntN(5)]
	name := func() string { return l.Schema.Fields[rng.IntN(len(l.Schema.Fields))].Name }
	leaf := func() query.Node {
		if rng.IntN(12) == 0 {
			return query.Term{Field: name(), Text: "nowhere"}
		}
		return query.Term{Field: name(), Text: word(rng), Boost: boost}
	}
	leaves := func(n int) (all []query.Node) {
		for range n {
			all = append(all, leaf())
		}
		return all
	}
	any := func() query.Node {
		if depth == 0 || rng.IntN(3) > 0 {
			return leaf()
		}
		return l.tree(rng, depth-1)
	}
	switch rng.IntN(8) {
	case 0:
		return query.Match{Text: word(rng) + " " + word(rng) + " " + word(rng), Mode: query.Mode(rng.IntN(2)), Boost: boost}
	case 1:
		return query.Bool{Should: leaves(2 + rng.IntN(7)), AtLeast: rng.IntN(6), Boost: boost}
	case 2:
		return query.Best{Of: []query.Node{any(), any(), any()}[:2+rng.IntN(2)], Tie: []float64{0, 0, 0.1, 0.7, 1}[rng.IntN(5)], Boost: boost}
	case 3:
		return query.Bool{Must: []query.Node{query.Best{Of: leaves(2 + rng.IntN(7)), Tie: float64(rng.IntN(3)) / 4}}, MustNot: leaves(rng.IntN(2)), Filter: leaves(rng.IntN(2))}
	case 4:
		return query.Bool{Should: leaves(1 + rng.IntN(4)), MustNot: leaves(1 + rng.IntN(2))}
	case 5:
		return query.Bool{Must: leaves(1 + rng.IntN(2)), Should: leaves(rng.IntN(4)), MustNot: leaves(rng.IntN(2)), Filter: leaves(rng.IntN(2)), AtLeast: rng.IntN(2)}
	case 6: // each of some
		all := query.Bool{}
		for range 1 + rng.IntN(3) {
			all.Must = append(all.Must, query.Bool{Should: leaves(1 + rng.IntN(4)), AtLeast: rng.IntN(3), Boost: boost})
		}
		return all
	}
	return query.Bool{Must: []query.Node{any(), any()}[:rng.IntN(3)], Should: []query.Node{any(), any(), any()}[:1+rng.IntN(3)], MustNot: leaves(rng.IntN(2)),
		Filter: []query.Node{any()}[:rng.IntN(2)], AtLeast: rng.IntN(3), Boost: boost}
}

// Searcher returns a Searcher over the newest snapshot of the index, which the caller closes, as the snapshot.
func (l *Library) Searcher() (*reader.Snapshot, *search.Searcher, error) {
	s, err := l.Index.Snapshot()
	if err != nil {
		return nil, nil, err
	}
	x, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	return s, x, nil
}
