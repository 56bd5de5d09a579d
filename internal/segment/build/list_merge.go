package build

import (
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/segment"
)

// copying is a ListEncoder that appends lists of other segments.
type copying struct{ *ListEncoder }

// AppendList adds the postings of l, with base added to their docIDs, behind those of the
// list so far. Encoded blocks are copied where encoding would give the same: with equal
// codecs that encode block by block, at a block boundary, unless a policy that is yet to
// choose the codecs does not keep them. Then only the first block's
// docIDs are encoded again, because their gaps count from another docID, and the last
// block if it is not full.
func (e *ListEncoder) AppendList(l *segment.List, base uint32) error {
	pos, err := places{e}.gapsOf(l)
	if err != nil {
		return err
	}
	if l.Extent() != nil && l.HasImpacts != e.impacts {
		return l.Locate(format.Corrupt("weights in a field without, or frequencies in one with weights"), format.NoBlock)
	}
	if p := l.Small(); p.Len() > 0 {
		return copying{e}.appendShifted(p, &pos, base)
	}
	if err := l.VerifyChecksum(); err != nil {
		return err
	}
	for i := range l.Kth {
		e.kth[i] = e.model.better(e.kth[i], l.Kth[i])
	}
	e.known, e.reached = l.HasKth, segment.KthCounts{}
	defer func() { e.known = false }()
	next := 0
	docsCodec, freqsCodec := registry.Of(l.DocsCodec), registry.Of(l.FreqsCodec)
	if e.choose != nil && !e.chosen && e.pending.Len() == 0 && l.BlockLen == e.blockLen && e.choose.Keeps(docsCodec, freqsCodec) {
		e.setCodecs(docsCodec, freqsCodec)
		e.chosen = e.docsBlock != nil
		if !e.chosen {
			e.setCodecs(e.standard[0], e.standard[1])
		}
	}
	if e.docsBlock != nil && e.pending.Len() == 0 && (e.choose == nil || e.chosen) &&
		docsCodec.ID() == e.docsCodec.ID() && freqsCodec.ID() == e.freqsCodec.ID() {
		next = l.N / e.blockLen
		if err := (copying{e}).copyBlocks(l, &pos, base, next); err != nil {
			return err
		}
	}
	for row := max(segment.RowPostings/l.BlockLen, 1); next < l.Blocks; next += row {
		if err := (copying{e}).appendRow(l, &pos, next, min(row, l.Blocks-next), base); err != nil {
			return err
		}
	}
	return e.reached.Check(l)
}

// appendRow decodes count blocks of l behind the pending postings and encodes what makes
// whole blocks.
func (e copying) appendRow(l *segment.List, pos *segment.Positions, block, count int, base uint32) error {
	n, room := e.pending.Len(), count*l.BlockLen
	p := e.pending.Grow(room)
	added := p.Slice(n, n+room)
	k, err := l.DecodePostings(added, block, count)
	if err != nil {
		return err
	}
	p, added = p.Slice(0, n+k), added.Slice(0, k)
	if base != 0 {
		for i := range added.Docs {
			added.Docs[i] += base
		}
	}
	gaps, err := places(e).decodeGaps(e.gaps.pending, pos, block, l.BlockLen, added.Freqs)
	if err != nil {
		return err
	}
	e.gaps.pending = gaps
	e.countKth(l, block, added)
	known := e.known && (e.pendKnown || n == 0)
	at := 0
	for ; e.docsBlock != nil && p.Len()-at >= e.blockLen; at += e.blockLen {
		block := p.Slice(at, at+e.blockLen)
		if err := e.encodeBlock(block, places(e).cutGaps(&gaps, block.Freqs), known); err != nil {
			return err
		}
		known = e.known
	}
	e.pending, e.pendKnown = p.Slice(0, 0).Append(p.Slice(at, p.Len())), known
	e.gaps.pending = append(e.gaps.pending[:0], gaps...)
	return nil
}

