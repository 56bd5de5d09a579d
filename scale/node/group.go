package node

import (
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
)

// groupsAtOnce is how many groups of an answer are asked for at the same time.
const groupsAtOnce = 16

// groups adds to the hits of an answer, which is the page p, what Request.Group asks for: each value is a request of its own, in the
// state that q is answered in.
func (q *question) groups(x *httpapi.Request, p *pinion.Page, a *httpapi.Response) error {
	found, seen, errs := make([]*httpapi.Response, len(p.Hits)), make([]Observation, len(p.Hits)), make([]error, len(p.Hits))
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(groupsAtOnce, len(p.Hits)) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(p.Hits)); i = next.Add(1) - 1 {
				of := x.GroupAlone(p.Hits[i].ID)
				if value := p.Hits[i].Group.Value; value != nil {
					of = x.GroupOf(value)
				} else if len(x.Group.Sort) == 0 {
					continue
				}
				found[i], errs[i] = q.r.searchIn(q.ctx, state{q.v, q.timeout, &seen[i]}, &of)
			}
		})
	}
	all.Wait()
	q.seen.addMost(seen)
	for i, g := range found {
		h := &a.Hits[i]
		switch {
		case errs[i] != nil:
			return errs[i]
		case g == nil: // it has no value, and is as it is on the page
			alone := *h
			alone.Group = nil
			h.Group.Total, h.Group.Hits = 1, []httpapi.Hit{alone}
			continue
		}
		h.Group.Total, h.Group.Hits = *g.Total, g.Hits
		a.Partial, a.Approximate = a.Partial || g.Partial, a.Approximate || g.Approximate
	}
	return nil
}

// addMost adds what was seen of questions that were asked at the same time.
func (o *Observation) addMost(all []Observation) {
	var most Observation
	for i := range all {
		most.Rounds, most.Nodes = max(most.Rounds, all[i].Rounds), max(most.Nodes, all[i].Nodes)
		o.Attempts += all[i].Attempts
	}
	o.Rounds += most.Rounds
	o.Nodes += most.Nodes
}
