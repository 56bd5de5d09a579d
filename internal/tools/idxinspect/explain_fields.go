package idxinspect

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// explainFields explains the score of a document with fields for a text, which is searched in all fields of text.
func explainFields(dir string, params query.Params, text, id string) (e *Explanation, err error) {
	s, end, err := cli.Snapshot(dir)
	if err != nil {
		return nil, err
	}
	defer end()
	for _, f := range s.Schema().Fields {
		if f.Kind != schema.Text || f.Indexing() == schema.IndexNone {
			continue
		}
		if a, err := analysis.New(f.Analysis()); err != nil {
			return nil, err
		} else if _, ok := a.(analysis.Compound); ok {
			return nil, fmt.Errorf("field %s: %w", f.Name, errParts)
		}
	}
	searcher, err := search.NewSearcher(s, search.Options{Params: params})
	if err != nil {
		return nil, err
	}
	defer searcher.Close()
	doc, ok, err := s.FindID([]byte(id))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("no document has the id %s and is not deleted", cli.Quote(id))
	}
	words, _, err := searcher.Terms(&search.Query{Text: text})
	if err != nil {
		return nil, err
	}
	e = &Explanation{Query: text, Doc: doc, ID: cli.Text(id), Documents: s.Stats().Live}
	slices.SortFunc(words, func(a, b query.Term) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Text, b.Text))
	})
	for i := 0; i < len(words); {
		n := 1
		for i+n < len(words) && words[i+n].Field == words[i].Field && words[i+n].Text == words[i].Text {
			n++
		}
		t, err := scoreOf(s, searcher, doc, &words[i], n)
		if err != nil {
			return nil, err
		}
		e.Terms = append(e.Terms, t)
		i += n
	}
	slices.SortStableFunc(e.Terms, func(a, b TermScore) int { return cmp.Compare(a.DF, b.DF) })
	first := true
	for i := range e.Terms {
		switch t := &e.Terms[i]; {
		case t.TF == 0:
		case first:
			e.Score, first = t.Score, false
		default:
			e.Score = float32(e.Score + t.Score)
		}
		e.Terms[i].Sum = e.Score
	}
	return e, nil
}

// scoreOf returns the score of a term in a document.
func scoreOf(s *reader.Snapshot, searcher *search.Searcher, doc uint32, word *query.Term, times int) (t TermScore, err error) {
	t = TermScore{Field: word.Field, Term: cli.Text(word.Text), Times: times}
	all, _ := s.Field(word.Field)
	if t.DF, err = all.DF([]byte(word.Text)); err != nil || t.DF == 0 {
		return t, err
	}
	sc, _ := searcher.FieldScorer(word.Field)
	t.IDF, t.Weight = sc.IDF(t.DF), sc.Weight(t.DF, times)
	seg, local, _ := s.Locate(doc)
	f, ok := seg.Field(word.Field)
	if !ok {
		return t, nil
	}
	if t.Length, err = f.DocLen(local); err != nil {
		return t, err
	}
	c, err := f.Cursor([]byte(word.Text))
	if err != nil {
		return t, err
	}
	defer c.Close()
	if c.NextGEQ(local) == local {
		t.TF = c.Freq()
		t.Score = sc.Score(t.Weight, float32(t.TF), sc.Norm(t.Length))
	}
	return t, c.Err()
}

// fieldsText is text for a document with fields. t has the query.
func (e *Explanation) fieldsText(w io.Writer, t *cli.Table) {
	t.Row("document", fmt.Sprintf("%s (docID %s)", cli.Quote(e.ID), cli.Count(e.Doc)))
	t.Row("index", cli.Number(e.Documents, "document"))
	t.Row("score", float32Text(e.Score))
	t.WriteTo(w)
	fmt.Fprintln(w)
	t = cli.NewTable("field", "term", ">in query", ">df", ">idf", ">weight", ">length", ">tf", ">score", ">sum")
	for _, s := range e.Terms {
		t.Row(cli.Printable(s.Field), cli.Quote(s.Term), s.Times, s.DF, cli.Float(s.IDF, 6), float32Text(s.Weight), s.Length, s.TF, float32Text(s.Score), float32Text(s.Sum))
	}
	t.WriteTo(w)
}
