package segment

import (
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/segment/compact"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// List returns a view of the list of e, which must be an entry of the segment.
func (ls Lists) List(e Entry) (*List, error) {
	l := new(List)
	if err := ls.Init(l, e); err != nil {
		return nil, err
	}
	return l, nil
}

// Init makes l a view of the list of e, which must be an entry of the segment. It decodes lists
// without an extent. On mapped data it does not allocate.
func (ls Lists) Init(l *List, e Entry) error {
	l.s, l.entry = ls.s, e
	switch e.Kind {
	case KindSingleton:
		l.initSmall(e, 1)
		l.docs[0], l.freqs[0] = e.Doc, e.TF
	case KindCompact:
		l.initSmall(e, int(min(e.DF, compact.MaxPostings)))
		b, err := ls.compactBytes(e)
		if err != nil {
			return err
		}
		if !compact.Decode(l.docs[:l.N], l.freqs[:l.N], b, ls.s.meta.Docs, 0) {
			return l.Locate(format.Corrupt("malformed compact list"), format.NoBlock)
		}
	default:
		return ls.initExtent(l, e)
	}
	l.First = l.docs[0]
	return ls.checkSmall(&e, l.freqs[:l.N])
}

func (l *List) initSmall(e Entry, n int) {
	l.Kind, l.N, l.Blocks, l.BlockLen = e.Kind, n, 1, layout.MinExtent
	if l.extent == nil {
		return
	}
	l.DocsCodec, l.FreqsCodec, l.docsBy, l.freqsBy = 0, 0, nil, nil
	l.Docs, l.Freqs = format.Sequence{}, format.Sequence{}
	l.Quads, l.Quad = nil, 0
	l.HasLR, l.HasHash, l.HasKth, l.HasImpacts = false, false, false, false
	l.extent = nil
}

// AppendSmall appends the postings of e to p and adds base to every docID. e must be an
// entry of the segment without an extent.
func (ls Lists) AppendSmall(p *format.Postings, e *Entry, base uint32) error {
	docs, freqs := p.Docs, p.Freqs // merges call it for most lists: no copies of *p
	if e.Kind == KindSingleton {
		p.Docs, p.Freqs = append(docs, e.Doc+base), append(freqs, e.TF)
		return ls.checkSmall(e, p.Freqs[len(freqs):])
	}
	b, err := ls.compactBytes(*e)
	if err != nil {
		return err
	}
	n, m := len(docs), len(docs)+int(min(e.DF, compact.MaxPostings))
	docs, freqs = slices.Grow(docs, m-n)[:m], slices.Grow(freqs, m-n)[:m]
	if !compact.Decode(docs[n:], freqs[n:], b, ls.s.meta.Docs, base) {
		return ls.Locate(format.Corrupt("malformed compact list"), *e, format.NoBlock)
	}
	p.Docs, p.Freqs = docs, freqs
	return ls.checkSmall(e, freqs[n:])
}

// compactBytes returns the bit stream of e, followed by readable bytes.
func (ls Lists) compactBytes(e Entry) ([]byte, error) {
	b, err := ls.s.rangeOf(&ls.s.terms, e.Offset, int64(e.Length))
	if err != nil {
		return nil, ls.Locate(err, e, format.NoBlock)
	}
	if cap(b)-len(b) < 8 {
		b = append(make([]byte, 0, len(b)+format.ReadablePadding), b...)
	}
	return b, nil
}

// DecodeDocs decodes the docIDs of count blocks from block on, which must exist, to dst,
// which must have room for count*BlockLen values. It returns their number, or, with an
// error, the number in the blocks before the damaged one.
func (l *List) DecodeDocs(dst []uint32, block, count int) (int, error) {
	if l.extent == nil {
		return copy(dst, l.docs[:l.N]), nil
	}
	if l.unsure {
		if err := l.touch(l.docsBy, l.y.Docs, &l.Docs, block, count); err != nil {
			return l.failed(l.DecodeDocs, dst, block, count, err)
		}
	}
	n, err := l.docsBy.DecodeDocs(dst, &l.Docs, block, count)
	if err != nil {
		return n, l.Locate(err, block+n/l.BlockLen)
	}
	return n, nil
}

// DecodeFreqs decodes the frequencies, or weights of 1 to 255, of count blocks from block on, which must exist, to
// dst, which must have room for count*BlockLen values. It returns their number, or, with an
// error, the number in the blocks before the damaged one.
func (l *List) DecodeFreqs(dst []uint32, block, count int) (int, error) {
	if l.extent == nil {
		return copy(dst, l.freqs[:l.N]), nil
	}
	if l.unsure {
		if err := l.touch(l.freqsBy, l.y.Freqs, &l.Freqs, block, count); err != nil {
			return l.failed(l.DecodeFreqs, dst, block, count, err)
		}
	}
	n, err := l.freqsBy.DecodeFreqs(dst, &l.Freqs, block, count)
	if err != nil {
		return n, l.Locate(err, block+n/l.BlockLen)
	}
	if l.HasImpacts {
		return l.checkImpacts(dst[:n], block)
	}
	return n, nil
}

// CheckBlock returns an error if bits of a block of an extent that decoders pass over are not
// as FORMAT.md says. p is what the block decodes to.
func (l *List) CheckBlock(block int, p format.Postings) (err error) {
	if c, ok := l.docsBy.(codec.Strict); ok {
		err = c.StrictDocs(&l.Docs, block, p.Docs)
	}
	if c, ok := l.freqsBy.(codec.Strict); ok && err == nil {
		err = c.StrictFreqs(&l.Freqs, block, p.Freqs)
	}
	if err != nil {
		return l.Locate(err, block)
	}
	return nil
}

// touch checks the pages of count blocks of seq, whose payload is at offset part of the
// extent, and of what the first of them shares with blocks before it. Endpoints outside the
// payload are left to the codec.
func (l *List) touch(c codec.Codec, part int64, seq *format.Sequence, block, count int) error {
	if g, ok := c.(codec.Grouped); ok {
		blocks, shared := g.Group()
		if in := block % blocks; in > 0 {
			lo := 4 * int64(seq.Ends[block-in])
			if err := l.touchPayload(part, seq, lo, lo+int64(shared)); err != nil {
				return err
			}
		}
	}
	return l.touchPayload(part, seq, 4*int64(seq.Ends[block]), 4*int64(seq.Ends[block+count]))
}

// touchPayload checks the pages of bytes lo to hi of the payload of seq, which were checked
// before if it was read on demand.
func (l *List) touchPayload(part int64, seq *format.Sequence, lo, hi int64) error {
	part += l.s.postings.Offset + l.entry.Offset
	if l.s.pages.isGood(part+lo, part+hi) || hi > int64(len(seq.Payload)) || l.s.pages.mem == nil {
		return nil
	}
	return pageChecks{l.s}.mapped(&l.s.postings, part+lo, part+hi)
}

// failed decodes those of count blocks that come before one that err found damaged.
func (l *List) failed(decode func(dst []uint32, block, count int) (int, error), dst []uint32, block, count int, err error) (n int, _ error) {
	if count == 1 {
		return 0, l.Locate(err, block)
	}
	for b := range count {
		k, err := decode(dst[n:], block+b, 1)
		n += k
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
