package order

import (
	"fmt"
	"math"
	"slices"
)

// Cost returns the bits of the gaps of all lists when documents are numbered by p:
// the sum of log2(gap), which bisection lowers (LogGap in the paper). A nil p
// leaves the documents as they are. The first gap of a list is counted from docID
// -1.
func Cost(lists Lists, p Permutation) (float64, error) {
	if lists == nil {
		return 0, errNoLists
	}
	sum := 0.0
	var moved []uint32
	for docs, err := range lists {
		if err != nil {
			return 0, err
		}
		if p != nil {
			moved = moved[:0]
			for _, d := range docs {
				if int64(d) >= int64(len(p)) {
					return 0, fmt.Errorf("order: %w: a list has docID %d of %d", ErrInvalid, d, len(p))
				}
				moved = append(moved, p[d])
			}
			slices.Sort(moved)
			docs = moved
		}
		prev := int64(-1)
		for _, d := range docs {
			sum += math.Log2(float64(int64(d) - prev))
			prev = int64(d)
		}
	}
	return sum, nil
}
