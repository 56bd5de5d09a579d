package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// Explanation is what `idxinspect explain` prints: how a document gets its score.
type Explanation struct {
	Query     string      `json:"query"`
	Analyzer  string      `json:"analyzer"` // empty if the index has a schema, as all that is by field
	Doc       uint32      `json:"doc"`
	ID        cli.Text    `json:"id"`
	Deleted   bool        `json:"deleted"`
	Length    uint32      `json:"length"`
	Documents uint64      `json:"documents"`
	AvgLength float64     `json:"average_length"`
	K1        float64     `json:"k1"`
	B         float64     `json:"b"`
	Terms     []TermScore `json:"terms"`
	Score     float32     `json:"score"`
}

// TermScore is the score of one term, in the order in which scores are summed.
type TermScore struct {
	Field  string   `json:"field,omitempty"`
	Length uint32   `json:"length,omitempty"` // of the document in the field
	Term   cli.Text `json:"term"`
	Times  int      `json:"times"` // in the query
	DF     uint64   `json:"df"`
	IDF    float64  `json:"idf"`
	Weight float32  `json:"weight"`
	TF     uint32   `json:"tf"`
	Score  float32  `json:"score"`
	Sum    float32  `json:"sum"` // after this term
}

// ErrParts is matched by the error for words whose scores are not those of their terms alone.
var ErrParts = errors.New("words of this index have parts, and score as phrases of them: use idxinspect explain with --trace")

// Explain explains the score of the document with an external id for words, which are searched in all fields of text.
func Explain(x *Index, params query.Params, text, id string) (*Explanation, error) {
	g, doc, err := x.FindID(id)
	if err != nil {
		return nil, err
	}
	fields := x.Fields()
	if len(fields) > 0 && g.Deleted(doc) {
		return nil, fmt.Errorf("no document has the id %s and is not deleted", cli.Quote(id))
	}
	words, err := x.Words()
	if err != nil {
		return nil, err
	}
	var terms []query.Term
	for _, f := range words {
		if _, ok := f.Analyzer.(analysis.Compound); ok && f.Name != "" {
			return nil, fmt.Errorf("field %s: %w", f.Name, ErrParts)
		} else if ok {
			return nil, ErrParts
		}
		for _, t := range analysis.Terms(f.Analyzer.Tokenizer(), []byte(text)) {
			terms = append(terms, query.Term{Field: f.Name, Text: string(t)})
		}
	}
	e := &Explanation{Query: text, Doc: g.Base + doc, ID: cli.Text(id), Deleted: g.Deleted(doc)}
	st := x.stats(nil)
	e.Documents = st.Docs
	if len(fields) == 0 {
		a := words[0].Analyzer
		e.Analyzer, e.AvgLength = a.Name()+"("+a.Options()+")", float64(st.Tokens)/max(float64(st.Docs), 1)
		e.K1, e.B = params.Values()
		if e.Length, err = g.Documents().Length(doc); err != nil {
			return nil, err
		}
	}
	w, err := x.Weigh(terms, params)
	if err != nil {
		return nil, err
	}
	e.Terms, e.Score, err = w.Scores(g, doc)
	return e, err
}

// Words is what cuts plain words into the terms of a field.
type Words struct {
	Field    uint32 // its id; 0 without a schema
	Name     string
	Analyzer analysis.Analyzer
}

// Words returns one for each field that plain words are searched in: those of text.
func (x *Index) Words() (all []Words, err error) {
	for _, f := range x.Searched() {
		if f.Kind != schema.Text || f.Indexing() == schema.IndexNone {
			continue
		}
		a, err := analysis.New(f.Analysis())
		if err != nil {
			return nil, err
		}
		all = append(all, Words{f.ID, f.Name, a})
	}
	return all, nil
}

// Searched returns the fields of the schema, or the one that there is without.
func (x *Index) Searched() []schema.Field {
	if all := x.Fields(); len(all) > 0 {
		return all
	}
	name, options := x.Analyzer()
	return []schema.Field{{Kind: schema.Text, Analyzer: name, Options: options}}
}

// stats returns the statistics of a field on which scores depend, or of all documents.
func (x *Index) stats(f *schema.Field) (st reader.FieldStats) {
	if f != nil && f.ID != 0 && f.HasLengths() {
		var sum FieldSummary
		sum.documents(f, x.Manifest, x.Segments())
		st = reader.FieldStats{Docs: sum.Documents, Tokens: sum.Tokens}
		for _, g := range x.Segs {
			if i, ok := g.FieldByID(f.ID); ok {
				st.MaxLen = max(st.MaxLen, g.Segment.Fields()[i].MaxLen)
			}
		}
		return st
	}
	for _, g := range x.Segs {
		m := g.Meta()
		st.Docs += uint64(m.Docs - g.Deletes.Count())
		st.Tokens += m.Tokens - g.Tokens
		st.MaxLen = max(st.MaxLen, m.MaxLen)
	}
	if f != nil && f.ID != 0 {
		st.Tokens, st.MaxLen = st.Docs, 1
	}
	return st
}

