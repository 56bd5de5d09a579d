package serve

import (
	"cmp"
	"math"
	"net/http"
	"strings"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// facet is how many hits have which keywords.
type facet struct {
	Field  string
	Counts []counted
}

type counted struct {
	Value string
	Count uint64
}

// mostFacets is how many fields a page counts hits by, the first of the schema.
const mostFacets = 4

// byScore is what a page calls hits that are not sorted by a column.
const byScore = "score"

// sorting reads by which field hits are sorted: field, or -field for the greatest value first.
func (a *found) sorting(r *http.Request, fields []schema.Field) error {
	by := cmp.Or(r.URL.Query().Get("sort"), byScore)
	a.Sorts = append(a.Sorts, option{byScore, by == byScore})
	for _, f := range fields {
		if !f.Column {
			continue
		}
		for _, name := range []string{f.Name, "-" + f.Name} {
			a.Sorts = append(a.Sorts, option{name, by == name})
			if by == name {
				a.sort, a.by = name, []search.SortBy{{Field: f.Name, Desc: name != f.Name}}
			}
		}
	}
	if by != byScore && a.by == nil {
		return badRequest("hits cannot be sorted by %s: that is no field with a column", cli.Quote(strings.TrimPrefix(by, "-")))
	}
	if len(a.Sorts) == 1 {
		a.Sorts = nil
	}
	return nil
}

// facetsOf returns facets of the first fields of keywords that have columns.
func facetsOf(fields []schema.Field) (facets []search.Facet) {
	for _, f := range fields {
		if f.Column && f.Kind == schema.Keyword && len(facets) < mostFacets {
			facets = append(facets, search.Facet{Field: f.Name})
		}
	}
	return facets
}

// ask makes q sort and count. A page of sorted hits is the end of all up to it.
func (a *found) ask(q *search.Query, fields []schema.Field) {
	if q.Mode == query.ModeAndOr {
		return
	}
	q.Sort, q.Facets = a.by, facetsOf(fields)
	if a.by != nil {
		q.K, q.After = min(a.rank, math.MaxInt32-a.K)+a.K, nil
	}
}

// takeColumns takes what columns say of a result, and drops the hits of the pages before.
func (a *found) takeColumns(q *search.Query, r *search.Result) {
	for i, f := range r.Facets {
		x := facet{Field: q.Facets[i].Field}
		for _, c := range f.Counts {
			x.Counts = append(x.Counts, counted{c.Value.String(), c.Count})
		}
		if len(x.Counts) > 0 {
			a.Facets = append(a.Facets, x)
		}
	}
	if len(q.Sort) == 0 {
		return
	}
	n := min(a.rank, len(r.Hits))
	r.Hits, a.sorted = r.Hits[n:], r.Sort[n:]
}

// sortedBy returns what hit i of a page is sorted by.
func (a *found) sortedBy(i int) string {
	v := a.sorted[i][0]
	if v.Kind == 0 {
		return "no " + a.by[0].Field
	}
	return v.String()
}

// filter adds the filter to q.
func (a *found) filter(q *search.Query, s *schema.Schema) error {
	if a.Filter == "" {
		return nil
	}
	f, err := query.ParseFilter(s, a.Filter)
	if err != nil {
		return badRequest("%v", err)
	}
	n := q.Node
	if n == nil {
		n = query.Match{Text: a.Text, Mode: a.Mode}
	}
	q.Text, q.Mode, q.Node = "", query.ModeOr, query.Bool{Must: []query.Node{n}, Filter: []query.Node{f}}
	return nil
}
