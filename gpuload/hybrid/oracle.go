package hybrid

import (
	"cmp"
	"slices"
	"time"
)

// Bound is how long a machine needs for a log of queries at least.
type Bound struct {
	CPU    time.Duration // if the CPU answers every query
	GPU    time.Duration // if the GPU answers every query that it can
	Oracle time.Duration // if each goes where hindsight sends it
}

// Oracle returns the bounds of a log on a machine with the given number of cores, whose
// GPU takes batches of at most batch queries, each with a fixed time. With both
// processors, the best choice in hindsight is known from the theory of two machines: the
// queries that gain most of the GPU go there, up to a point; one query at the point may be
// divided. So no schedule is faster than Oracle.
func Oracle(records []Record, workers, batch int, fixed time.Duration) Bound {
	order := make([]int, 0, len(records))
	cores, host, device := 0.0, 0.0, 0.0 // all but pinned queries on the GPU
	var b Bound
	each := float64(fixed) / float64(batch) // a query's share of the fixed time
	for i := range records {
		r := &records[i]
		b.CPU += r.Cost.CPU
		if r.Pinned {
			cores += float64(r.Cost.CPU)
			continue
		}
		order = append(order, i)
		host += float64(r.Cost.Host)
		device += float64(r.Cost.GPU) + each
	}
	n := float64(workers)
	b.CPU = time.Duration(float64(b.CPU) / n)
	best := max((cores+host)/n, device)
	b.GPU = time.Duration(best)
	gain := func(i int) float64 {
		c := records[i].Cost
		return float64(c.CPU-c.Host) / (float64(c.GPU) + each)
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(gain(i), gain(j)) })
	core := (cores + host) / n
	for _, i := range order { // one after the other moves to the CPU
		c := records[i].Cost
		more, less := float64(c.CPU-c.Host)/n, float64(c.GPU)+each
		if more > 0 && core+more >= device-less { // divide it where the two meet
			if share := (device - core) / (more + less); share > 0 {
				best = min(best, max(core+share*more, device-share*less))
			}
			best = min(best, max(core, device))
			break
		}
		core, device = core+more, device-less
		best = min(best, max(core, device))
	}
	b.Oracle = min(time.Duration(best), b.CPU)
	return b
}
