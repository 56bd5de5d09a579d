package check

import (
	"bytes"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/internal/layout"
)

// lists reads the dictionary and the lists, and compares their sums with META.
func (v *verifier) lists() error {
	s := v.s
	keys, offsets, err := s.Raw().TermIndex()
	if err != nil {
		return err
	}
	terms, _ := s.Header().Section(format.SectionTerms)
	if first, last := offsets[0], offsets[len(keys)]; first != 0 || last != uint64(terms.Length) {
		return s.Raw().Corrupt(format.SectionTermIndex, 0, "blocks span %d to %d of %d bytes", first, last, terms.Length)
	}
	lv := &listVerifier{s: s, lens: v.lens, postings: v.o.Level == Postings}
	var prev []byte
	for i, key := range keys {
		if prev, err = v.block(lv, i, key, prev); err != nil {
			return err
		}
	}
	return lv.compare()
}

// block checks block i of the dictionary, with the given key, and its lists. prev is the
// term before the block; block returns the block's last term.
func (v *verifier) block(lv *listVerifier, i int, key uint64, prev []byte) ([]byte, error) {
	s := v.s
	b, err := s.Raw().TermBlock(i)
	if err != nil {
		return prev, err
	}
	term := lv.term[:0]
	pos, epos := 0, b.Entries
	for j := range b.Terms {
		lcp, suffix, next := layout.Head(b.Bytes, pos, len(term))
		if next < 0 {
			return prev, s.Raw().Corrupt(format.SectionTerms, b.Offset+int64(pos), "malformed term in block %d", i)
		}
		term, pos = append(term[:lcp], suffix...), next
		lv.term = term
		e, next := s.Raw().ParseEntry(&b, epos)
		if next < 0 {
			return prev, s.Raw().Corrupt(format.SectionTerms, b.Offset+int64(epos), "malformed entry in block %d", i)
		}
		epos = next
		switch {
		case j == 0 && key != layout.TermKey(term):
			return prev, s.Raw().Corrupt(format.SectionTermIndex, 8*int64(i), "key of block %d is not that of its first term", i)
		case bytes.Compare(term, prev) <= 0:
			return prev, s.Raw().Corrupt(format.SectionTerms, b.Offset, "term %q follows %q in block %d", term, prev, i)
		case j > 0 && lcp < layout.CommonPrefix(prev, term):
			return prev, s.Raw().Corrupt(format.SectionTerms, b.Offset, "term %q shares more with %q in block %d than it says", term, prev, i)
		case j == b.Terms-1 && epos != len(b.Bytes):
			return prev, s.Raw().Corrupt(format.SectionTerms, b.Offset+int64(epos), "%d bytes left over in block %d", len(b.Bytes)-epos, i)
		}
		prev = append(prev[:0], term...)
		if err := lv.verify(e); err != nil {
			return prev, format.Locate(err, format.Place{File: s.Name(), List: string(term), Block: format.NoBlock})
		}
		if n := lv.n - lv.reported; n >= 1<<16 {
			lv.reported = lv.n
			if err := v.step(int64(n)); err != nil {
				return prev, err
			}
		}
	}
	return prev, nil
}

// listVerifier verifies one list after another.
type listVerifier struct {
	s        *segment.Segment
	lens     segment.LengthTable
	postings bool // check the postings of extents too
	list     segment.List
	rows     segment.Rows
	dls      []uint32 // document lengths of a row
	term     []byte

	end         int64 // end of the last extent
	n, reported uint64
	tokens      uint64
	extents     uint64
	compact     uint64 // bytes of entries without an extent
	docsUsed    uint64
	freqUsed    uint64
}

// compare compares the sums with META.
func (v *listVerifier) compare() error {
	m, s := v.s.Meta(), v.s
	postings, _ := s.Header().Section(format.SectionPostings)
	switch {
	case v.n != m.Postings:
		return s.Raw().Corrupt(format.SectionMeta, 0, "%d postings, META says %d", v.n, m.Postings)
	case v.postings && !m.ForeignLengths && v.tokens != m.Tokens:
		return s.Raw().Corrupt(format.SectionMeta, 0, "frequencies add up to %d, META says %d tokens", v.tokens, m.Tokens)
	case v.extents != m.Extents || v.docsUsed != m.DocsCodecs || v.freqUsed != m.FreqsCodecs:
		return s.Raw().Corrupt(format.SectionMeta, 0, "%d extents with codecs %#x and %#x, META says %d, %#x and %#x",
			v.extents, v.docsUsed, v.freqUsed, m.Extents, m.DocsCodecs, m.FreqsCodecs)
	case v.compact != m.CompactBytes:
		return s.Raw().Corrupt(format.SectionMeta, 0, "%d bytes of compact entries, META says %d", v.compact, m.CompactBytes)
	case v.end != postings.Length:
		return s.Raw().Corrupt(format.SectionPostings, v.end, "bytes that no term refers to")
	}
	return nil
}

// verify checks the list of e.
func (v *listVerifier) verify(e segment.Entry) error {
	l := &v.list
	if err := v.s.InitList(l, e); err != nil {
		return err
	}
	v.n += uint64(l.N)
	if l.Kind != segment.KindExtent {
		_, freqs := l.Small()
		v.sumTokens(freqs)
		v.compact += uint64(e.Size())
		return nil
	}
	if e.Offset != v.end {
		return v.s.Raw().Corrupt(format.SectionPostings, e.Offset, "extent does not begin where the one before it ends, at %d", v.end)
	}
	v.end += int64(len(l.Extent()))
	v.extents++
	v.docsUsed |= 1 << l.DocsCodec.ID()
	v.freqUsed |= 1 << l.FreqsCodec.ID()
	if v.postings {
		if err := l.VerifyChecksum(); err != nil {
			return err
		}
	}
	if msg := checkReserved(l, v.s.Meta().Docs); msg != "" {
		return l.Locate(format.Corrupt("%s", msg), format.NoBlock)
	}
	if !v.postings {
		return nil
	}
	return v.extent()
}

func (v *listVerifier) sumTokens(freqs []uint32) {
	for _, f := range freqs {
		v.tokens += uint64(f)
	}
}
