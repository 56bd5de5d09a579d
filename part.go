package pinion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// Collection returns what the documents add to a collection that they are a part of.
func (v *View) Collection() query.Collection {
	s := v.Snapshot()
	if s == nil {
		return query.Collection{}
	}
	return search.CollectionOf(s)
}

// Frequencies returns the document frequencies of the terms of a query, and which terms its nodes stand for: what the documents add to
// those of a collection. The error is one of Search.
func (v *View) Frequencies(ctx context.Context, n query.Node) (query.Frequencies, error) {
	s, err := v.searcher()
	if err != nil {
		return query.Frequencies{}, err
	}
	return s.Frequencies(orBackground(ctx), search.Query{Node: n})
}

// TermsOf returns a function that returns the terms of a query in indexes with a schema: those that View.Frequencies says the
// frequencies of, sorted, each once. The error matches ErrInvalid, also for a query with nodes that stand for terms of an index.
func TermsOf(s *schema.Schema) func(query.Node) ([]query.FieldTerm, error) {
	p := search.NewParserFor(s)
	return func(n query.Node) ([]query.FieldTerm, error) {
		terms, _, err := p.Terms(&search.Query{Node: n})
		if err != nil {
			return nil, err
		}
		all := make([]query.FieldTerm, len(terms))
		for i, t := range terms {
			all[i] = query.FieldTerm{Field: t.Field, Term: t.Text}
		}
		sort.Slice(all, func(i, j int) bool {
			return cmp.Or(cmp.Compare(all[i].Field, all[j].Field), cmp.Compare(all[i].Term, all[j].Term)) < 0
		})
		return slices.Compact(all), nil
	}
}

// Part says what a part of a collection must know of the others to answer a Request as a part: MergePages makes the page of the
// whole from those of the parts.
type Part struct {
	// Collection is the sum of View.Collection of all parts.
	Collection query.Collection
	// Frequencies are the sum of View.Frequencies of all parts for Request.Node.
	Frequencies *query.Frequencies
	// Neighbors are this part's of what query.MergeNeighbors makes of View.Neighbors of all parts: needed for a Request with a
	// query.Nearest, nil for others.
	Neighbors []query.Neighbors
	// After says where the document of Request.After is: below 0 in a part before this one, above 0 in one behind it, and 0 in this
	// one, or in none.
	After int
	// Groups, unless "", is a field with a column, and asks for PartPage.Groups: Request.Collapse of a Request with Fuse, for the lists
	// that it has. For a Request with Collapse they are there anyway.
	Groups string
}

// Neighbors returns the documents that are nearest for each query.Nearest of a query, under its filters, in a part of a collection, of
// which of has the Collection and the Frequencies of n. For a query without one there are none, and no need to ask. The error matches
// ErrInvalid as that of SearchPart does, and is otherwise one of Search.
func (v *View) Neighbors(ctx context.Context, n query.Node, of Part) (found []query.Neighbors, err error) {
	err = v.part(of, func(s *search.Searcher) error {
		found, err = s.Neighbors(orBackground(ctx), search.Query{Node: n, Frequencies: of.Frequencies})
		return err
	})
	if found == nil && err == nil {
		found = []query.Neighbors{} // nil is what a missing part has
	}
	return found, err
}

// CountPart returns how many documents of a part of a collection match n, given what SearchPart is given. Queries without a query.Nearest
// and without Typos need nothing of the other parts: View.Count says as much of them. The error is one of SearchPart.
func (v *View) CountPart(ctx context.Context, n query.Node, of Part) (count int, err error) {
	err = v.part(of, func(s *search.Searcher) error {
		matches, err := s.Count(orBackground(ctx), search.Query{Node: n, Frequencies: of.Frequencies, Neighbors: of.Neighbors})
		count = int(matches)
		return err
	})
	return count, err
}

// part calls f with a searcher by the statistics of a collection.
func (v *View) part(of Part, f func(*search.Searcher) error) error {
	p, err := v.open()
	if err != nil {
		return err
	}
	s, err := p.partSearcher(of.Collection)
	if err != nil {
		return err
	}
	defer s.Close()
	return f(s)
}

// PartPage is the answer of a part. Its Page has the hits that Request.Offset leaves out, and all counts of keywords.
type PartPage struct {
	Page
	// Ordered says that the part keeps documents in an order, of which Values has the value of each hit, the zero Value of one
	// without: those come last, and with Desc the greatest value first.
	Ordered, Desc bool
	Values        []schema.Value
	// Groups has, for Request.Collapse or if Part.Groups asks for it, the least value of each hit in that column, the zero Value of one
	// without.
	Groups []schema.Value
}

// SearchPart returns the answer of a part of a collection. The error matches ErrInvalid for what has mode ModeAndOr, as which hits are the
// best depends on the other parts, for Collapse with After, as which values came before depends on them (Offset goes on), and for a Collection or Frequencies that cannot be those of one with this part.
func (v *View) SearchPart(ctx context.Context, r Request, of Part) (PartPage, error) {
	r = *r.withTypos()
	p, err := v.open()
	if err != nil {
		return PartPage{}, err
	}
	return p.searchPart(orBackground(ctx), r, of)
}

