package gpu

import "slices"

// Key identifies a list of a snapshot by the index of its segment and the offset of its
// entry.
type Key struct {
	Segment int
	Offset  int64
}

// Demand is a list used by the queries of a log.
type Demand struct {
	Key   Key
	Bytes int64 // size of its extent
	Uses  int   // number of queries that use it
}

// ByUse sorts lists by uses per byte in descending order: the lists to make resident are
// those at the front that fit. An Executor, which adapts to its queries, comes close to
// this order if they resemble the log.
func ByUse(lists []Demand) {
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

// Fit returns the lists, so sorted, that fit into a budget in bytes, and their total size.
// It takes lists from the front and skips those that exceed the rest of the budget.
func Fit(lists []Demand, budget int64) (resident map[Key]bool, bytes int64) {
	resident = map[Key]bool{}
	for _, d := range lists {
		if d.Bytes <= budget-bytes {
			resident[d.Key] = true
			bytes += d.Bytes
		}
	}
	return resident, bytes
}
