package model

import "container/list"

// Replayed is what a local cache did for the second half of a log, of which it had seen the first half.
type Replayed struct {
	Left            *Trace // what the queries of that half still read of the bucket
	Requests, Bytes float64
	// Requests and Bytes are the shares that the cache had.
}

// Replay answers the log of the trace in its order with a cache of so many bytes of the segment, of which those units of 4 KiB go that
// were not used for the longest time. As in package bucket, a request is left out if the cache has all of it, and shortened if it has the
// beginning or the end.
func (t *Trace) Replay(size int64) Replayed {
	c := lru{room: int(size / readUnit), units: map[int64]*list.Element{}}
	r := Replayed{Left: &Trace{Index: t.Index}}
	var asked, had [2]float64
	for i, q := range t.Queries {
		reads := c.left(q.Searching())
		ids := c.left(q.Hits())
		if i < len(t.Queries)/2 {
			continue
		}
		for j, x := range [][]Read{q.Searching(), q.Hits(), reads, ids} {
			n, _, bytes := Total(x)
			if j < 2 {
				asked[0] += float64(n)
				asked[1] += float64(bytes)
			} else {
				had[0] += float64(n)
				had[1] += float64(bytes)
			}
		}
		q.Reads, q.IDs = reads, ids
		r.Left.Queries = append(r.Left.Queries, q)
	}
	r.Requests, r.Bytes = 1-had[0]/asked[0], 1-had[1]/asked[1]
	return r
}

// lru is a cache of units.
type lru struct {
	room  int
	units map[int64]*list.Element
	used  list.List // of int64, the latest first
}

// left returns what is left of reads, and has the cache keep them.
func (c *lru) left(reads []Read) (left []Read) {
	for _, r := range reads {
		first, end := r.Off/readUnit, (r.Off+r.N+readUnit-1)/readUnit
		lo, hi := first, end
		for lo < hi && c.has(lo) {
			lo++
		}
		for lo < hi && c.has(hi-1) {
			hi--
		}
		if lo < hi {
			from := max(r.Off, lo*readUnit)
			left = append(left, Read{r.Round, from, min(r.Off+r.N, hi*readUnit) - from, r.Section})
		}
		for p := first; p < end; p++ {
			c.use(p)
		}
	}
	return left
}

func (c *lru) has(unit int64) bool { return c.units[unit] != nil }

// use notes that a unit was used.
func (c *lru) use(unit int64) {
	if e := c.units[unit]; e != nil {
		c.used.MoveToFront(e)
		return
	}
	if c.room == 0 {
		return
	}
	if len(c.units) == c.room {
		last := c.used.Back()
		delete(c.units, last.Value.(int64))
		c.used.Remove(last)
	}
	c.units[unit] = c.used.PushFront(unit)
}