// countKth counts those of p, postings of l from a block on, that reach its k-th impacts. The
// base has been added to their docIDs. It leaves out blocks that encoding will refuse.
func (e copying) countKth(l *segment.List, block int, p format.Postings) {
	for at := 0; at < p.Len(); at += l.BlockLen {
		b := p.Slice(at, min(at+l.BlockLen, p.Len()))
		if n := b.Len(); e.reached.Wants(l, block) && b.Docs[n-1] < e.docs && codec.CheckDocs(b.Docs, codec.NoDoc) == nil {
			e.lens = resize(e.lens, max(n, e.blockLen))
			e.lengths.gather(e.lens[:n], b.Docs)
			e.reached.Add(l, block, b.Freqs, e.lens[:n])
		}
		block++
	}
}

// appendShifted appends p, all of a list without an extent, with docIDs that grow by base.
func (e copying) appendShifted(p format.Postings, pos *segment.Positions, base uint32) error {
	gaps, err := places(e).decodeGaps(e.gaps.shifted[:0], pos, 0, p.Len(), p.Freqs)
	if err != nil {
		return err
	}
	if e.gaps.shifted = gaps; base == 0 {
		return e.AppendPositions(p, gaps)
	}
	e.shifted = resize(e.shifted, max(p.Len(), e.blockLen))
	shifted := e.shifted[:p.Len()]
	for i, d := range p.Docs {
		shifted[i] = d + base
	}
	return e.AppendPositions(format.Postings{Docs: shifted, Freqs: p.Freqs}, gaps)
}

