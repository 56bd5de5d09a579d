package node

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
)

// hasNearest reports whether what a request searches for has a query.Nearest.
func hasNearest(x *httpapi.Request) bool {
	return x.Nearest != nil || x.Fuse != nil && slices.ContainsFunc(x.Fuse.Lists, func(l httpapi.FuseList) bool { return l.Nearest != nil })
}

// A request with Fuse is several requests, which are asked at the same time: one for each list, which has that list alone, and if there are
// counts one with all lists. One with Rescore alone is that for its best hits and, behind the first page, that for those behind After. The
// best are rescored in rounds of their own. Then comes a round in which the shards say what the hits on the page show.

// side is one of several questions that are asked at the same time.
type side struct {
	question
	s           pinion.Request
	nearest     bool
	at          hit
	limited     []query.Limited
	approximate bool
	parts       []*pinion.PartPage
	err         error
}

// isApproximate reports whether what has been answered is.
func (x *side) isApproximate() bool {
	return x.approximate || slices.ContainsFunc(x.parts, func(p *pinion.PartPage) bool { return p != nil && p.Approximate })
}

// beside returns a question for another request of what q is asked.
func (q *question) beside(x *httpapi.Request) (*side, error) {
	to := &side{question: *q, nearest: hasNearest(x)}
	to.missing, to.seen = slices.Clone(q.missing), new(Observation)
	var err error
	if to.s, err = x.Search(q.v.Schema); err != nil {
		return nil, err
	}
	to.request, err = json.Marshal(x)
	return to, err
}

// run asks all rounds.
func (q *side) run() {
	q.err = q.together(&q.s, q.nearest, func(g *given) (err error) {
		q.at, q.limited, q.approximate = g.at, g.frequencies.Limited(), g.approximate()
		q.parts, err = q.pages(&q.s, g)
		return err
	})
}

// askAll runs sides at the same time. It marks the shards that are missing for one of them.
func (q *question) askAll(sides []*side) error {
	var all sync.WaitGroup
	for _, x := range sides {
		all.Go(x.run)
	}
	all.Wait()
	seen := make([]Observation, len(sides))
	for k, x := range sides {
		seen[k] = *x.seen
		for i := range x.missing {
			q.missing[i] = q.missing[i] || x.missing[i]
		}
	}
	q.seen.addMost(seen)
	for _, x := range sides {
		if x.err != nil {
			return x.err
		}
	}
	return nil
}

// ranked answers a request with Fuse or Rescore. If shards go missing in between, it begins again without them.
func (q *question) ranked(x *httpapi.Request, s *pinion.Request) (*httpapi.Response, error) {
	for {
		known := slices.Clone(q.missing)
		a, err := q.rankedOnce(x, s)
		if err != nil || slices.Equal(known, q.missing) {
			return a, err
		}
	}
}

// lists returns what is asked for each of Request.Lists of s, which is x. One has Request.After, if there is one: the shards look for it.
func (q *question) lists(x *httpapi.Request, s *pinion.Request) (sides []*side, err error) {
	var requests []httpapi.Request
	if x.Fuse == nil {
		for _, l := range s.Lists() {
			own := *x
			own.Rescore, own.Offset, own.K, own.Fields, own.Values, own.Passages, own.NearestVectors = nil, 0, l.Limit, nil, false, nil, false
			if own.Total = l.Total; l.After == nil {
				own.After = ""
			}
			if len(l.Facets) == 0 {
				own.Facets = nil
			}
			requests = append(requests, own)
		}
	} else {
		one := httpapi.Request{Filter: x.Filter, Strict: x.Strict, Typos: x.Typos, K1: x.K1, B: x.B, Scorer: x.Scorer}
		for _, l := range x.Fuse.Lists {
			one.Fuse, one.Collapse = &httpapi.Fuse{Lists: []httpapi.FuseList{l}}, x.Collapse
			requests = append(requests, one)
		}
		requests[0].After = x.After
		if x.Total || len(x.Facets) > 0 {
			one.Fuse, one.Collapse, one.Total, one.Facets = x.Fuse, "", x.Total, x.Facets
			requests = append(requests, one)
		}
	}
	for i := range requests {
		to, err := q.beside(&requests[i])
		if err != nil {
			return nil, err
		}
		sides = append(sides, to)
	}
	return sides, nil
}

