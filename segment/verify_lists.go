package segment

import (
	"bytes"
	"encoding/binary"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
)

// lists reads the dictionary and every posting, and compares with META.
func (v *verifier) lists() error {
	s := v.s
	ti, err := s.termIndexOf()
	if err != nil {
		return err
	}
	if ti.offsets[0] != 0 || ti.offsets[len(ti.keys)] != uint64(s.terms.Length) {
		return s.corrupt(&s.termIndex, 0, "blocks span %d to %d of %d bytes", ti.offsets[0], ti.offsets[len(ti.keys)], s.terms.Length)
	}
	lv := &listVerifier{s: s, lens: v.lens}
	it := s.Terms()
	var prev []byte
	for it.Next() {
		if first := it.j == 1; first && ti.keys[it.block] != termKey(it.term) {
			return s.corrupt(&s.termIndex, 8*int64(it.block), "key of block %d is not that of its first term", it.block)
		}
		if bytes.Compare(it.term, prev) <= 0 {
			return s.corrupt(&s.terms, it.off, "term %q follows %q in block %d", it.term, prev, it.block)
		}
		if it.j == it.n && it.epos != len(it.b) {
			return s.corrupt(&s.terms, it.off+int64(it.epos), "%d bytes left over in block %d", len(it.b)-it.epos, it.block)
		}
		prev = append(prev[:0], it.term...)
		if err := lv.verify(it.entry); err != nil {
			return format.Locate(err, format.Place{File: s.name, List: string(it.term), Block: format.NoBlock})
		}
		if lv.postings-lv.reported >= 1<<16 {
			if err := v.step(int64(lv.postings - lv.reported)); err != nil {
				return err
			}
			lv.reported = lv.postings
		}
	}
	if it.err != nil {
		return it.err
	}
	return lv.compare(it)
}

// listVerifier verifies one list after another.
type listVerifier struct {
	s        *Segment
	lens     LengthTable
	l        List
	docs     []uint32
	freqs    []uint32
	dls      []uint32
	end      int64 // of the last extent
	postings uint64
	reported uint64
	tokens   uint64
	extents  uint64
	compact  uint64 // bytes of compact streams
	docsUsed uint64
	freqUsed uint64
}

// compare compares what was seen with META.
func (v *listVerifier) compare(it *TermIterator) error {
	m, s := &v.s.meta, v.s
	sec := section{Section: format.Section{ID: format.SectionMeta}}
	sec.Section, _ = s.h.Section(format.SectionMeta)
	switch {
	case v.postings != m.Postings:
		return s.corrupt(&sec, 0, "%d postings, META says %d", v.postings, m.Postings)
	case !m.ForeignLengths && v.tokens != m.Tokens:
		return s.corrupt(&sec, 0, "frequencies add up to %d, META says %d tokens", v.tokens, m.Tokens)
	case v.extents != m.Extents || v.docsUsed != m.DocsCodecs || v.freqUsed != m.FreqsCodecs:
		return s.corrupt(&sec, 0, "%d extents with codecs %#x and %#x, META says %d, %#x and %#x",
			v.extents, v.docsUsed, v.freqUsed, m.Extents, m.DocsCodecs, m.FreqsCodecs)
	case v.compact != m.CompactBytes:
		return s.corrupt(&sec, 0, "%d bytes of compact entries, META says %d", v.compact, m.CompactBytes)
	case v.end != s.postings.Length:
		return s.corrupt(&s.postings, v.end, "bytes that no term refers to")
	}
	return nil
}

// verify checks the list of e.
func (v *listVerifier) verify(e Entry) error {
	s, l := v.s, &v.l
	if err := s.InitList(l, e); err != nil {
		return err
	}
	v.postings += uint64(l.N)
	if l.Kind != KindExtent {
		_, freqs := l.Small()
		v.sumTokens(freqs)
		v.compact += uint64(entrySize(e))
		return nil
	}
	if e.Offset != v.end {
		return s.corrupt(&s.postings, e.Offset, "extent does not begin where the one before it ends, at %d", v.end)
	}
	v.end += int64(len(l.extent))
	v.extents++
	v.docsUsed |= 1 << l.DocsCodec.ID()
	v.freqUsed |= 1 << l.FreqsCodec.ID()
	if err := l.VerifyChecksum(); err != nil {
		return err
	}
	if msg := l.checkReserved(); msg != "" {
		return l.locate(format.Corrupt("%s", msg), format.NoBlock)
	}
	return v.postingsOf(l)
}

func (v *listVerifier) sumTokens(freqs []uint32) {
	for _, f := range freqs {
		v.tokens += uint64(f)
	}
}

