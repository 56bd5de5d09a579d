package check

import (
	"bytes"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/segment"
)

const termsPerBlock = layout.TermsPerBlock

// termRange is how many blocks of the dictionary a goroutine checks at a time.
const termRange = 16

// lists reads the dictionary and the lists, and compares their sums with META.
func (v *verifier) lists() error {
	s := v.s
	keys, err := s.Raw().TermKeys()
	if err != nil {
		return v.report(err, Damage{})
	}
	parts := make([]sums, (len(keys)+termRange-1)/termRange)
	v.tokens = make([]atomic.Uint64, len(s.Fields()))
	pool := sync.Pool{New: func() any {
		return &listVerifier{v: v, s: s, postings: v.o.Level == Postings, field: -1}
	}}
	err = v.Each(len(keys), termRange, func(lo, hi int) error {
		lv := pool.Get().(*listVerifier)
		defer pool.Put(lv)
		lv.sums, lv.counted = sums{}, 0
		lv.term = lastTerm(s, lv.term[:0], lo-1)
		for i := lo; i < hi; i++ {
			lv.enter(i)
			if err := v.report(lv.block(i, keys[i]), Damage{}); err != nil {
				return err
			}
		}
		lv.leave()
		parts[lo/termRange] = lv.sums
		return v.Step(v.perPosting * int64(lv.Postings))
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
	segment.ListSums
	tokens uint64
}

// compare compares the sums of all parts of the dictionary with META.
func (v *verifier) compare(parts []sums) error {
	var all sums
	r, m := v.s.Raw(), v.s.Meta()
	for i := range parts {
		if err := all.Join(r, &parts[i].ListSums); err != nil {
			return v.report(err, Damage{})
		}
		all.tokens += parts[i].tokens
	}
	err := all.Compare(r)
	if err == nil && v.o.Level == Postings && !m.ForeignLengths && all.tokens != m.Tokens {
		err = r.Corrupt(format.SectionMeta, 0, "frequencies add up to %d, META says %d tokens", all.tokens, m.Tokens)
	}
	if err == nil && v.o.Level == Postings {
		err = v.compareTokens()
	}
	return v.report(err, Damage{})
}

// listVerifier verifies one list after another.
type listVerifier struct {
	v       *verifier
	s       *segment.Segment
	field   int    // the current one, -1 before the first
	counted uint64 // of tokens, added to those of the verifier
	fieldLengths
	postings   bool // check the postings of extents too
	list       segment.List
	rows       segment.Rows
	dls        []uint32 // document lengths of a row
	term, next []byte   // the current term, and room for another
	sums
}

// block checks block i of the dictionary, with the given key, and its lists. lv.term is the
// term before the block, and then its last term.
func (lv *listVerifier) block(i int, key uint64) error {
	s := lv.s
	b, err := s.Raw().TermBlock(i)
	if err != nil {
		return err
	}
	pos, epos := 0, b.Entries
	for j := range b.Terms {
		have := len(lv.term)
		if j == 0 {
			have = 0
		}
		lcp, suffix, next := layout.Head(b.Bytes, pos, have)
		if next < 0 {
			return s.Raw().Corrupt(format.SectionTerms, b.Offset+int64(pos), "malformed term in block %d", i)
		}
		pos = next
		e, next := s.Raw().ParseEntry(&b, j, epos)
		if next < 0 {
			return s.Raw().Corrupt(format.SectionTerms, b.Offset+int64(epos), "malformed entry in block %d", i)
		}
		epos = next
		if j > 0 && len(suffix) > 0 && (lcp == have || suffix[0] > lv.term[lcp]) {
			lv.term = append(lv.term[:lcp], suffix...) // ascends
		} else if err := lv.first(i, j, key, b.Offset, lcp, suffix); err != nil {
			return err
		}
		if j == b.Terms-1 && epos != len(b.Bytes) {
			return s.Raw().Corrupt(format.SectionTerms, b.Offset+int64(epos), "%d bytes left over in block %d", len(b.Bytes)-epos, i)
		}
		if err := lv.fault(lv.verify(e), Damage{}); err != nil {
			return err
		}
	}
	return nil
}

// first makes the term of lcp bytes of the one before it and of suffix the current one. It is
// number j of block i of the dictionary: the first, or one out of order.
func (lv *listVerifier) first(i, j int, key uint64, off int64, lcp int, suffix []byte) error {
	s := lv.s
	lv.next = append(append(lv.next[:0], lv.term[:lcp]...), suffix...)
	switch {
	case j == 0 && key != layout.TermKey(lv.next):
		return s.Raw().Corrupt(format.SectionTermIndex, 8*int64(i), "key of block %d is not that of its first term", i)
	case bytes.Compare(lv.next, lv.term) <= 0:
		return s.Raw().Corrupt(format.SectionTerms, off, "term %q follows %q in block %d", lv.next, lv.term, i)
	case j > 0 && lcp < layout.CommonPrefix(lv.term, lv.next):
		return s.Raw().Corrupt(format.SectionTerms, off, "term %q shares more with %q in block %d than it says", lv.next, lv.term, i)
	}
	lv.term, lv.next = lv.next, lv.term
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
	if err := lv.s.Lists().Init(l, e); err != nil {
		return err
	}
	lv.Postings += uint64(l.N)
	if l.Kind != segment.KindExtent {
		p := l.Small()
		lv.CompactBytes += uint64(e.Size())
		lv.sumTokens(p.Freqs)
		return lv.checkFreqs(p)
	}
	if err := lv.fault(lv.AddExtent(lv.s.Raw(), &e), Damage{}); err != nil {
		return err
	}
	if lv.postings {
		if err := lv.fault(l.VerifyChecksum(), Damage{Length: int64(len(l.Extent()))}); err != nil {
			return err
		}
	}
	if err := Extent(l, lv.s.Meta().Docs); err != nil {
		return err
	}
	if !lv.postings {
		return nil
	}
	return lv.extent()
}

// checkFreqs checks that no frequency of a short list exceeds its document's length.
func (lv *listVerifier) checkFreqs(p format.Postings) error {
	if lv.weights || lv.s.Meta().ForeignLengths || lv.lens.Len() == 0 {
		return nil // Init checks weights
	}
	if i := lv.lens.Exceeded(p.Docs, p.Freqs, 0, lv.least); i >= 0 {
		return lv.list.Locate(format.Corrupt("document %d has %d tokens, and %d of this term", p.Docs[i], lv.lens.Get(p.Docs[i]), p.Freqs[i]), format.NoBlock)
	}
	return nil
}

func (lv *listVerifier) sumTokens(freqs []uint32) {
	for _, f := range freqs {
		lv.tokens += uint64(f)
	}
}
