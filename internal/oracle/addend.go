package oracle

import (
	"cmp"
	"slices"
)

// addend is a number that is summed, with its place: Dots come after words, Nearest and Similarities after these, and constants last.
type addend struct {
	near        bool
	dot         bool
	constant    bool
	df          int
	field, term string
	number      int
	score       float32
	exact       float64
}

func before(a, b addend) int {
	if a.constant != b.constant {
		if a.constant {
			return 1
		}
		return -1
	}
	if a.near != b.near {
		if a.near {
			return 1
		}
		return -1
	}
	if a.dot != b.dot {
		if a.dot {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(a.df, b.df), cmp.Compare(a.field, b.field), cmp.Compare(a.term, b.term), cmp.Compare(a.number, b.number))
}

// sum adds addends up in order.
func sum(all []addend) (score float32, exact float64) {
	slices.SortFunc(all, before)
	for i, a := range all {
		if exact += a.exact; i == 0 {
			score = a.score
		} else {
			score = float32(score + a.score)
		}
	}
	return score, exact
}
