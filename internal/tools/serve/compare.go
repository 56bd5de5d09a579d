package serve

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/inspect"
)

// compare shows two indexes beside each other.
type compare struct {
	Text, Term string
	chosen
	Sides    [2]side
	Rows     []compareRow
	Sections []compareSection
	Hits     []compareHit
	Same     bool // the hits are the same, with the same scores
}

type side struct {
	*inspect.Summary
	Damage []string
	Off    bool // it cannot answer queries
	Lists  []listView
}

// compareRow is a figure of both.
type compareRow struct {
	Name   string
	Values [2]string
	Differ bool
}

type compareSection struct {
	Name  string
	Bytes [2]int64
	Width [2]float64 // in percent of the largest
}

type compareHit struct {
	Rank   int
	Hits   [2]hit
	Differ bool
}

func (s *shown) compare(r *http.Request) (any, error) {
	if s.other == nil {
		return nil, notFound("no other index: start idxinspect serve --with OTHER")
	}
	v := r.URL.Query()
	c := &compare{Text: v.Get("q"), Term: v.Get("term")}
	var err error
	if c.chosen, err = s.main.choose(r, "compare", "q", c.Text, "term", c.Term); err != nil {
		return nil, err
	}
	for i, x := range []*source{s.main, s.other} {
		sum, err := inspect.Summarize(x.Index)
		if err != nil {
			return nil, err
		}
		c.Sides[i] = side{Summary: sum, Damage: x.damage, Off: x.searcher == nil}
		if c.Term == "" {
			continue
		}
		id, err := inspect.ChooseField(x.Fields(), c.Field)
		if err != nil {
			continue // it does not have the field
		}
		l := lists{Term: c.Term, Seg: -1}
		for n, g := range x.Segs {
			e, ok, err := inspect.LookupIn(g.Segment, id, []byte(c.Term))
			if err != nil {
				return nil, located(err, c.Term)
			}
			if ok {
				c.Sides[i].Lists = append(c.Sides[i].Lists, l.view(g, n, e))
			}
		}
	}
	c.figures()
	c.sections(s.main, s.other)
	if c.Text == "" || c.Sides[0].Off || c.Sides[1].Off {
		return c, nil
	}
	return c, c.search(r, s.main, s.other)
}

func (c *compare) figures() {
	a, b := c.Sides[0].Summary, c.Sides[1].Summary
	for _, f := range []struct {
		name string
		of   func(s *inspect.Summary) string
	}{
		{"documents", func(s *inspect.Summary) string { return cli.Count(s.Live()) }},
		{"deleted", func(s *inspect.Summary) string { return cli.Count(s.Deleted) }},
		{"terms, of each segment", func(s *inspect.Summary) string { return cli.Count(s.Lists()) }},
		{"postings", func(s *inspect.Summary) string { return cli.Count(s.Postings) }},
		{"tokens", func(s *inspect.Summary) string { return cli.Count(s.Tokens) }},
		{"bytes", func(s *inspect.Summary) string { return cli.Count(s.Bytes) }},
		{"bits a posting", func(s *inspect.Summary) string { return inspect.PerPosting(s.Bytes, s.Postings) }},
		{"analyzer", (*inspect.Summary).AnalyzerText},
	} {
		row := compareRow{Name: f.name, Values: [2]string{f.of(a), f.of(b)}}
		row.Differ = row.Values[0] != row.Values[1]
		c.Rows = append(c.Rows, row)
	}
}

// sections compares the bytes of each section.
func (c *compare) sections(both ...*source) {
	most := int64(1)
	for i, x := range both {
		for _, z := range inspect.SectionSizes(x.Segments()) {
			k := slices.IndexFunc(c.Sections, func(r compareSection) bool { return r.Name == z.Name })
			if k < 0 {
				k = len(c.Sections)
				c.Sections = append(c.Sections, compareSection{Name: z.Name})
			}
			c.Sections[k].Bytes[i] = z.Bytes
			most = max(most, z.Bytes)
		}
	}
	slices.SortFunc(c.Sections, func(a, b compareSection) int { return cmp.Compare(a.Name, b.Name) })
	for i := range c.Sections {
		for k, n := range c.Sections[i].Bytes {
			c.Sections[i].Width[k] = 100 * float64(n) / float64(most)
		}
	}
}

// search answers the query over both.
func (c *compare) search(r *http.Request, both ...*source) error {
	var answers [2]found
	for i, x := range both {
		answers[i] = found{Text: c.Text, K: 10}
		if err := answers[i].run(r.Context(), x); err != nil {
			return err
		}
	}
	c.Same = true
	for i := range max(len(answers[0].Hits), len(answers[1].Hits)) {
		row := compareHit{Rank: i + 1}
		for k := range answers {
			if i < len(answers[k].Hits) {
				row.Hits[k] = answers[k].Hits[i]
			}
		}
		row.Differ = row.Hits[0].ID != row.Hits[1].ID || row.Hits[0].Score != row.Hits[1].Score
		c.Same = c.Same && !row.Differ
		c.Hits = append(c.Hits, row)
	}
	return nil
}
