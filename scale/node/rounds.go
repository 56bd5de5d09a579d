package node

import (
	"slices"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
)

// hit is where the hit is that a page begins after.
type hit struct {
	shard int // -1 if it is no longer there
	doc   uint32
}

// frequencies returns what scores of s depend on, from what is known or in a first round.
func (q *question) frequencies(s *pinion.Request) (*query.Frequencies, hit, error) {
	at := hit{shard: -1}
	if s.After == nil && !q.partial() {
		if f, ok := q.v.frequencies(s.Node()); ok {
			return &f, at, nil
		}
	}
	all := make([]counted, len(q.v.Shards))
	err := q.ask(askFrequencies, nil, func(i int, body []byte) error {
		var own counted
		if err := own.decode(body); err != nil {
			return err
		}
		all[i] = own
		return own.check(&q.v.Shards[i])
	})
	if err != nil {
		return nil, at, err
	}
	f := new(query.Frequencies)
	for i := range all {
		if q.missing != nil && q.missing[i] {
			continue
		}
		if err := f.Add(query.Frequencies(all[i].statistics)); err != nil {
			return nil, at, err
		}
		if all[i].found {
			at = hit{i, all[i].doc}
		}
	}
	if !q.partial() {
		q.v.learn(f)
	}
	f.Trim()
	return f, at, nil
}

// given is what each shard must know of the others.
type given struct {
	frequencies *query.Frequencies
	collection  query.Collection
	at          hit                 // of pinion.Request.After
	neighbors   [][]query.Neighbors // of each shard; nil without a query.Nearest
}

// add adds g, unless it is nil, to what a shard is asked.
func (g *given) add(a *ask) {
	if g == nil {
		return
	}
	a.collection, a.statistics, a.whole = collection(g.collection), statistics(*g.frequencies), true
	if g.neighbors != nil {
		a.neighbors = g.neighbors[a.shard]
	}
}

// approximate reports whether neighbors are.
func (g *given) approximate() bool {
	return slices.ContainsFunc(g.neighbors, func(of []query.Neighbors) bool {
		return slices.ContainsFunc(of, func(n query.Neighbors) bool { return n.Approximate })
	})
}

// together finds what the shards must know for s, which has a query.Nearest or not, and calls f with it. If shards have gone missing in
// between, it does so again without them: what the others were told is of them too.
func (q *question) together(s *pinion.Request, nearest bool, f func(g *given) error) error {
	for {
		var g given
		var err error
		if g.frequencies, g.at, err = q.frequencies(s); err != nil {
			return err
		}
		known := slices.Clone(q.missing)
		if g.collection, err = q.collection(); err != nil {
			return err
		}
		if nearest {
			if g.neighbors, err = q.neighbors(s.Node(), &g); err != nil {
				return err
			}
		}
		if slices.Equal(known, q.missing) {
			err = f(&g)
		}
		if err != nil || slices.Equal(known, q.missing) {
			return err
		}
	}
}

// collection returns the statistics of the shards that are not missing: scores are those of an index of these.
func (q *question) collection() (query.Collection, error) {
	if !q.partial() {
		return q.v.sum, nil
	}
	sum := query.Collection{}
	for i := range q.v.Shards {
		if !q.missing[i] {
			if err := sum.Add(q.v.Shards[i].Collection); err != nil {
				return sum, err
			}
		}
	}
	sum.Rank(q.v.Schema)
	return sum, nil
}

// neighbors returns, in a round of its own, which documents of each shard are the nearest of all for a query.
func (q *question) neighbors(n query.Node, g *given) ([][]query.Neighbors, error) {
	all := make([][]query.Neighbors, len(q.v.Shards))
	err := q.ask(askNeighbors, g.add, func(i int, body []byte) error {
		if err := httpapi.Hold(q.ctx, 6*len(body)); err != nil { // for what is decoded and merged, beside the body
			return err
		}
		var own found
		if err := own.decode(body); err != nil {
			return err
		}
		all[i] = own.neighbors
		return own.check(&q.v.Shards[i], n)
	})
	if err != nil {
		return nil, err
	}
	return query.MergeNeighbors(all)
}

// search asks for the hits of each shard and makes a page of them.
func (q *question) search(x *httpapi.Request, s *pinion.Request, g *given) (*httpapi.Response, error) {
	parts, err := q.pages(s, g)
	if err != nil {
		return nil, err
	}
	whole, err := pinion.MergePages(*s, q.v.bases, parts)
	if err != nil {
		return nil, err
	}
	whole.Approximate = whole.Approximate || g.approximate()
	return q.response(x, s, &whole)
}

// response returns a page as the answer to a request.
func (q *question) response(x *httpapi.Request, s *pinion.Request, p *pinion.Page) (*httpapi.Response, error) {
	a := httpapi.NewResponse(q.v.Schema, x, s, p)
	if a.Partial = q.partial(); x.Group == nil {
		return a, nil
	}
	return a, q.groups(x, p, a)
}

// pages asks for the hits of each shard: nil of one that is missing.
func (q *question) pages(s *pinion.Request, g *given) ([]*pinion.PartPage, error) {
	parts := make([]*pinion.PartPage, len(q.v.Shards))
	err := q.ask(askSearch, func(a *ask) {
		g.add(a)
		if s.After == nil {
			return
		}
		switch {
		case a.shard > g.at.shard: // also if the hit is gone: the page begins with those of its score
			a.place = placeBefore
		case a.shard == g.at.shard:
			a.place, a.afterDoc = placeWithin, g.at.doc
		default:
			a.place = placeBehind
		}
	}, q.takePages(parts, s, q.checkFound))
	return parts, err
}

// takePages returns what takes the pages of shards that answer s, once check has looked at them.
func (q *question) takePages(parts []*pinion.PartPage, s *pinion.Request, check func(shard int, s *pinion.Request, p *page) error) func(shard int, body []byte) error {
	return func(i int, body []byte) error {
		if err := httpapi.Hold(q.ctx, 2*len(body)); err != nil { // for what is decoded, beside the body
			return err
		}
		var p page
		if err := p.decode(body); err != nil {
			return err
		}
		if err := check(i, s, &p); err != nil {
			return err
		}
		parts[i] = &p.PartPage
		return nil
	}
}
