package columns

import (
	"bytes"
	"cmp"
	"container/heap"
	"slices"
	"sort"
)

// Result returns the counts of all segments. Take is told now and then how many bytes more they have in JSON, at least, and
// ends it with an error.
func (c *Counter) Result(take func(bytes int) error) (r Counts, err error) {
	if c.down != nil {
		return c.down.result(take)
	}
	r.Missing = c.missing
	switch {
	case len(c.keywords) == 1:
		r.Counts, err = c.bestOfOne(&c.keywords[0], take)
	case c.facet.keywords():
		r.Counts, err = c.bestOfAll(take)
	case c.facet.buckets():
		if err := take(least * len(c.buckets)); err != nil {
			return r, err
		}
		r.Counts = make([]Count, 0, len(c.buckets))
		for b, n := range c.buckets {
			r.Counts = append(r.Counts, Count{Number: c.facet.startOf(b), Docs: n})
		}
		sort.Slice(r.Counts, func(i, j int) bool { return r.Counts[i].Number < r.Counts[j].Number })
	default:
		for _, n := range c.ranges {
			r.Counts = append(r.Counts, Count{Docs: n})
		}
	}
	return r, err
}

// often is after how many keywords Result asks whether to stop.
const often = 1024

// bestOfOne returns the most frequent keywords of a single segment, whose ordinals order as they do.
func (c *Counter) bestOfOne(k *keywords, take func(bytes int) error) ([]Count, error) {
	some := 0
	for _, n := range k.counts {
		if n > 0 {
			some++
		}
	}
	some = min(some, c.facet.K)
	if err := take(least * some); err != nil {
		return nil, err
	}
	if err := c.hold(8 * some); err != nil {
		return nil, err
	}
	best := make(ordinals, 0, some)
	for ordinal, n := range k.counts {
		switch x := uint64(n)<<32 | uint64(^uint32(ordinal)); {
		case n == 0:
		case len(best) < some:
			if best = append(best, x); len(best) == some {
				heap.Init(best)
			}
		case some > 0 && x > best[0]:
			best[0] = x
			heap.Fix(best, 0)
		}
	}
	slices.SortFunc(best, func(a, b uint64) int { return cmp.Compare(b, a) })
	top := make([]Count, len(best))
	size := 0
	var name []byte
	for i, x := range best {
		if i%often == 0 {
			if err := take(size); err != nil {
				return nil, err
			}
			size = 0
		}
		var err error
		if name, err = k.of.Keyword(name[:0], int64(^uint32(x))); err != nil {
			return nil, err
		}
		size += len(name)
		top[i] = Count{Keyword: bytes.Clone(name), Docs: x >> 32}
	}
	return top, take(size)
}

// ordinals is a heap, of frequencies and behind them ordinals inverted, whose least one is the first.
type ordinals []uint64

func (h ordinals) Len() int           { return len(h) }
func (h ordinals) Less(i, j int) bool { return h[i] < h[j] }
func (h ordinals) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (ordinals) Push(any)             { panic("not called") }
func (ordinals) Pop() any             { panic("not called") }

// bestOfAll returns the most frequent keywords of several segments. It merges their dictionaries, so that it needs memory only for the
// keywords that it returns.
func (c *Counter) bestOfAll(take func(bytes int) error) ([]Count, error) {
	var from cursors
	for i := range c.keywords {
		x := &cursor{keywords: &c.keywords[i], at: -1}
		if more, err := x.next(); err != nil {
			return nil, err
		} else if more {
			from = append(from, x)
		}
	}
	heap.Init(&from)
	best := counted{}
	size := 0
	for n := 0; len(from) > 0; n++ {
		if n%often == 0 {
			if err := take(size); err != nil {
				return nil, err
			}
			size = 0
		}
		var one Count
		best.name = append(best.name[:0], from[0].name...)
		for len(from) > 0 && bytes.Equal(from[0].name, best.name) {
			one.Docs += uint64(from[0].counts[from[0].at])
			if more, err := from[0].next(); err != nil {
				return nil, err
			} else if more {
				heap.Fix(&from, 0)
			} else {
				heap.Pop(&from)
			}
		}
		one.Keyword = best.name
		size += best.offer(one, c.facet.K, n)
	}
	all := best.all
	sort.Slice(all, func(i, j int) bool {
		return cmp.Or(cmp.Compare(all[j].Docs, all[i].Docs), cmp.Compare(all[i].rank, all[j].rank)) < 0
	})
	top := make([]Count, len(best.all))
	for i := range top {
		top[i] = best.all[i].Count
	}
	return top, take(size)
}

// cursor walks over the keywords of a segment that documents have, in ascending order.
type cursor struct {
	*keywords
	at   int
	name []byte
}

// next goes to the next keyword.
func (x *cursor) next() (more bool, err error) {
	for x.at++; x.at < len(x.counts); x.at++ {
		if x.counts[x.at] > 0 {
			x.name, err = x.of.Keyword(x.name[:0], int64(x.at))
			return true, err
		}
	}
	return false, nil
}

// cursors is a heap of which the first has the least keyword.
type cursors []*cursor

func (h cursors) Len() int           { return len(h) }
func (h cursors) Less(i, j int) bool { return bytes.Compare(h[i].name, h[j].name) < 0 }
func (h cursors) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (cursors) Push(any)             { panic("not called") }
func (h *cursors) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// standing is a count, and how many keywords are before its own.
type standing struct {
	Count
	rank int
}

// counted is a heap of the best counts, once it is full, whose worst one is the first.
type counted struct {
	all  []standing
	name []byte // memory for a keyword
}

// offer keeps n, unless there are k better ones, and returns how many bytes more the counts have in JSON then. Keywords are offered
// in ascending order, with their ranks.
func (h *counted) offer(n Count, k, rank int) (more int) {
	switch {
	case len(h.all) < k:
		n.Keyword = bytes.Clone(n.Keyword)
		if h.all = append(h.all, standing{n, rank}); len(h.all) == k {
			heap.Init(h)
		}
		return n.Size()
	case k > 0 && n.Docs > h.all[0].Docs:
		worst := &h.all[0]
		more = len(n.Keyword) - len(worst.Keyword)
		*worst = standing{Count{Keyword: append(worst.Keyword[:0], n.Keyword...), Docs: n.Docs}, rank}
		heap.Fix(h, 0)
	}
	return more
}

func (h *counted) Len() int { return len(h.all) }
func (h *counted) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h.all[i].Docs, h.all[j].Docs), cmp.Compare(h.all[j].rank, h.all[i].rank)) < 0
}
func (h *counted) Swap(i, j int) { h.all[i], h.all[j] = h.all[j], h.all[i] }
func (*counted) Push(any)        { panic("not called") }
func (*counted) Pop() any        { panic("not called") }
