package pinion

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/pinion-index/pinion/internal/budget"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// ranking is the search for a page of a request with Fuse or Rescore.
type ranking struct {
	*pager
	ctx      context.Context
	snapshot *reader.Snapshot
	r        *Request
	order    *search.HitOrder
	page     Page               // but for its hits
	rescored map[uint32]float32 // what Rescore.Query scores, by document
}

// searchRanked answers a request with Fuse or Rescore, which is q.
func (s *pager) searchRanked(ctx context.Context, snapshot *reader.Snapshot, st *scratch, r *Request, q *search.Query) (Page, error) {
	if err := q.Check(); err != nil {
		return Page{}, err
	}
	x := ranking{pager: s, ctx: ctx, snapshot: snapshot, r: r, order: search.OrderOf(snapshot)}
	var lists []search.RankedList
	var hits []search.Hit
	var err error
	if r.Fuse != nil {
		if lists, err = x.lists(); err == nil {
			hits, err = x.fuse(lists, q.After)
		}
	} else {
		hits, err = x.plain(q.After)
	}
	if err != nil {
		return Page{}, err
	}
	hits, more := r.cut(hits)
	p, err := s.show(ctx, snapshot, st, hits, r)
	if err != nil {
		return Page{}, err
	}
	if r.Fuse != nil { // the list has an end that is known
		p.more = more
		p.addShares(r.Fuse.fusing(), lists)
	}
	for i := range p.Hits {
		p.Hits[i].Rescored = x.rescored[p.Hits[i].Doc]
	}
	p.Total, p.Facets, p.Limited, p.Approximate = x.page.Total, x.page.Facets, x.page.Limited, x.page.Approximate
	return p, nil
}

// cut returns those of hits that are on the page, and whether there are more behind them.
func (r *Request) cut(hits []search.Hit) (page []search.Hit, more bool) {
	hits = behind(hits, r.Offset)
	limit := min(len(hits), cmp.Or(r.Limit, query.DefaultK))
	return hits[:limit], len(hits) > limit
}

// addShares sets what the hits have in lists.
func (p *Page) addShares(by search.Fusing, lists []search.RankedList) {
	docs := make([]uint32, len(p.Hits))
	for i := range p.Hits {
		docs[i] = p.Hits[i].Doc
	}
	all := make([]ListHit, 0, len(docs)*len(lists))
	for _, s := range by.Shares(lists, docs) {
		all = append(all, ListHit(s))
	}
	for i := range p.Hits {
		p.Hits[i].Lists, all = all[:len(lists):len(lists)], all[len(lists):]
	}
}

// lists finds the lists of Fuse, and the total and the facets.
func (x *ranking) lists() ([]search.RankedList, error) {
	f := x.r.Fuse
	requests := make([]asked, len(f.Lists))
	for i := range f.Lists {
		requests[i] = asked{fmt.Sprintf("Fuse.Lists[%d]: ", i), f.list(i, x.r)}
		requests[i].Limit++ // one more tells whether there are more
	}
	found, err := x.answers(requests)
	if err != nil {
		return nil, err
	}
	if err := x.count(found); err != nil {
		return nil, err
	}
	lists := make([]search.RankedList, len(f.Lists))
	hits := 0
	for i := range lists {
		own := found[i][:min(len(found[i]), f.Lists[i].k())]
		lists[i] = search.RankedList{Hits: own, Weight: cmp.Or(f.Lists[i].Weight, 1)}
		hits += len(own)
	}
	return lists, budget.Of(x.ctx).Hold(fusedBytes * hits)
}

// count sets the total and the facets, given the hits of each list and one more. Of lists that have no more all matches are known: what
// they search for is not searched for again.
func (x *ranking) count(found [][]search.Hit) error {
	if !x.r.Total && len(x.r.Facets) == 0 {
		return nil
	}
	var queries []query.Node
	known := map[uint32]bool{}
	for i := range found {
		if l := &x.r.Fuse.Lists[i]; len(found[i]) > l.k() {
			queries = append(queries, l.Query)
			continue
		}
		for _, h := range found[i] {
			known[h.Doc] = true
		}
	}
	if len(queries) == 0 && len(x.r.Facets) == 0 {
		x.page.Total = uint64(len(known))
		return nil
	}
	counted := x.r.counted(append(queries, query.DocsOf(maps.Keys(known))))
	if x.r.ignoresOwn() { // what lists have without a part of the filter is not known
		counted = x.r.counted(x.r.Fuse.queries())
	}
	_, err := x.find("", &counted)
	return err
}

// fusedBytes is about what a hit of a list takes while it is fused.
const fusedBytes = 64

// fuse returns the hits of the one list that are behind after, unless that is nil.
func (x *ranking) fuse(lists []search.RankedList, after *search.Position) ([]search.Hit, error) {
	hits := x.r.Fuse.fusing().Fuse(lists)
	if err := x.order.SortTies(hits); err != nil {
		return nil, err
	}
	if x.r.Collapse != "" {
		values, err := x.groups(x.snapshot, x.r.Collapse, hits)
		if err != nil {
			return nil, err
		}
		hits = collapse(hits, values)
	}
	if x.r.Rescore != nil {
		if err := x.rescore(hits[:min(len(hits), x.r.Rescore.n())]); err != nil {
			return nil, err
		}
	}
	if after == nil {
		return hits, nil
	}
	return x.order.Behind(hits, after)
}

