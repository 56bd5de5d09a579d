package inspect

import (
	"container/heap"
	"context"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// Options configure Collect.
type Options struct {
	Blocks int    // about how many blocks the sample has; 0 means none
	Seed   uint64 // draws another sample with another number
	Top    int    // how many of the longest lists to find
	Field  uint32 // id of the field to look at, 0 for all
	// Run, unless nil, is called with each list and block of the sample. The list is valid
	// until it returns; an error ends Collect.
	Run func(term []byte, seg int, l *segment.List, block int) error
	// Damaged, unless nil, is called with damage that Collect goes on behind. Without it
	// damage ends Collect.
	Damaged func(error)
	// Progress, unless nil, is called now and then with how many lists are done, and how
	// many there are.
	Progress func(done, total int64)
}

// Stats are what Collect finds. Deleted documents and their postings count.
type Stats struct {
	Terms      uint64       `json:"terms"` // distinct ones
	Lists      uint64       `json:"lists"`
	Postings   uint64       `json:"postings"`
	All        *Sizes       `json:"sizes"`
	Segments   []*Sizes     `json:"segments"`
	Sample     Sample       `json:"sample"`
	Histograms []*Histogram `json:"histograms"`
	Top        []TopList    `json:"top_lists"` // the longest first
}

// TopList is one of the longest lists.
type TopList struct {
	Term    []byte
	Segment int
	Entry   segment.Entry
}

// Collect walks the segments of an index. Its memory does not depend on their size.
func Collect(ctx context.Context, segs []*segment.Segment, o Options) (*Stats, error) {
	c := &collector{ctx: ctx, o: o, segs: segs, st: &Stats{All: &Sizes{}, Segments: []*Sizes{}, Histograms: []*Histogram{}},
		df: newHistogram("df", "Document frequency", "documents", "terms", octave, false)}
	postings := uint64(0)
	for _, s := range segs {
		c.st.Segments = append(c.st.Segments, newSizes(s))
		terms, n := c.expected(s)
		postings += n
		c.total += int64(terms)
	}
	c.sample = newSampler(postings, o)
	if err := c.lists(); err != nil {
		return nil, err
	}
	lengths, err := c.lengths()
	if err != nil {
		return nil, err
	}
	st := c.st
	for _, z := range st.Segments {
		st.All.add(z)
		z.finish()
	}
	st.All.finish()
	st.Sample = c.sample.Sample
	st.Histograms = append(st.Histograms, c.df, lengths)
	if o.Blocks > 0 {
		s := c.sample
		st.Histograms = append(st.Histograms, s.gaps, s.freqs, s.docsWidth, s.freqsWidth, s.exceptions)
	}
	for _, h := range st.Histograms {
		h.finish()
	}
	for len(c.top) > 0 {
		st.Top = append(st.Top, heap.Pop(&c.top).(TopList))
	}
	slices.Reverse(st.Top)
	return st, nil
}

// collector is one run of Collect.
type collector struct {
	ctx    context.Context
	o      Options
	segs   []*segment.Segment
	st     *Stats
	df     *Histogram
	sample *sampler
	top    topHeap
	total  int64
	l      segment.List
}

// expected returns how many terms s has, and at most how many postings.
func (c *collector) expected(s *segment.Segment) (terms, postings uint64) {
	if c.o.Field == 0 {
		return s.Meta().Terms, s.Meta().Postings
	}
	i, ok := s.FieldByID(c.o.Field)
	if !ok {
		return 0, 0
	}
	f := &s.Fields()[i]
	if postings = s.Meta().Postings; f.HasLengths() {
		postings = min(postings, f.Tokens)
	}
	return f.Terms, postings
}

// damaged returns err, or nil if Collect goes on behind it.
func (c *collector) damaged(err error) error {
	if err == nil || c.o.Damaged == nil {
		return err
	}
	c.o.Damaged(err)
	return nil
}

// often is how many terms pass between calls of Progress.
const often = 1 << 14

// lists walks the dictionaries, field by field.
func (c *collector) lists() error {
	for _, id := range FieldIDs(c.segs) {
		if c.o.Field != 0 && c.o.Field != id {
			continue
		}
		if err := c.walk(NewFieldWalk(c.segs, id, "", "")); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) walk(w *Walk) error {
	if c.o.Damaged != nil {
		w.Damaged = func(_ int, err error) { c.o.Damaged(err) }
	}
	for w.Next() {
		for _, i := range w.At() {
			if err := c.list(w.Term(), i, w.Entry(i)); err != nil {
				return err
			}
		}
		c.df.add(w.Postings(), 1)
		if c.st.Terms++; c.st.Terms%often == 0 {
			if err := c.ctx.Err(); err != nil {
				return err
			}
			if c.o.Progress != nil {
				c.o.Progress(int64(c.st.Lists), c.total)
			}
		}
	}
	return w.Err()
}

// list adds a list.
func (c *collector) list(term []byte, seg int, e segment.Entry) error {
	c.st.Lists++
	c.st.Postings += uint64(e.DF)
	drawn := c.sample.wants(e.DF)
	if drawn || e.Kind == segment.KindExtent {
		if err := c.segs[seg].Lists().Init(&c.l, e); err != nil {
			c.sample.skip(e.DF)
			return c.damaged(format.Locate(err, format.Place{List: string(term), Block: format.NoBlock}))
		}
	}
	c.st.Segments[seg].list(e, &c.l)
	if drawn {
		if err := c.sample.list(term, seg, &c.l); err != nil {
			if err := c.damaged(format.Locate(err, format.Place{List: string(term), Block: format.NoBlock})); err != nil {
				return err
			}
		}
	}
	c.sample.skip(e.DF)
	if c.o.Top > 0 && (len(c.top) < c.o.Top || e.DF > c.top[0].Entry.DF) {
		if len(c.top) == c.o.Top {
			heap.Pop(&c.top)
		}
		heap.Push(&c.top, TopList{slices.Clone(term), seg, e})
	}
	return nil
}

// lengths counts the lengths of documents.
func (c *collector) lengths() (*Histogram, error) {
	h := newHistogram("lengths", "Document length", "tokens", "documents", fine, false)
	for _, s := range c.segs {
		for doc := range s.Meta().Docs {
			n, err := c.length(s, doc)
			if err != nil {
				if err := c.damaged(err); err != nil {
					return nil, err
				}
				break
			}
			h.add(uint64(n), 1)
		}
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func (c *collector) length(s *segment.Segment, doc uint32) (uint32, error) {
	if c.o.Field != 0 {
		return LengthIn(s, c.o.Field, doc)
	}
	return s.Documents().Length(doc)
}

// topHeap has the list to drop first on top.
type topHeap []TopList

func (h topHeap) Len() int           { return len(h) }
func (h topHeap) Less(i, j int) bool { return h[i].Entry.DF < h[j].Entry.DF }
func (h topHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *topHeap) Push(t any)        { *h = append(*h, t.(TopList)) }
func (h *topHeap) Pop() any {
	t := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return t
}
