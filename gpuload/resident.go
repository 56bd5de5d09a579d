package gpuload

import "github.com/pinion-index/pinion/internal/termcache"

// Resident reports whether the lists of a term are on the device, as far as it can tell
// without waiting: it says false while lists are being loaded, and of terms that no query
// has met, that occur nowhere or that have only short lists.
func (x *Executor) Resident(term []byte) bool {
	if x.zero() {
		return false
	}
	k := x.terms.Get(termcache.Hash(term), term)
	if k == nil {
		return false
	}
	some := false
	for i := range k.lists {
		p := &k.lists[i]
		if p.n == 0 || p.small != nil {
			continue
		}
		if l := p.list.Load(); (l == nil || l.gone.Load()) && !x.lists.has(p) {
			return false
		}
		some = true
	}
	return some
}

// has looks for the list of p, and remembers it there.
func (l *lists) has(p *place) bool {
	if !l.mu.TryRLock() {
		return false
	}
	defer l.mu.RUnlock()
	r := l.byKey[p.want.key]
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
