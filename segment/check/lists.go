package check

import (
	"bytes"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/internal/layout"
)

// termRange is how many blocks of the dictionary a goroutine checks at a time.
const termRange = 16

// lists reads the dictionary and the lists, and compares their sums with META.
func (v *verifier) lists() error {
	s := v.s
	keys, offsets, err := s.Raw().TermIndex()
	if err == nil {
		terms, _ := s.Header().Section(format.SectionTerms)
		if first, last := offsets[0], offsets[len(keys)]; first != 0 || last != uint64(terms.Length) {
			err = s.Raw().Corrupt(format.SectionTermIndex, 0, "blocks span %d to %d of %d bytes", first, last, terms.Length)
		}
	}
	if err != nil {
		return v.report(err, Damage{})
	}
	parts := make([]sums, (len(keys)+termRange-1)/termRange)
	pool := sync.Pool{New: func() any { return &listVerifier{v: v, s: s, lens: v.lens, postings: v.o.Level == Postings} }}
	err = v.each(len(keys), termRange, func(lo, hi int) error {
		lv := pool.Get().(*listVerifier)
		defer pool.Put(lv)
		lv.sums = sums{start: -1}
		lv.prev = lastTerm(s, lv.prev[:0], lo-1)
		for i := lo; i < hi; i++ {
			if err := v.report(lv.block(i, keys[i]), Damage{}); err != nil {
				return err
			}
		}
		parts[lo/termRange] = lv.sums
		return v.step(int64(lv.n))
	})
	if err != nil || len(v.found) > 0 { // the sums of what is damaged are not those of META
		return err
	}
	return v.compare(parts)
}

// lastTerm appends the last term of block i of the dictionary to dst, nothing if there is
// none or it is damaged.
func lastTerm(s *segment.Segment, dst []byte, i int) []byte {
	if i < 0 {
		return dst
	}
	b, err := s.Raw().TermBlock(i)
	if err != nil {
		return dst
	}
	pos := 0
	for range b.Terms {
		lcp, suffix, next := layout.Head(b.Bytes, pos, len(dst))
		if next < 0 {
			return dst[:0]
		}
		dst, pos = append(dst[:lcp], suffix...), next
	}
	return dst
}

// sums are what adjacent lists add up to.
type sums struct {
	start, end int64 // of their extents; start is -1 if there are none
	n          uint64
	tokens     uint64
	extents    uint64
	compact    uint64 // bytes of entries without an extent
	docsUsed   uint64
	freqUsed   uint64
}

// compare compares the sums of all parts of the dictionary with META.
func (v *verifier) compare(parts []sums) error {
	var all sums
	for i := range parts {
		p := &parts[i]
		if p.start >= 0 {
			if p.start != all.end {
				return v.report(v.gap(p.start, all.end), Damage{})
			}
			all.end = p.end
		}
		all.n, all.tokens, all.extents, all.compact = all.n+p.n, all.tokens+p.tokens, all.extents+p.extents, all.compact+p.compact
		all.docsUsed, all.freqUsed = all.docsUsed|p.docsUsed, all.freqUsed|p.freqUsed
	}
	return v.report(all.compare(v.s, v.o.Level == Postings), Damage{})
}

func (v *verifier) gap(start, end int64) error {
	return v.s.Raw().Corrupt(format.SectionPostings, start, "extent does not begin where the one before it ends, at %d", end)
}

func (x *sums) compare(s *segment.Segment, postings bool) error {
	m := s.Meta()
	section, _ := s.Header().Section(format.SectionPostings)
	switch {
	case x.n != m.Postings:
		return s.Raw().Corrupt(format.SectionMeta, 0, "%d postings, META says %d", x.n, m.Postings)
	case postings && !m.ForeignLengths && x.tokens != m.Tokens:
		return s.Raw().Corrupt(format.SectionMeta, 0, "frequencies add up to %d, META says %d tokens", x.tokens, m.Tokens)
	case x.extents != m.Extents || x.docsUsed != m.DocsCodecs || x.freqUsed != m.FreqsCodecs:
		return s.Raw().Corrupt(format.SectionMeta, 0, "%d extents with codecs %#x and %#x, META says %d, %#x and %#x",
			x.extents, x.docsUsed, x.freqUsed, m.Extents, m.DocsCodecs, m.FreqsCodecs)
	case x.compact != m.CompactBytes:
		return s.Raw().Corrupt(format.SectionMeta, 0, "%d bytes of compact entries, META says %d", x.compact, m.CompactBytes)
	case x.end != section.Length:
		return s.Raw().Corrupt(format.SectionPostings, x.end, "bytes that no term refers to")
	}
	return nil
}