// copyBlocks copies the first n blocks of l, all full.
func (e copying) copyBlocks(l *segment.List, pos *segment.Positions, base uint32, n int) error {
	if n == 0 {
		return nil
	}
	if err := e.checkBlocks(l, pos, base, n); err != nil {
		return err
	}
	if err := places(e).copyGaps(pos, n); err != nil {
		return err
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
func (e copying) copyFirst(l *segment.List, base uint32) error {
	row := e.row()
	n, err := l.DecodeDocs(row, 0, 1)
	if err != nil {
		return err
	}
	for i := range row[:n] {
		row[i] += base
	}
	if err := e.encodeDocs(row[:n]); err != nil {
		return err
	}
	e.freqsBytes, e.freqEnds = copyWords(e.freqsBytes, e.freqEnds, e.freqWords(), &l.Freqs, 0, 1)
	e.quads = append(e.quads, l.Quads[0])
	e.encoded += uint64(n)
	return nil
}

// checkBlocks checks the first n blocks of l, all full, before they are copied: that their
// endpoints and the skip header are right and that their quads dominate their postings.
// What is copied gets new checksums.
func (e copying) checkBlocks(l *segment.List, pos *segment.Positions, base uint32, n int) error {
	if int(l.Docs.Ends[n])*4 > len(l.Docs.Payload) || int(l.Freqs.Ends[n])*4 > len(l.Freqs.Payload) {
		return l.Locate(codec.ErrEndpoints, n-1)
	}
	row := max(segment.RowPostings/l.BlockLen, 1)
	e.pending, e.lens = e.pending.Grow(row*l.BlockLen), resize(e.lens, row*l.BlockLen)
	for at := 0; at < n; at += row {
		size := min(row, n-at) * l.BlockLen
		p, lens := e.pending.Slice(0, size), e.lens[:size]
		if _, err := l.DecodePostings(p, at, size/l.BlockLen); err != nil {
			return err
		}
		for i := 0; i < size; i += l.BlockLen {
			b := at + i/l.BlockLen
			block := p.Slice(i, i+l.BlockLen)
			if err := l.CheckBlock(b, block); err != nil {
				return err
			}
			if msg := e.checkDocs(l, b, base, block.Docs); msg != "" {
				return l.Locate(format.Corrupt("%s", msg), b)
			}
		}
		if e.impacts {
			if err := e.checkCopiedWeights(l, at, p.Freqs); err != nil {
				return err
			}
			continue
		}
		e.lengths.gather(lens, p.Docs)
		for i := 0; i < size; i += l.BlockLen {
			b := at + i/l.BlockLen
			ok, above, tokens := dominates(l.Quads[b], p.Freqs[i:i+l.BlockLen], lens[i:i+l.BlockLen])
			if !ok {
				return l.Locate(format.Corrupt("a posting is not under its quad, or its frequency is 0"), b)
			}
			if above && !e.foreign {
				return l.Locate(format.Corrupt("a frequency is above the length of its document"), b)
			}
			if err := places(e).checkCopied(pos, b, tokens); err != nil {
				return err
			}
			e.tokens += tokens
			e.reached.Add(l, b, p.Freqs[i:i+l.BlockLen], lens[i:i+l.BlockLen])
		}
	}
	return nil
}

// checkCopiedWeights checks blocks of l from block on, all full, whose weights these are.
func (e copying) checkCopiedWeights(l *segment.List, block int, weights []uint32) error {
	for ; len(weights) > 0; block++ {
		total, msg := checkMaxima(l, block, weights[:l.BlockLen])
		if msg != "" {
			return l.Locate(format.Corrupt("%s", msg), block)
		}
		e.tokens += total
		weights = weights[l.BlockLen:]
	}
	return nil
}

// checkDocs returns what is wrong with the endpoints of block b of l or its docIDs, to which
// it adds base.
func (e copying) checkDocs(l *segment.List, b int, base uint32, docs []uint32) string {
	last := docs[len(docs)-1]
	next := uint32(0) // least docID that may follow
	if b > 0 {
		next = l.Docs.Last[b-1] + 1
	}
	switch {
	case l.Docs.Ends[b] > l.Docs.Ends[b+1] || l.Freqs.Ends[b] > l.Freqs.Ends[b+1]:
		return codec.ErrEndpoints.Error()
	case last != l.Docs.Last[b] || b == 0 && docs[0] != l.First || uint64(last)+uint64(base) >= uint64(e.docs):
		return "docIDs are not those of the skip header"
	}
	for i, d := range docs {
		if d < next || d > last {
			return "docIDs are not ascending"
		}
		next = d + 1
		docs[i] = d + base
	}
	return ""
}

// dominates reports whether q is in order and bounds all postings, of which no frequency is
// 0.
func dominates(q format.Quad, freqs, lens []uint32) (ok, above bool, tokens uint64) {
	var least [32]int64 // length of a document, by frequency
	t := uint32(1)
	for i := 3; i >= 0; i-- {
		tf, dl := q.Pair(i)
		for tf = min(tf, 31); t <= tf; t++ {
			least[t] = int64(dl)
		}
	}
	for ; t < 32; t++ {
		least[t] = math.MaxUint32 + 1
	}
	least[0] = math.MaxUint32 + 1
	low, rest, all := int64(0), int64(0), uint32(0)
	lens = lens[:len(freqs)]
	for i, tf := range freqs {
		dl := int64(lens[i])
		low |= dl - least[tf&31]
		rest |= dl - int64(tf)
		all |= tf
		tokens += uint64(tf)
	}
	if above = rest < 0; all < 32 {
		return low >= 0 && q.Valid(), above, tokens
	}
	for i, tf := range freqs {
		if tf == 0 || !q.Dominates(tf, lens[i]) {
			return false, above, tokens
		}
	}
	return q.Valid(), above, tokens
}

// copyWords appends blocks from to n of s, the first of which then begins at word at, and
// their endpoints.
func copyWords(dst []byte, ends []uint32, at uint32, s *format.Sequence, from, n int) ([]byte, []uint32) {
	shift := at - s.Ends[from]
	for _, end := range s.Ends[from+1 : n+1] {
		ends = append(ends, end+shift)
	}
	return append(dst, s.Payload[4*int(s.Ends[from]):4*int(s.Ends[n])]...), ends
}
