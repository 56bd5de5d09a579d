package gpu

import (
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
)

// orderTies puts hits with equal scores in the order that the index keeps, if docIDs do not have it. The device has looked
// for one hit more than are wanted. If that has the score of the last, the device may have left out a better one: the CPU
// answers.
func (p *plan) orderTies(of *reader.Snapshot) error {
	if p.near != nil && p.why == OnDevice {
		hits, err := p.near.order(p.hits, of)
		p.hits = hits
		return err
	}
	if p.wanted == 0 || p.why != OnDevice {
		return nil
	}
	hits := p.hits
	if n := p.wanted; len(hits) > n {
		if hits[n-1].Score == hits[n].Score {
			p.why = reasonTies
			return nil
		}
		hits = hits[:n:n]
	}
	if err := search.OrderOf(of).SortTies(hits); err != nil {
		return err
	}
	p.hits = hits
	return nil
}