// plain returns the hits of a request without Fuse, of which no more than its Offset and Limit matter, that are behind after, unless that is
// nil.
func (x *ranking) plain(after *search.Position) ([]search.Hit, error) {
	n, first := x.r.Rescore.n(), *x.r
	limit := cmp.Or(x.r.Limit, query.DefaultK)
	first.Rescore, first.After, first.Offset, first.Limit = nil, nil, 0, n
	if after == nil {
		first.Limit = max(n, limit+x.r.Offset)
	}
	hits, err := x.find("", &first)
	if err != nil {
		return nil, err
	}
	best := hits[:min(len(hits), n)]
	var last search.Hit // of the best, as they were found
	if len(best) > 0 {
		last = best[len(best)-1]
	}
	if err := x.rescore(best); err != nil || after == nil {
		return hits, err
	}
	if hits, err = x.order.Behind(hits, after); err != nil || len(hits) >= limit || len(best) < n {
		return hits, err
	}
	rest := first
	rest.Limit, rest.Total, rest.Facets = limit-len(hits), false, nil
	if rest.After, err = x.later(last, after); err != nil {
		return nil, err
	}
	more, err := x.find("", &rest)
	return append(hits, more...), err
}

// later returns what is later in the order of hits: Request.After, which is at a position, or a hit.
func (x *ranking) later(h search.Hit, at *search.Position) (*After, error) {
	behind, err := x.order.Behind([]search.Hit{h}, at)
	if err != nil || len(behind) == 0 {
		return x.r.After, err
	}
	id, err := x.snapshot.AppendID(nil, h.Doc)
	if err != nil {
		return nil, err
	}
	order, err := orderAt(x.snapshot, h.Doc)
	return &After{Score: h.Score, ID: string(id), Order: order}, err
}

// n returns N, or its default.
func (x *Rescore) n() int { return cmp.Or(x.N, DefaultRanked) }

// rescore adds to the scores of hits what Rescore.Query scores, and sorts them.
func (x *ranking) rescore(hits []search.Hit) error {
	by := x.r.Rescore
	among := x.r.Rescoring(query.DocsOf(func(yield func(uint32) bool) {
		for _, h := range hits {
			if !yield(h.Doc) {
				return
			}
		}
	}))
	found, err := x.find("Rescore: ", &among)
	if err != nil {
		return err
	}
	x.rescored = make(map[uint32]float32, len(found))
	for _, h := range found {
		x.rescored[h.Doc] = h.Score
	}
	by.add(hits, x.rescored)
	return x.order.Sort(hits)
}

// Rescoring returns the request, without Fuse and Rescore, whose answer says what the query of r.Rescore scores each of some documents. Search
// makes it of the best N hits; of a collection in parts, each is asked it for those of MergedLists.Best that are its own.
func (r *Request) Rescoring(docs query.Docs) Request {
	r = r.withTypos()
	n := query.Bool{Should: []query.Node{r.Rescore.Query}, Filter: []query.Node{docs}}
	return Request{Query: n, Limit: max(docs.Len(), 1), K1: r.K1, B: r.B, Scorer: r.Scorer}
}

// add adds to hits what the query scores, by document.
func (x *Rescore) add(hits []search.Hit, scores map[uint32]float32) {
	weight := cmp.Or(x.Weight, 1)
	for i := range hits {
		h := &hits[i]
		h.Score = float32(h.Score + float32(weight*float64(scores[h.Doc])))
	}
}

// asked is a request without Fuse and Rescore; name is in front of its errors.
type asked struct {
	name string
	Request
}

// find returns the hits of a request.
func (x *ranking) find(name string, r *Request) ([]search.Hit, error) {
	all, err := x.answers([]asked{{name, *r}})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// answers returns the hits of requests, from an Executor or the CPU, and sets of the page what they say.
func (x *ranking) answers(requests []asked) ([][]search.Hit, error) {
	plain := make([]Request, len(requests))
	for i := range requests {
		plain[i] = requests[i].Request
	}
	pages, err := x.executeAll(x.ctx, plain)
	if err != nil {
		return nil, err
	}
	all := make([][]search.Hit, len(requests))
	for i, p := range pages {
		r := &plain[i]
		if p == nil {
			if p, all[i], err = x.answer(r); err != nil {
				return nil, fmt.Errorf("%s%w", requests[i].name, err)
			}
		}
		for _, h := range p.Hits {
			all[i] = append(all[i], search.Hit{Doc: h.Doc, Score: h.Score})
		}
		if r.Total || len(r.Facets) > 0 {
			x.page.Total, x.page.Facets = p.Total, p.Facets
		}
		x.page.Approximate = x.page.Approximate || p.Approximate
		for _, l := range p.Limited {
			if !slices.Contains(x.page.Limited, l) {
				x.page.Limited = append(x.page.Limited, l)
			}
		}
	}
	return all, nil
}

// answer returns what the CPU finds: a page without hits, and the hits.
func (x *ranking) answer(r *Request) (p *Page, hits []search.Hit, err error) {
	cpu, err := x.searcher()
	if err != nil {
		return nil, nil, err
	}
	q, err := queryOf(r, x.snapshot)
	if err != nil {
		return nil, nil, err
	}
	p = new(Page)
	q.Limited, q.Approximate = &p.Limited, &p.Approximate
	result, err := cpu.Search(x.ctx, q)
	p.Total, p.Facets = result.Total, r.counts(result.Facets)
	return p, result.Hits, err
}
