package filter

import (
	"math"
	"slices"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Eval returns the documents of a segment that pass c, deleted ones too. It reads the blocks of columns whose bounds leave
// open which documents pass. As for all methods of seg, the caller arms faults and holds the segment. The error is one
// of reading seg.
func (c *Compiled) Eval(seg *segment.Segment) (*docset.Set, error) {
	docs := seg.Meta().Docs
	p, err := c.root.in(seg)
	switch {
	case err != nil:
		return nil, err
	case p.op == opNone:
		return &docset.Set{}, nil
	case p.op == opAll:
		return docset.Range(0, docs), nil
	case p.op == opIDs:
		return docset.FromDocs(p.docs), nil
	}
	words := make([]uint64, (docs+segment.ColumnBlock-1)/segment.ColumnBlock*blockWords)
	ahead := 0 // the blocks before it are read, or asked for
	for b := range len(words) / blockWords {
		if b >= ahead && seg.OnDemand() {
			ahead = min(b+aheadBlocks, len(words)/blockWords)
			p.prefetch(b, ahead)
		}
		if err := p.block(b, (*mask)(words[b*blockWords:])); err != nil {
			return nil, err
		}
	}
	return docset.FromWords(words), nil
}

// blockWords is how many words the mask of a block has.
const blockWords = segment.ColumnBlock / 64

// aheadBlocks is how many blocks are asked for at once of a segment that is read on demand.
const aheadBlocks = 256

// prefetch begins to read those of the blocks from first up to end whose bounds do not say what passes.
func (p *plan) prefetch(first, end int) {
	if p.op == opIDs {
		return
	}
	if p.column == nil {
		for i := range p.kids {
			p.kids[i].prefetch(first, end)
		}
		return
	}
	from := first // of the run of such blocks
	for b := first; b < end; b++ {
		if k := p.known(b); k == opNone || k == opAll {
			p.column.Prefetch(from, b)
			from = b + 1
		}
	}
	p.column.Prefetch(from, end)
}

// mask are documents of a block.
type mask [blockWords]uint64

// plan is a node in a segment.
type plan struct {
	op     op
	column *segment.Column
	total  uint32  // documents of the segment
	lo, hi int64   // of opRange
	keys   []int64 // of opIn: two at least
	docs   []uint32
	kids   []plan
}

// in returns n in a segment. Without opNone and opAll in it, unless it is one.
func (n *node) in(seg *segment.Segment) (plan, error) {
	p := plan{op: n.op, total: seg.Meta().Docs}
	switch n.op {
	case opIDs:
		return p.ofIDs(seg, n.words)
	case opAnd, opOr:
		return p.combine(seg, n)
	case opNot:
		kid, err := n.kids[0].in(seg)
		if err != nil {
			return p, err
		}
		switch kid.op {
		case opNone, opAll:
			p.op = opNone + opAll - kid.op
			return p, nil
		case opNot:
			return kid.kids[0], nil
		}
		p.kids = []plan{kid}
		return p, nil
	case opNone, opAll:
		return p, nil
	}
	i, ok := seg.FieldByID(n.field)
	if ok {
		var err error
		if p.column, ok, err = seg.Field(i).Column(); err != nil {
			return p, err
		}
	}
	if !ok { // nothing in the segment has a value
		p.op = opNone
		return p, nil
	}
	if err := p.find(n); err != nil {
		return p, err
	}
	p.simplify()
	return p, nil
}

// ofIDs makes p the documents with some ids.
func (p plan) ofIDs(seg *segment.Segment, ids [][]byte) (plan, error) {
	for _, id := range ids {
		doc, ok, err := seg.Documents().FindID(id)
		if err != nil {
			return p, err
		}
		if ok {
			p.docs = append(p.docs, doc)
		}
	}
	slices.Sort(p.docs)
	if p.docs = slices.Compact(p.docs); len(p.docs) == 0 {
		p.op = opNone
	}
	return p, nil
}

func (p plan) combine(seg *segment.Segment, n *node) (plan, error) {
	unit, zero := opAll, opNone
	if n.op == opOr {
		unit, zero = zero, unit
	}
	for i := range n.kids {
		kid, err := n.kids[i].in(seg)
		switch {
		case err != nil:
			return p, err
		case kid.op == zero:
			return plan{op: zero, total: p.total}, nil
		case kid.op != unit:
			p.kids = append(p.kids, kid)
		}
	}
	switch len(p.kids) {
	case 0:
		return plan{op: unit, total: p.total}, nil
	case 1:
		return p.kids[0], nil
	}
	return p, nil
}

// find sets the numbers that the values of n have in the column.
func (p *plan) find(n *node) (err error) {
	if p.op == opExists {
		return nil
	}
	if n.kind != schema.Keyword {
		p.lo, p.hi, p.keys = n.lo, n.hi, n.keys
		return nil
	}
	if p.op == opIn {
		for _, w := range n.words {
			at, ok, err := p.column.Ordinal(w)
			if err != nil {
				return err
			}
			if ok {
				p.keys = append(p.keys, at)
			}
		}
		return nil
	}
	p.lo, p.hi = 0, math.MaxInt64
	if n.min != nil {
		at, ok, err := p.column.Ordinal(n.min)
		if err != nil {
			return err
		}
		if p.lo = at; ok && n.aboveMin {
			p.lo++
		}
	}
	if n.max != nil {
		at, ok, err := p.column.Ordinal(n.max)
		if err != nil {
			return err
		}
		if p.hi = at; !ok || n.belowMax {
			p.hi--
		}
	}
	return nil
}

// simplify makes p, about a column, what says the same of what the column has.
func (p *plan) simplify() {
	info := p.column.Info()
	if p.op == opIn {
		from, _ := slices.BinarySearch(p.keys, info.Min)
		to, found := slices.BinarySearch(p.keys, info.Max)
		if found {
			to++
		}
		if p.keys = p.keys[min(from, to):to]; len(p.keys) > 0 {
			p.lo, p.hi = p.keys[0], p.keys[len(p.keys)-1]
		}
		if n := len(p.keys); n == 0 {
			p.op = opNone
		} else if uint64(p.hi)-uint64(p.lo) == uint64(n-1) {
			p.op = opRange
		}
	}
	switch {
	case p.op == opNone || info.Docs == 0:
		p.op = opNone
	case p.op == opRange && (p.lo > p.hi || p.lo > info.Max || p.hi < info.Min):
		p.op = opNone
	case p.op == opRange && p.lo <= info.Min && p.hi >= info.Max:
		p.op = opExists
	}
	if p.op == opExists && uint64(info.Docs) == uint64(p.total) {
		p.op = opAll
	}
}

// size returns how many documents a block has.
func (p *plan) size(b int) uint32 {
	return min(segment.ColumnBlock, p.total-uint32(b)*segment.ColumnBlock)
}

// known returns whether no document of a block passes, opNone, or all do, opAll, if the bounds say it. Otherwise it returns
// another op.
func (p *plan) known(b int) op {
	switch p.op {
	case opIDs:
		from, _ := slices.BinarySearch(p.docs, uint32(b)*segment.ColumnBlock)
		if from == len(p.docs) || p.docs[from] >= uint32(b)*segment.ColumnBlock+p.size(b) {
			return opNone
		}
		return opIDs
	case opNot:
		if k := p.kids[0].known(b); k == opNone || k == opAll {
			return opNone + opAll - k
		}
		return opNot
	case opAnd, opOr:
		unit, zero := opAll, opNone
		if p.op == opOr {
			unit, zero = zero, unit
		}
		all := unit
		for i := range p.kids {
			switch p.kids[i].known(b) {
			case zero:
				return zero
			case unit:
			default:
				all = p.op
			}
		}
		return all
	}
	bounds := p.column.Bounds(b)
	every := bounds.Docs == p.size(b)
	switch {
	case bounds.Docs == 0:
		return opNone
	case p.op == opExists && every:
		return opAll
	case p.op == opExists:
		return opExists
	case p.lo > bounds.Max || p.hi < bounds.Min:
		return opNone
	case p.op == opRange && p.lo <= bounds.Min && p.hi >= bounds.Max && every:
		return opAll
	}
	return p.op
}

// block sets dst to the documents of a block that pass.
func (p *plan) block(b int, dst *mask) error {
	switch p.known(b) {
	case opNone:
		*dst = mask{}
		return nil
	case opAll:
		dst.fill(p.size(b))
		return nil
	}
	switch p.op {
	case opExists:
		return p.column.Range(b, math.MinInt64, math.MaxInt64, (*[blockWords]uint64)(dst))
	case opRange:
		return p.column.Range(b, p.lo, p.hi, (*[blockWords]uint64)(dst))
	case opIn:
		return p.column.In(b, p.keys, (*[blockWords]uint64)(dst))
	case opIDs:
		*dst = mask{}
		first := uint32(b) * segment.ColumnBlock
		from, _ := slices.BinarySearch(p.docs, first)
		for _, doc := range p.docs[from:] {
			if doc -= first; doc >= segment.ColumnBlock {
				break
			}
			dst[doc/64] |= 1 << (doc % 64)
		}
		return nil
	case opNot:
		if err := p.kids[0].block(b, dst); err != nil {
			return err
		}
		var all mask
		all.fill(p.size(b))
		for i, w := range all {
			dst[i] = w &^ dst[i]
		}
		return nil
	}
	return p.several(b, dst)
}

// several is block for an And or Or, some of whose filters leave open what passes.
func (p *plan) several(b int, dst *mask) error {
	dst.fill(p.size(b))
	if p.op == opOr {
		*dst = mask{}
	}
	for i := range p.kids {
		var one mask
		if err := p.kids[i].block(b, &one); err != nil {
			return err
		}
		some := uint64(0)
		for j, w := range one {
			if p.op == opAnd {
				dst[j] &= w
			} else {
				dst[j] |= w
			}
			some |= dst[j]
		}
		if p.op == opAnd && some == 0 {
			return nil
		}
	}
	return nil
}

// fill makes m the first n documents of a block.
func (m *mask) fill(n uint32) {
	*m = mask{}
	for i := range n / 64 {
		m[i] = ^uint64(0)
	}
	if n%64 > 0 {
		m[n/64] = 1<<(n%64) - 1
	}
}