// Scorer returns the scoring function of a field, nil of one that is not indexed, with parameters in place of its own.
func (x *Index) Scorer(f *schema.Field, params query.Params) (*search.Scorer, error) {
	if f.Indexing() == schema.IndexNone {
		return nil, nil
	}
	return search.ScorerOf(x.stats(f), f, params)
}

// Weighed are the different terms of a query in the order in which their scores are added: by document frequency, then
// by field and term.
type Weighed struct {
	Terms []TermScore // without what they score in a document
	field []uint32    // of each term
	sc    []*search.Scorer
}

// Weigh weighs terms.
func (x *Index) Weigh(terms []query.Term, params query.Params) (*Weighed, error) {
	type term struct {
		TermScore
		field uint32
		sc    *search.Scorer
	}
	var all []term
	fields := x.Searched()
	for _, t := range terms {
		if i := slices.IndexFunc(all, func(w term) bool { return w.Field == t.Field && string(w.Term) == t.Text }); i >= 0 {
			all[i].Times++
			continue
		}
		i := slices.IndexFunc(fields, func(f schema.Field) bool { return f.Name == t.Field })
		if i < 0 {
			return nil, fmt.Errorf("no field %s", cli.Quote(t.Field))
		}
		w := term{TermScore: TermScore{Field: t.Field, Term: cli.Text(t.Text), Times: 1}, field: fields[i].ID}
		var err error
		if w.DF, err = x.DF(w.field, []byte(t.Text)); err != nil {
			return nil, err
		}
		if k := slices.IndexFunc(all, func(w term) bool { return w.Field == t.Field }); k >= 0 {
			w.sc = all[k].sc
		} else if w.sc, err = x.Scorer(&fields[i], params); err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b term) int {
		return cmp.Or(cmp.Compare(a.DF, b.DF), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Term, b.Term))
	})
	out := &Weighed{}
	for _, w := range all {
		if w.DF > 0 {
			w.IDF, w.Weight = w.sc.IDF(w.DF), w.sc.Weight(w.DF, w.Times)
		}
		out.Terms, out.field, out.sc = append(out.Terms, w.TermScore), append(out.field, w.field), append(out.sc, w.sc)
	}
	return out, nil
}

// Scores returns the scores of the terms in a document of g, and their sum.
func (w *Weighed) Scores(g *Segment, doc uint32) (terms []TermScore, score float32, err error) {
	terms = slices.Clone(w.Terms)
	for i := range terms {
		t := &terms[i]
		t.Sum = score
		length, err := LengthIn(g.Segment, w.field[i], doc)
		if err != nil {
			return nil, 0, err
		}
		if t.Field != "" && t.DF > 0 {
			t.Length = length
		}
		e, ok, err := LookupIn(g.Segment, w.field[i], []byte(t.Term))
		if err != nil {
			return nil, 0, err
		}
		if !ok {
			continue
		}
		l, err := g.Lists().List(e)
		if err != nil {
			return nil, 0, err
		}
		at, ok, err := FindPosting(l, doc)
		if err != nil {
			return nil, 0, format.Locate(err, format.Place{List: string(t.Term), Block: format.NoBlock})
		}
		if ok {
			t.TF, t.Score = at.TF, w.sc[i].Score(t.Weight, float32(at.TF), w.sc[i].Norm(length))
			score = float32(score + t.Score)
		}
		t.Sum = score
	}
	return terms, score, nil
}

// Text prints e.
func (e *Explanation) Text(w io.Writer) {
	t := cli.NewTable("", "")
	t.Row("query", e.Query)
	fields := e.Analyzer == ""
	if fields {
		t.Row("document", fmt.Sprintf("%s (docID %s)", cli.Quote(e.ID), cli.Count(e.Doc)))
		t.Row("index", cli.Number(e.Documents, "document"))
	} else {
		t.Row("analyzer", e.Analyzer)
		t.Row("document", fmt.Sprintf("%s (docID %s), %s tokens", cli.Quote(e.ID), cli.Count(e.Doc), cli.Count(e.Length)))
		if e.Deleted {
			t.Row("", "deleted: it is never a hit")
		}
		t.Row("index", fmt.Sprintf("%s of %s tokens on average", cli.Number(e.Documents, "document"), cli.Float(e.AvgLength, 4)))
		t.Row("bm25", fmt.Sprintf("k1 = %v, b = %v", e.K1, e.B))
	}
	t.Row("score", FloatText(e.Score))
	t.WriteTo(w)
	fmt.Fprintln(w)
	heads := []string{"field", "term", ">in query", ">df", ">idf", ">weight", ">length", ">tf", ">score", ">sum"}
	if !fields {
		heads = slices.DeleteFunc(heads, func(h string) bool { return h == "field" || h == ">length" })
	}
	t = cli.NewTable(heads...)
	for _, s := range e.Terms {
		row := []any{cli.Printable(s.Field), cli.Quote(s.Term), s.Times, s.DF, cli.Float(s.IDF, 6), FloatText(s.Weight), s.Length, s.TF, FloatText(s.Score), FloatText(s.Sum)}
		if !fields {
			row = slices.Delete(row[1:], 5, 6)
		}
		t.Row(row...)
	}
	t.WriteTo(w)
}

// FloatText prints all digits that tell a float32 from others.
func FloatText(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }
