package residency

import (
	"sort"

	"github.com/pinion-index/pinion/internal/indexdir"
	segcheck "github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/segment"
)

// postings reads the postings of terms of a field of impacts, for one goroutine.
type postings struct {
	segments []Segment
	check    bool // lists, by all that they say
	checks   segcheck.ListChecker
	list     segment.List
	docs     []uint32
	weights  []uint32
}

// blocksAtOnce is how many blocks are decoded at a time.
const blocksAtOnce = 16

// guard calls f, and returns the error of a fault in a mapped file.
func (p *postings) guard(f func() error) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	return f()
}

// read calls f with the global docIDs from from up to to of the documents in parts that are not deleted, in ascending
// order, and their weights. f may change both.
func (p *postings) read(parts []ListPart, from, to uint64, f func(docs, weights []uint32)) error {
	for _, part := range parts {
		s := &p.segments[part.Seg]
		base := uint64(s.Base)
		if base >= to || base+uint64(s.Seg.Meta().Docs) <= from {
			continue
		}
		l := &p.list
		var err error
		if p.check {
			l, err = p.checks.List(s.Seg, part.Entry)
		} else {
			err = s.Seg.Lists().Init(l, part.Entry)
		}
		if err == nil {
			err = p.readList(s, l, uint32(max(from, base)-base), to-base, f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readList is read for the list of a segment, by its docIDs.
func (p *postings) readList(s *Segment, l *segment.List, from uint32, to uint64, f func(docs, weights []uint32)) error {
	if need := blocksAtOnce * l.BlockLen; len(p.docs) < need {
		p.docs, p.weights = make([]uint32, need), make([]uint32, need)
	}
	block := sort.Search(l.Blocks, func(b int) bool { return l.Last(b) >= from })
	for block < l.Blocks {
		count := min(blocksAtOnce, l.Blocks-block)
		n, err := l.DecodeDocs(p.docs, block, count)
		if err == nil {
			_, err = l.DecodeFreqs(p.weights, block, count)
		}
		if err != nil {
			return err
		}
		docs, weights := p.docs[:n], p.weights[:n]
		block += count
		for len(docs) > 0 && docs[0] < from {
			docs, weights = docs[1:], weights[1:]
		}
		if n := len(docs); n > 0 && uint64(docs[n-1]) >= to {
			n = sort.Search(n, func(i int) bool { return uint64(docs[i]) >= to })
			docs, weights, block = docs[:n], weights[:n], l.Blocks
		}
		kept := 0
		for i, d := range docs {
			if s.Deletes != nil && s.Deletes.Has(d) {
				continue
			}
			docs[kept], weights[kept] = d+s.Base, weights[i]
			kept++
		}
		if kept > 0 {
			f(docs[:kept], weights[:kept])
		}
	}
	return nil
}