func (s *pager) searchPart(ctx context.Context, r Request, of Part) (to PartPage, err error) {
	if err := cmp.Or(s.check(&r), r.checkPart()); err != nil {
		return to, err
	}
	r.Limit, r.Offset = cmp.Or(r.Limit, query.DefaultK)+r.Offset, 0
	snapshot := s.snapshot.WithContext(ctx)
	q, err := queryOf(&r, snapshot)
	if err != nil {
		return to, err
	}
	if r.After != nil && of.After != 0 {
		doc, before := uint32(0), true
		if of.After > 0 {
			doc, before = math.MaxUint32, false
		}
		if q.After != nil {
			q.After.Doc, q.After.Before = doc, before
		} else {
			q.SortAfter.Doc, q.SortAfter.Before = doc, before
		}
	}
	if q, err = q.Part(0, math.MaxUint32); err != nil {
		return to, err
	}
	st := s.take()
	defer s.give(st)
	found, err := s.executePart(ctx, &r, of)
	switch {
	case err != nil:
		return to, err
	case found != nil:
		to.Page, err = s.showFound(ctx, snapshot, st, found, &r)
		to.Limited = nil
	default:
		q.Frequencies, q.Neighbors = of.Frequencies, of.Neighbors
		to.Page, err = s.findPart(ctx, snapshot, st, q, &r, of.Collection)
	}
	if err != nil {
		return PartPage{}, err
	}
	result := search.Result{Hits: make([]search.Hit, len(to.Hits))}
	for i := range to.Hits {
		result.Hits[i].Doc = to.Hits[i].Doc
	}
	if field := cmp.Or(r.Collapse, of.Groups); field != "" {
		if to.Groups, err = s.groups(snapshot, field, result.Hits); err != nil {
			return PartPage{}, err
		}
	}
	err = result.SetOrder(snapshot)
	if o := result.Order; o != nil {
		to.Ordered, to.Desc, to.Values = true, o.Desc, o.Values
	}
	return to, err
}

// checkPart returns what parts of a collection do not answer.
func (r *Request) checkPart() error {
	switch {
	case r.Fuse != nil:
		return fmt.Errorf("Fuse of a part of a collection, of which each is asked for Request.Lists: %w", errors.ErrUnsupported)
	case r.Synonyms != nil:
		return fmt.Errorf("a request with Synonyms of a part of a collection, of which each is asked for Request.Rewritten: %w", errors.ErrUnsupported)
	case r.Rescore != nil:
		return fmt.Errorf("Rescore of a part of a collection, of which each is asked for Request.Lists and Rescoring: %w", errors.ErrUnsupported)
	}
	return nil
}

// findPart returns the page of q, which is r, by the statistics of a collection.
func (s *pager) findPart(ctx context.Context, snapshot *reader.Snapshot, st *scratch, q search.Query, r *Request, of query.Collection) (Page, error) {
	cpu, err := s.partSearcher(of)
	if err != nil {
		return Page{}, err
	}
	defer cpu.Close()
	q.Approximate = new(bool)
	result, err := cpu.Search(ctx, q)
	if err != nil {
		return Page{}, err
	}
	p, err := s.show(ctx, snapshot, st, result.Hits, r)
	if err != nil {
		return Page{}, err
	}
	for i, values := range result.Sort {
		p.Hits[i].Sort = values
	}
	p.Total, p.Facets, p.Approximate = result.Total, r.counts(result.Facets), *q.Approximate
	return p, nil
}

// ofPart is a searcher by the statistics of a collection.
type ofPart struct {
	of  query.Collection
	cpu *search.Searcher
}

// partSearcher returns a searcher by the statistics of a collection, to be closed. The last one is kept.
func (s *pager) partSearcher(of query.Collection) (*search.Searcher, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.part != nil && s.part.of.Docs == of.Docs && slices.Equal(s.part.of.Fields, of.Fields) {
		return s.part.cpu.Retain()
	}
	o := s.searching()
	o.Collection = &of
	q, err := search.NewSearcher(s.snapshot, o)
	if err != nil {
		return nil, err
	}
	if s.part != nil {
		s.part.cpu.Close()
	}
	s.part = &ofPart{query.Collection{Docs: of.Docs, Fields: slices.Clone(of.Fields)}, q}
	return q.Retain()
}

