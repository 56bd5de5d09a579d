package segment

import (
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
)

// AppendList adds the postings of l, whose docIDs grow by base, behind those of
// the list so far. Encoded blocks are copied where they would come out the same:
// with equal codecs that encode block by block, at a block boundary. Only the
// first docIDs of l are then encoded anew, because their gaps count from another
// docID, and its last block if it is not full.
func (e *ListEncoder) AppendList(l *List, base uint32) error {
	if docs, freqs := l.Small(); docs != nil {
		return e.appendShifted(docs, freqs, base)
	}
	if err := l.VerifyChecksum(); err != nil {
		return err
	}
	for i := range l.Kth {
		e.kth[i] = e.model.BetterKth(e.kth[i], l.Kth[i])
	}
	e.known = l.HasKth
	defer func() { e.known = false }()
	next := 0
	if e.choose != nil && !e.chosen && len(e.pendDocs) == 0 && l.BlockLen == e.blockLen && e.keeps(l) {
		e.setCodecs(l.DocsCodec, l.FreqsCodec)
		e.chosen = e.docsBlock != nil
		if !e.chosen {
			e.setCodecs(e.standard[0], e.standard[1])
		}
	}
	if e.docsBlock != nil && len(e.pendDocs) == 0 &&
		l.DocsCodec.ID() == e.docsCodec.ID() && l.FreqsCodec.ID() == e.freqsCodec.ID() {
		next = l.N / e.blockLen
		if err := e.copyBlocks(l, base, next); err != nil {
			return err
		}
	}
	if e.docsBlock != nil && l.BlockLen == e.blockLen {
		for ; next < l.Blocks; next++ {
			if err := e.appendBlock(l, next, base); err != nil {
				return err
			}
		}
		return nil
	}
	freqs := resize(e.freqScratch, l.BlockLen)
	e.freqScratch = freqs
	e.decoded = resize(e.decoded, max(l.BlockLen, e.blockLen))
	for ; next < l.Blocks; next++ {
		n, err := l.DecodeDocs(e.decoded, next, 1)
		if err != nil {
			return err
		}
		if _, err := l.DecodeFreqs(freqs, next, 1); err != nil {
			return err
		}
		if err := e.appendShifted(e.decoded[:n], freqs[:n], base); err != nil {
			return err
		}
	}
	return nil
}

// appendBlock decodes block b of l, which has blocks of the same length, behind
// the pending postings and encodes what makes a block.
func (e *ListEncoder) appendBlock(l *List, b int, base uint32) error {
	n, size := len(e.pendDocs), e.blockLen
	docs, freqs := slices.Grow(e.pendDocs, size)[:n+size], slices.Grow(e.pendFreqs, size)[:n+size]
	k, err := l.DecodeDocs(docs[n:], b, 1)
	if err != nil {
		return err
	}
	if _, err := l.DecodeFreqs(freqs[n:], b, 1); err != nil {
		return err
	}
	for i, d := range docs[n : n+k] {
		docs[n+i] = d + base
	}
	e.pendKnown = e.known && (e.pendKnown || n == 0)
	if n+k < size {
		e.pendDocs, e.pendFreqs = docs[:n+k], freqs[:n+k]
		return nil
	}
	if err := e.encodeBlock(docs[:size], freqs[:size], e.pendKnown); err != nil {
		return err
	}
	e.pendDocs = docs[:copy(docs, docs[size:n+k])]
	e.pendFreqs = freqs[:copy(freqs, freqs[size:n+k])]
	e.pendKnown = e.known
	return nil
}

// keeps reports whether blocks of l may be copied although choose would be asked.
func (e *ListEncoder) keeps(l *List) bool {
	k, ok := e.choose.(Keeper)
	return !ok || k.Keeps(l.DocsCodec, l.FreqsCodec)
}

// appendShifted is AppendPostings with docIDs that grow by base.
func (e *ListEncoder) appendShifted(docs, freqs []uint32, base uint32) error {
	if base == 0 {
		return e.AppendPostings(docs, freqs)
	}
	e.shifted = resize(e.shifted, max(len(docs), e.blockLen))
	shifted := e.shifted[:len(docs)]
	for i, d := range docs {
		shifted[i] = d + base
	}
	return e.AppendPostings(shifted, freqs)
}

// copyBlocks copies the first n blocks of l, all full.
func (e *ListEncoder) copyBlocks(l *List, base uint32, n int) error {
	if n == 0 {
		return nil
	}
	from := 0
	if e.n > 0 || base > 0 {
		if err := e.copyFirst(l, base); err != nil {
			return err
		}
		from = 1
	} else {
		e.first = l.First
	}
	if err := l.checkBlocks(from, n, e.docs, base); err != nil {
		return err
	}
	for at := from; at < n; at += tailBlocks {
		to := min(at+tailBlocks, n)
		e.docsBytes, e.docEnds = copyWords(e.docsBytes, e.docEnds, e.docWords(), &l.Docs, at, to)
		e.freqsBytes, e.freqEnds = copyWords(e.freqsBytes, e.freqEnds, e.freqWords(), &l.Freqs, at, to)
		if err := e.spillIfLong(); err != nil {
			return err
		}
	}
	for _, last := range l.Docs.Last[from:n] {
		e.last = append(e.last, last+base)
	}
	e.quads = append(e.quads, l.Quads[from:n]...)
	e.prev = e.last[len(e.last)-1]
	e.n += (n - from) * e.blockLen
	e.copied += uint64(n - from)
	return nil
}

// copyFirst encodes the docIDs of l's first block anew and copies the rest of it.
func (e *ListEncoder) copyFirst(l *List, base uint32) error {
	n, err := l.DecodeDocs(e.decoded, 0, 1)
	if err != nil {
		return err
	}
	for i := range e.decoded[:n] {
		e.decoded[i] += base
	}
	if err := e.encodeDocs(e.decoded[:n]); err != nil {
		return err
	}
	if err := l.checkBlocks(0, 1, e.docs, base); err != nil {
		return err
	}
	e.freqsBytes, e.freqEnds = copyWords(e.freqsBytes, e.freqEnds, e.freqWords(), &l.Freqs, 0, 1)
	e.quads = append(e.quads, l.Quads[0])
	e.encoded += uint64(n)
	return nil
}

// checkBlocks checks that endpoints and skip header of blocks from to n are what
// a copy may rely on.
func (l *List) checkBlocks(from, n int, docs, base uint32) error {
	for b := from; b < n; b++ {
		if l.Docs.Ends[b] > l.Docs.Ends[b+1] || l.Freqs.Ends[b] > l.Freqs.Ends[b+1] {
			return l.locate(codec.ErrEndpoints, b)
		}
		last := l.Docs.Last[b]
		if b > 0 && last <= l.Docs.Last[b-1] || uint64(last)+uint64(base) >= uint64(docs) {
			return l.locate(format.Corrupt("skip header is not ascending"), b)
		}
	}
	if int(l.Docs.Ends[n])*4 > len(l.Docs.Payload) || int(l.Freqs.Ends[n])*4 > len(l.Freqs.Payload) {
		return l.locate(codec.ErrEndpoints, n-1)
	}
	return nil
}

// copyWords appends blocks from to n of s, the first of which is to begin at word
// at, and their endpoints.
func copyWords(dst []byte, ends []uint32, at uint32, s *codec.Sequence, from, n int) ([]byte, []uint32) {
	shift := at - s.Ends[from]
	for _, end := range s.Ends[from+1 : n+1] {
		ends = append(ends, end+shift)
	}
	return append(dst, s.Payload[4*int(s.Ends[from]):4*int(s.Ends[n])]...), ends
}
