package regress

import "github.com/pinion-index/pinion/format/codec"

// Seek returns the least j below n with at(j) >= target, and at(j). at must rise
// and reach target; where it does not, the error is codec.ErrBlock. It asks first
// where the docIDs would lie if they were on the straight line from (0, base) to
// (n-1, last), and widens from there.
func Seek(n int, base, last, target uint32, at func(j int) uint32) (int, uint32, error) {
	lo, hi := -1, n // at(lo) < target <= at(hi), by assumption at the ends
	found := last
	if last > base && target >= base {
		j := int(uint64(target-base) * uint64(n-1) / uint64(last-base))
		for step := 2; j > lo && j < hi; step *= 3 {
			if d := at(j); d >= target {
				hi, found, j = j, d, j-step
			} else {
				lo, j = j, j+step
			}
			if lo >= 0 && hi < n {
				break
			}
		}
	}
	for hi-lo > 1 {
		m := int(uint(lo+hi) / 2)
		if d := at(m); d >= target {
			hi, found = m, d
		} else {
			lo = m
		}
	}
	if hi == n || found < target {
		return 0, 0, codec.ErrBlock
	}
	return hi, found, nil
}