// rankedOnce is ranked for the shards that are not missing. Its answer is worth nothing if that changes.
func (q *question) rankedOnce(x *httpapi.Request, s *pinion.Request) (*httpapi.Response, error) {
	known := slices.Clone(q.missing)
	sides, err := q.lists(x, s)
	if err != nil {
		return nil, err
	}
	if err := q.askAll(sides); err != nil || !slices.Equal(known, q.missing) {
		return nil, err
	}
	answers := make([][]*pinion.PartPage, len(sides))
	for i := range sides {
		answers[i] = sides[i].parts
	}
	m, err := pinion.MergeLists(*s, q.v.bases, answers)
	if err != nil {
		return nil, err
	}
	if s.Rescore != nil {
		by, err := q.rescore(x, s, m)
		if err != nil || !slices.Equal(known, q.missing) {
			return nil, err
		}
		sides = append(sides, by)
	}
	var after *uint32
	for _, x := range sides {
		if x.at.shard >= 0 { // the one that has After
			doc := q.v.bases[x.at.shard] + x.at.doc
			after = &doc
		}
	}
	p, err := m.Page(after)
	if err != nil {
		return nil, err
	}
	if err := q.show(s, &p); err != nil {
		return nil, err
	}
	for _, x := range sides {
		p.Approximate = p.Approximate || x.isApproximate()
		for _, l := range x.limited {
			if !slices.Contains(p.Limited, l) {
				p.Limited = append(p.Limited, l)
			}
		}
	}
	return q.response(x, s, &p)
}

// rescore asks what the best hits score by Rescore, in rounds of their own.
func (q *question) rescore(x *httpapi.Request, s *pinion.Request, m *pinion.MergedLists) (*side, error) {
	by, err := q.beside(&httpapi.Request{Query: "*", Rescore: x.Rescore, Strict: x.Strict, Typos: x.Typos, K1: x.K1, B: x.B, Scorer: x.Scorer})
	if err != nil {
		return nil, err
	}
	by.s = s.Rescoring(query.DocsOf(slices.Values([]uint32(nil))))
	by.rescoring, by.nearest = true, x.Rescore.Nearest != nil
	by.docs, _ = q.divide(m.Best())
	if err := q.askAll([]*side{by}); err != nil {
		return nil, err
	}
	var scored []pinion.Hit
	for i, p := range by.parts {
		if p == nil {
			continue
		}
		for _, h := range p.Hits {
			h.Doc += q.v.bases[i]
			scored = append(scored, h)
		}
	}
	return by, m.Rescore(scored)
}

// divide returns the docIDs of hits in each shard, and of each hit where it is.
func (q *question) divide(hits []pinion.Hit) (docs [][]uint32, at []hit) {
	docs = make([][]uint32, len(q.v.Shards))
	for _, h := range hits {
		i, found := slices.BinarySearch(q.v.bases, h.Doc)
		if !found {
			i--
		}
		for i+1 < len(q.v.bases) && q.v.bases[i+1] == h.Doc { // shards before it have no documents
			i++
		}
		at = append(at, hit{i, uint32(len(docs[i]))})
		docs[i] = append(docs[i], h.Doc-q.v.bases[i])
	}
	return docs, at
}

// show sets what the hits of a page show.
func (q *question) show(s *pinion.Request, p *pinion.Page) error {
	to := *q
	var at []hit
	to.docs, at = q.divide(p.Hits)
	parts := make([]*pinion.PartPage, len(q.v.Shards))
	if err := to.ask(askShow, nil, q.takePages(parts, s, to.checkShown)); err != nil {
		return err
	}
	for i := range p.Hits {
		of := parts[at[i].shard]
		if of == nil { // it has gone missing
			continue
		}
		shown, h := &of.Hits[at[i].doc], &p.Hits[i]
		h.ID, h.Values, h.Passages, h.Nearest = shown.ID, shown.Values, shown.Passages, shown.Nearest
	}
	return nil
}
