// Package answer answers what a visitor of a site types, from the index that package static builds: the same natively and in
// WebAssembly.
package answer

import (
	"context"
	"errors"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/adapters/static/words"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// Names of the fields of a document, which is a section of a page. Its id is the URL of the section, relative to the site.
const (
	Title   = "title"   // of the page
	Heading = "heading" // of the section
	Text    = "text"    // of the section
	Page    = "page"    // the number of the page, a column
)

// Schema returns the schema of an index of pages in a language, as words.Primary gives it.
func Schema(language string) *schema.Schema {
	options, _ := words.Options(language)
	text := func(name string, weight float64) schema.Field {
		return schema.Field{Name: name, Kind: schema.Text, Analyzer: words.Name, Options: options, Positions: true, Stored: true, Boost: weight}
	}
	return &schema.Schema{Fields: []schema.Field{
		text(Title, 2), text(Heading, 2), text(Text, 1),
		{Name: Page, Kind: schema.Integer, Index: schema.IndexNone, Column: true},
	}}
}

// Searcher answers queries over an index. It is safe for concurrent use.
type Searcher struct {
	index    *reader.Index
	snapshot *reader.Snapshot
	pages    *pinion.View
}

// Generation is the number of the only commit of an index, and File that of its only segment.
const Generation, File = 1, 1

// Open returns a Searcher over an index, which it closes with itself, and on an error. The caller closes it.
func Open(index *reader.Index) (_ *Searcher, err error) {
	s := &Searcher{index: index}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.snapshot, err = index.Snapshot(); err != nil {
		return nil, err
	}
	s.pages, err = pinion.NewView(s.snapshot, nil)
	return s, err
}

// Close closes the Searcher and its index.
func (s *Searcher) Close() error {
	var err error
	if s.pages != nil {
		err = s.pages.Close()
	}
	if s.snapshot != nil {
		err = errors.Join(err, s.snapshot.Close())
	}
	return errors.Join(err, s.index.Close())
}

// Answer is what is found, the best first.
type Answer struct {
	// Any says that no page has all of the words, so that these have any of them.
	Any  bool  `json:"any,omitempty"`
	Hits []Hit `json:"hits"`
}

// Hit is a page, by the section of it that matches best. Its texts are in parts: the first, third and so on are as they are, and
// those between are words of the query.
type Hit struct {
	URL     string   `json:"url"` // relative to the site
	Score   float32  `json:"score"`
	Title   []string `json:"title"`
	Heading []string `json:"heading,omitempty"`
	Text    []string `json:"text"` // the passage of the section that matches best
}

// passage is the length of Hit.Text in characters.
const passage = 160

// Search answers what was typed with k pages at most.
func (s *Searcher) Search(ctx context.Context, typed string, k int) (Answer, error) {
	attempts := parse(typed).attempts()
	for i, node := range attempts {
		page, err := s.pages.Search(ctx, pinion.Request{
			Query: node, Limit: k, Collapse: Page, Fields: []string{Title, Heading}, Snippet: &pinion.Snippet{Field: Text, Length: passage},
		})
		if err != nil {
			return Answer{}, err
		}
		if len(page.Hits) > 0 {
			a, err := s.answer(node, page.Hits)
			a.Any = i > 0 && i == len(attempts)-1
			return a, err
		}
	}
	return Answer{Hits: []Hit{}}, nil
}

// answer returns what is shown of hits of a query.
func (s *Searcher) answer(found query.Node, hits []pinion.Hit) (a Answer, err error) {
	for _, h := range hits {
		p := h.Passage()
		out := Hit{URL: h.ID, Score: h.Score, Text: parts([]byte(p.Text), p.Spans)}
		if p.Before {
			out.Text[0] = "… " + out.Text[0]
		}
		if p.Behind {
			out.Text[len(out.Text)-1] += " …"
		}
		for _, v := range h.Values {
			name := s.snapshot.Schema().Fields[v.Field].Name
			spans, err := s.pages.Marks(found, name, v.Bytes())
			if err != nil {
				return Answer{}, err
			}
			if text := parts(v.Bytes(), spans); name == Title {
				out.Title = text
			} else {
				out.Heading = text
			}
		}
		a.Hits = append(a.Hits, out)
	}
	return a, nil
}

// parts divides a text where spans begin and end.
func parts(text []byte, spans []pinion.Span) []string {
	var out []string
	at := 0
	for _, s := range spans {
		out = append(out, string(text[at:s.Start]), string(text[s.Start:s.End]))
		at = s.End
	}
	return append(out, string(text[at:]))
}
