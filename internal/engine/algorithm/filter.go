package algorithm

// Within makes the documents from lo up to hi the ones to consider, but for those before the first
// and behind the last of the filter. It returns false if the filter has none of them.
func (r *Run) Within(lo, hi uint32) bool {
	r.lo, r.hi = lo, hi
	f := &r.filter
	if f.own == nil {
		return true
	}
	lo, hi = f.own.Bounds()
	r.lo, r.hi = max(r.lo, lo), min(r.hi, hi)
	if r.lo < r.hi {
		r.lo = f.own.Next(r.lo)
	}
	if r.lo >= r.hi {
		r.hi, f.count = r.lo, 0
		return false
	}
	f.count = uint64(f.own.Count(r.lo, r.hi))
	f.sifted = f.count < uint64(r.hi-r.lo)
	return true
}