// MergePages returns the page that r asks for of a collection from the answers of its parts, whose documents begin at bases. Of a part
// that is missing the answer is nil. Limited stays empty: the sum of the frequencies says it. Hit.Group, if r.Group asks for it, has the
// Value alone: the collection is asked Request.GroupOf for the rest. With Collapse there is no Page.Next: Offset goes on. The error matches ErrInvalid if
// these are no such answers, or a facet has too many buckets.
func MergePages(r Request, bases []uint32, parts []*PartPage) (Page, error) {
	if err := r.checkPart(); err != nil {
		return Page{}, err
	}
	q, results, err := resultsOf(&r, parts)
	if err != nil {
		return Page{}, err
	}
	merged, from, err := q.Merge(bases, results)
	if err != nil {
		return Page{}, err
	}
	to := Page{Total: merged.Total, Facets: r.counts(merged.Facets), Hits: make([]Hit, len(from))}
	for _, p := range parts {
		to.Approximate = to.Approximate || p != nil && p.Approximate
	}
	for i, at := range from {
		to.Hits[i] = parts[at.Part].Hits[at.Hit]
		to.Hits[i].Doc = merged.Hits[i].Doc
		if r.Collapse != "" {
			to.Hits[i].Group = grouped(&r, parts[at.Part].Groups[at.Hit])
		}
	}
	to.Hits = behind(to.Hits, r.Offset)
	if to.more = len(to.Hits) == cmp.Or(r.Limit, query.DefaultK) && r.Collapse == ""; to.more && merged.Order != nil {
		to.order = merged.Order.Values[len(merged.Order.Values)-1:]
	}
	return to, nil
}

// resultsOf returns r as what merges the answers of parts, and these.
func resultsOf(r *Request, parts []*PartPage) (q search.Query, results []search.Result, err error) {
	q, err = queryOf(&Request{Query: r.Query, Filter: r.Filter, Limit: cmp.Or(r.Limit, query.DefaultK), Offset: r.Offset, Sort: r.Sort, Facets: r.Facets, Collapse: r.Collapse}, nil)
	if err != nil {
		return q, nil, err
	}
	results = make([]search.Result, len(parts))
	for i, p := range parts {
		if results[i], err = p.result(r); err != nil {
			return q, nil, fmt.Errorf("part %d: %w", i, err)
		}
	}
	return q, results, nil
}

// result returns the answer of a part as search.Query.Merge takes it.
func (p *PartPage) result(r *Request) (to search.Result, err error) {
	if p == nil {
		to.Facets = noCounts(r.Facets)
		return to, nil
	}
	if len(p.Facets) != len(r.Facets) || p.Ordered && len(p.Values) != len(p.Hits) {
		return to, fmt.Errorf("%w: %d facets and an order of %d hits, asked for %d and %d", ErrInvalid, len(p.Facets), len(p.Values), len(r.Facets), len(p.Hits))
	}
	to.Total = p.Total
	for i := range p.Hits {
		to.Hits = append(to.Hits, search.Hit{Doc: p.Hits[i].Doc, Score: p.Hits[i].Score})
		if len(r.Sort) > 0 {
			to.Sort = append(to.Sort, p.Hits[i].Sort)
		}
	}
	if p.Ordered {
		to.Order = &search.ResultOrder{Desc: p.Desc, Values: p.Values}
	}
	if r.Collapse != "" {
		to.Groups = p.Groups
	}
	to.Facets, err = countsOfPart(p.Facets)
	return to, err
}

// noCounts are those of a part that is missing.
func noCounts(facets []Facet) []search.FacetCounts {
	all := make([]search.FacetCounts, len(facets))
	for i := range facets {
		f := &facets[i]
		if f.Field == "" {
			all[i].Stats = make([]search.Figures, len(f.Stats))
		}
		for range f.Ranges {
			all[i].Counts = append(all[i].Counts, search.FacetCount{Stats: make([]search.Figures, len(f.Stats)), Facets: noCounts(f.Facets)})
		}
	}
	return all
}

// countsOfPart returns counts as queries have them.
func countsOfPart(of []FacetCounts) ([]search.FacetCounts, error) {
	all := make([]search.FacetCounts, len(of))
	for i := range of {
		all[i] = search.FacetCounts{Missing: of[i].Missing, Stats: figuresOf(of[i].Stats)}
		for j := range of[i].Counts {
			c := &of[i].Counts[j]
			v, err := countedValue(c.Value)
			if err != nil {
				return nil, err
			}
			own, err := countsOfPart(c.Facets)
			if err != nil {
				return nil, err
			}
			all[i].Counts = append(all[i].Counts, search.FacetCount{Value: v, Count: c.Count, Stats: figuresOf(c.Stats), Facets: own})
		}
	}
	return all, nil
}

// countedValue returns FacetCount.Value as queries have it.
func countedValue(x any) (schema.Value, error) {
	switch x := x.(type) {
	case Range:
		return schema.Value{}, nil
	case string:
		return schema.KeywordValue(0, x), nil
	case int64:
		return schema.IntegerValue(0, x), nil
	case float64:
		return schema.FloatValue(0, x), nil
	case time.Time:
		return schema.TimeValue(0, x), nil
	}
	return schema.Value{}, fmt.Errorf("%w: a count of %v, of type %T", ErrInvalid, x, x)
}
