package layout

// Part is one query on one segment, with an accumulator for each document. Parts of one
// query are adjacent.
type Part struct {
	Query int    // its index in the batch
	Docs  uint32 // documents of the segment
}

// Bytes returns the size of the accumulators: one float per document, rounded up to a
// multiple of four floats because CollectScores reads four at a time.
func (p Part) Bytes() int64 { return (int64(p.Docs) + 3) / 4 * 16 }

// Group is a run of queries of a batch that have accumulators at the same time.
type Group struct {
	Query, Queries int // the first, and their number
	Part, Parts    int
	Bytes          int64 // of accumulators
	Ranges         int   // of documents, over all parts
}

const (
	collectors  = 1 << 11 // minimum thread blocks of CollectScores, if there are enough documents
	collectDocs = 1 << 12 // minimum documents of each: the number that it loads at once
)

// Groups divides parts into groups that need at most bound bytes of accumulators or have
// a single query.
func Groups(parts []Part, bound int64) (groups []Group) {
	for i := 0; i < len(parts); {
		v := Group{Query: parts[i].Query, Queries: 1, Part: i}
		for ; i < len(parts) && parts[i].Query == v.Query; i++ {
			v.Parts++
			v.Bytes += parts[i].Bytes()
		}
		if n := len(groups); n > 0 && groups[n-1].Bytes+v.Bytes <= bound {
			g := &groups[n-1]
			g.Queries, g.Parts, g.Bytes = g.Queries+1, g.Parts+v.Parts, g.Bytes+v.Bytes
			continue
		}
		groups = append(groups, v)
	}
	for i := range groups {
		g := &groups[i]
		for _, p := range parts[g.Part : g.Part+g.Parts] {
			g.Ranges += g.RangesOf(p)
		}
	}
	return groups
}

// RangesOf returns the number of ranges into which the documents of one of the group's
// parts are divided.
func (g *Group) RangesOf(p Part) int {
	return max(1, min(collectors/g.Parts, int(p.Docs)/collectDocs))
}