// entrySize returns the bytes of a singleton's or compact list's entry.
func entrySize(e Entry) int {
	var room [2 * binary.MaxVarintLen64]byte
	if e.Kind == KindSingleton {
		return len(appendSingleton(room[:0], e.Doc, e.TF))
	}
	return len(appendCompactEntry(room[:0], int(e.DF), nil)) - 1 + len(binary.AppendUvarint(room[:0], uint64(e.Length))) + int(e.Length)
}

// checkReserved checks bytes that have no meaning and the bounds of the list.
func (l *List) checkReserved() string {
	if l.HasHash {
		if h := l.extent[l.y.hash:]; h[2] != 0 || h[3] != 0 {
			return "reserved bytes of the hash buckets are set"
		}
		if st := l.Hash.Start; st[0] != 0 || st[len(st)-1] != uint32(l.N) {
			return "hash buckets do not span the list"
		}
	}
	if l.HasKth {
		if k := l.extent[l.y.kth:]; k[6] != 0 || k[7] != 0 {
			return "reserved bytes of the k-th impacts are set"
		}
	}
	if !l.Quad.Valid() {
		return "pairs of the list's quad are not in order"
	}
	return ""
}

// postingsOf decodes an extent and checks every posting against what the extent
// says about it.
func (v *listVerifier) postingsOf(l *List) error {
	v.docs, v.freqs, v.dls = resize(v.docs, l.BlockLen), resize(v.freqs, l.BlockLen), resize(v.dls, l.BlockLen)
	prev := codec.NoDoc
	var kth [3]int
	bucket := 0
	for b := range l.Blocks {
		n, err := l.DecodeDocs(v.docs, b, 1)
		if err != nil {
			return err
		}
		nf, err := l.DecodeFreqs(v.freqs, b, 1)
		if err != nil {
			return err
		}
		docs, freqs := v.docs[:n], v.freqs[:n]
		if want := min(l.N-b*l.BlockLen, l.BlockLen); n != want || nf != want {
			return l.locate(format.Corrupt("block of %d docIDs and %d frequencies, not %d", n, nf, want), b)
		}
		if codec.CheckDocs(docs, prev) != nil || codec.CheckFreqs(freqs) != nil || docs[n-1] != l.Docs.Last[b] || b == 0 && docs[0] != l.First {
			return l.locate(format.Corrupt("docIDs are not ascending or not those of the skip header, or a frequency is 0"), b)
		}
		prev = docs[n-1]
		v.sumTokens(freqs)
		v.lens.GatherLengths(v.dls, docs)
		if msg := l.checkQuad(b, freqs, v.dls); msg != "" {
			return l.locate(format.Corrupt("%s", msg), b)
		}
		if bucket = l.checkPositions(b*l.BlockLen, docs, bucket); bucket < 0 {
			return l.locate(format.Corrupt("linear regression or hash buckets miss an element"), b)
		}
		l.countKth(&kth, freqs, v.dls)
	}
	for i, k := range format.KthValues {
		if _, _, ok := l.Kth[i].Pair(); ok && kth[i] < k {
			return l.locate(format.Corrupt("only %d postings reach the %d-th impact", kth[i], k), format.NoBlock)
		}
	}
	return nil
}

// checkQuad checks the quads over a block.
func (l *List) checkQuad(b int, freqs, dls []uint32) string {
	q := l.Quads[b]
	if !q.Valid() {
		return "pairs of the quad are not in order"
	}
	for i, tf := range freqs {
		if !q.Dominates(tf, dls[i]) || !l.Quad.Dominates(tf, dls[i]) {
			return "a posting is not under its quad"
		}
	}
	return ""
}

// checkPositions checks regression and buckets at docs, elements first and on. It
// returns the bucket of the last, or -1.
func (l *List) checkPositions(first int, docs []uint32, bucket int) int {
	for i, d := range docs {
		at := first + i
		if l.HasLR {
			if est := l.LR.Est(d); est-int64(l.LR.Left) > int64(at) || est+int64(l.LR.Right) < int64(at) {
				return -1
			}
		}
		if !l.HasHash {
			continue
		}
		h := int(d >> l.Hash.Shift)
		if h+1 >= len(l.Hash.Start) {
			return -1
		}
		for ; bucket < h; bucket++ {
			if l.Hash.Start[bucket+1] != uint32(at) {
				return -1
			}
		}
		if at == l.N-1 {
			for _, start := range l.Hash.Start[h+1:] {
				if start != uint32(l.N) {
					return -1
				}
			}
		}
	}
	return bucket
}

// countKth counts the postings that reach the k-th impacts.
func (l *List) countKth(n *[3]int, freqs, dls []uint32) {
	if !l.HasKth {
		return
	}
	for k := range n {
		tf, dl, _ := l.Kth[k].Pair()
		for i, f := range freqs {
			if f >= tf && dls[i] <= dl {
				n[k]++
			}
		}
	}
}
