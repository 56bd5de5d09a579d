package gpuload

import "slices"

// Key names a list of a snapshot: its segment's index and the offset of its entry.
type Key struct {
	Segment int
	Offset  int64
}

// Demand is a list that queries of a log ask for.
type Demand struct {
	Key   Key
	Bytes int64 // of its extent
	Uses  int   // queries that ask for it
}

// Plan sorts lists by uses a byte, the most first: the lists to make resident are those
// at the front that fit. An Executor, which learns from traffic, comes near this where the
// traffic is like the log.
func Plan(lists []Demand) {
	slices.SortFunc(lists, func(a, b Demand) int {
		// uses/bytes as products: without rounding the order is total
		x, y := int64(a.Uses)*b.Bytes, int64(b.Uses)*a.Bytes
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		case a.Key.Segment != b.Key.Segment:
			return a.Key.Segment - b.Key.Segment
		}
		return int(min(max(a.Key.Offset-b.Key.Offset, -1), 1))
	})
}

// Fit returns the lists of a plan that fit a budget in bytes, and their bytes. It goes from
// the front and skips lists that do not fit in what is left.
func Fit(plan []Demand, budget int64) (resident map[Key]bool, bytes int64) {
	resident = map[Key]bool{}
	for _, d := range plan {
		if d.Bytes <= budget-bytes {
			resident[d.Key] = true
			bytes += d.Bytes
		}
	}
	return resident, bytes
}
