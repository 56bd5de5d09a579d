package gpu

import "github.com/pinion-index/pinion/internal/gpu/residency"

// Resident reports whether the lists of a term are on the device, as far as it can tell
// without waiting: it says false while lists are being loaded, and of terms that no query
// has met, that occur nowhere or that have only short lists.
func (x *Executor) Resident(term []byte) bool {
	if x.zero() || !x.life.TryRLock() {
		return false
	}
	defer x.life.RUnlock()
	k := x.terms.Get(0, term)
	if k == nil {
		return false
	}
	some := false
	for i := range k.lists {
		p := &k.lists[i]
		if p.n == 0 || p.small != nil {
			continue
		}
		if l := p.list.Load(); (l == nil || l.Gone.Load()) && !p.has(x.lists) {
			return false
		}
		some = true
	}
	return some
}

// has looks for the list of p, and remembers it there.
func (p *place) has(lists *residency.Lists) bool {
	r := lists.Peek(p.want.Key)
	if r == nil {
		return false
	}
	p.list.Store(r)
	return true
}

// Resident reports whether one of the devices has the lists of a term, as
// Executor.Resident does.
func (g *Group) Resident(term []byte) bool {
	for _, m := range g.members {
		if m.x.Resident(term) {
			return true
		}
	}
	return false
}