// listVerifier verifies one list after another.
type listVerifier struct {
	v          *verifier
	s          *segment.Segment
	lens       segment.LengthTable
	postings   bool // check the postings of extents too
	list       segment.List
	rows       segment.Rows
	dls        []uint32 // document lengths of a row
	term, prev []byte
	sums
}

// block checks block i of the dictionary, with the given key, and its lists. prev is the
// term before the block, and then its last term.
func (lv *listVerifier) block(i int, key uint64) error {
	s := lv.s
	b, err := s.Raw().TermBlock(i)
	if err != nil {
		return err
	}
	term := lv.term[:0]
	pos, epos := 0, b.Entries
	for j := range b.Terms {
		lcp, suffix, next := layout.Head(b.Bytes, pos, len(term))
		if next < 0 {
			return s.Raw().Corrupt(format.SectionTerms, b.Offset+int64(pos), "malformed term in block %d", i)
		}
		term, pos = append(term[:lcp], suffix...), next
		lv.term = term
		e, next := s.Raw().ParseEntry(&b, epos)
		if next < 0 {
			return s.Raw().Corrupt(format.SectionTerms, b.Offset+int64(epos), "malformed entry in block %d", i)
		}
		epos = next
		switch {
		case j == 0 && key != layout.TermKey(term):
			return s.Raw().Corrupt(format.SectionTermIndex, 8*int64(i), "key of block %d is not that of its first term", i)
		case bytes.Compare(term, lv.prev) <= 0:
			return s.Raw().Corrupt(format.SectionTerms, b.Offset, "term %q follows %q in block %d", term, lv.prev, i)
		case j == b.Terms-1 && epos != len(b.Bytes):
			return s.Raw().Corrupt(format.SectionTerms, b.Offset+int64(epos), "%d bytes left over in block %d", len(b.Bytes)-epos, i)
		}
		lv.prev = append(lv.prev[:0], term...)
		if err := lv.fault(lv.verify(e), Damage{}); err != nil {
			return err
		}
	}
	return nil
}

// fault reports an error about the current list.
func (lv *listVerifier) fault(err error, d Damage) error {
	if err == nil {
		return nil
	}
	return lv.v.report(format.Locate(err, format.Place{File: lv.s.Name(), List: string(lv.term), Block: format.NoBlock}), d)
}

// verify checks the list of e.
func (lv *listVerifier) verify(e segment.Entry) error {
	l := &lv.list
	if err := lv.s.InitList(l, e); err != nil {
		return err
	}
	lv.n += uint64(l.N)
	if l.Kind != segment.KindExtent {
		docs, freqs := l.Small()
		lv.compact += uint64(e.Size())
		lv.sumTokens(freqs)
		return lv.checkFreqs(docs, freqs)
	}
	if lv.start < 0 {
		lv.start = e.Offset
	} else if e.Offset != lv.end {
		return lv.v.gap(e.Offset, lv.end)
	}
	lv.end = e.Offset + int64(len(l.Extent()))
	lv.extents++
	lv.docsUsed |= 1 << l.DocsCodec.ID()
	lv.freqUsed |= 1 << l.FreqsCodec.ID()
	if lv.postings {
		if err := lv.fault(l.VerifyChecksum(), Damage{Length: int64(len(l.Extent()))}); err != nil {
			return err
		}
	}
	if msg := checkReserved(l); msg != "" {
		return l.Locate(format.Corrupt("%s", msg), format.NoBlock)
	}
	if !lv.postings {
		return nil
	}
	return lv.extent()
}

// checkFreqs checks that no frequency of a short list exceeds its document's length.
func (lv *listVerifier) checkFreqs(docs, freqs []uint32) error {
	if lv.s.Meta().ForeignLengths || lv.lens.Len() == 0 {
		return nil
	}
	for i, f := range freqs {
		if n := lv.lens.Get(docs[i]); f > n {
			return lv.list.Locate(format.Corrupt("document %d has %d tokens, and %d of this term", docs[i], n, f), format.NoBlock)
		}
	}
	return nil
}

func (lv *listVerifier) sumTokens(freqs []uint32) {
	for _, f := range freqs {
		lv.tokens += uint64(f)
	}
}
