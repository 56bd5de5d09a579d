package layout

// Part is one query on one segment, whose documents have accumulators. Parts of a query
// follow each other.
type Part struct {
	Query int    // its number within the batch
	Docs  uint32 // documents of the segment
}

// Bytes returns the device memory of the accumulators: a float a document, in multiples
// of four, because CollectScores reads four at a time.
func (p Part) Bytes() int64 { return (int64(p.Docs) + 3) / 4 * 16 }

// Group is the queries of a batch that have accumulators at the same time.
type Group struct {
	Query, Queries int // the first, and how many
	Part, Parts    int
	Bytes          int64 // of accumulators
	Ranges         int   // of documents, of all parts
}

const (
	collectors  = 1 << 11 // thread blocks of CollectScores at least, if documents suffice
	collectDocs = 1 << 12 // documents of each at least: what it loads at once
)

// Groups divides parts among groups that need at most bound bytes of accumulators, or
// have one query.
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

// RangesOf returns into how many ranges the documents of a part of the group are divided.
func (g *Group) RangesOf(p Part) int {
	return max(1, min(collectors/g.Parts, int(p.Docs)/collectDocs))
}
