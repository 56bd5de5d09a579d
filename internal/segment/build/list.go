package build

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/choose"
	"github.com/pinion-index/pinion/internal/segment/compact"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/segment"
)

// EncodedList is a posting list ready for Builder.Append.
type EncodedList struct {
	Kind   segment.Kind
	DF     uint32
	Tokens uint64 // sum of the frequencies
	Bytes  []byte // the dictionary entry, or of an extent the bytes up to Tail
	Tail   *Tail  // the rest of an extent that is long, else nil

	// Positions are the list's part of POSITIONS, up to what Tail has of it. It is nil unless the
	// field has positions.
	Positions []byte
}

// ListEncoder encodes posting lists of one segment. It allocates nothing once its buffers
// have grown. It is not safe for concurrent use, but several encoders may work at once.
type ListEncoder struct {
	docs               uint32
	fields             []field
	lengths            *lengths // of the field, and so are model and foreign
	model              *impactModel
	docsCodec          codec.Codec
	freqsCodec         codec.Codec
	docsBlock          codec.BlockCodec // nil unless both codecs encode block by block
	freqsBlock         codec.BlockCodec
	standard           [2]codec.Codec // unless choose says otherwise
	choose             choose.Policy
	blockLen           int
	frontier, listward *frontier
	counter            kthCounter

	// The list that is being made: blocks encoded, then pending postings.
	chosen                 bool // by choose or by a list that was copied
	dirty                  bool // counter may hold postings
	n                      int  // postings encoded
	prev                   uint32
	first                  uint32
	pending                format.Postings
	known                  bool // postings to come are covered by kth
	pendKnown              bool // all pending ones are
	gaps                   gaps // of positions, if the field has them
	docEnds, freqEnds      []uint32
	last                   []uint32
	quads                  []format.Quad
	docsBytes, freqsBytes  []byte
	tail                   Tail                // bytes before docsBytes and freqsBytes
	smallBytes             [compact.Room]byte  // of encodeSmall
	kth                    [3]format.KthImpact // of copied lists
	reached                segment.KthCounts   // of the list being copied
	copied, encoded        uint64              // blocks, postings: never reset
	tokens                 uint64              // sum of all frequencies: never reset
	before                 uint64              // tokens, at Reset
	foreign                bool                // lengths do not bound frequencies
	impacts                bool                // frequencies are weights
	checked                bool                // CheckLengths was called
	strict                 bool                // and lengths bound frequencies
	decoded, shifted, lens []uint32            // a row, see row; blocks
	start                  []uint32            // hash buckets
	spool                  *Spool              // nil: all in memory
	tailLimit              int
}

// NewEncoder returns an encoder without a Builder, for documents of avgLen tokens on
// average. It uses the fields of o that concern lists.
func NewEncoder(o Options, avgLen float64) *ListEncoder {
	return newListEncoder(&o, []field{{lengths: newLengths(o.Lengths), model: newImpactModel(avgLen), foreign: o.ForeignLengths}})
}

// newListEncoder returns an encoder of lists of the first of fields.
func newListEncoder(o *Options, fields []field) *ListEncoder {
	model := fields[0].model
	e := &ListEncoder{
		docs: o.Docs, fields: fields, lengths: fields[0].lengths, foreign: fields[0].foreign, impacts: fields[0].HasImpacts(), model: model,
		docsCodec: o.DocsCodec, freqsCodec: o.FreqsCodec, blockLen: o.DocsCodec.BlockLen(),
		frontier: newFrontier(model), listward: newFrontier(model),
		choose: o.Choose, spool: o.Spool, tailLimit: int(cmp.Or(o.TailMemory, tailMemory)),
		gaps: gaps{on: fields[0].Positions},
	}
	e.standard = [2]codec.Codec{o.DocsCodec, o.FreqsCodec}
	e.setCodecs(o.DocsCodec, o.FreqsCodec)
	e.shifted = make([]uint32, e.blockLen)
	e.lens = make([]uint32, e.blockLen)
	e.Reset()
	return e
}

// SetField says that the lists that begin from now on are of field f of Options.Fields.
func (e *ListEncoder) SetField(f int) {
	x := &e.fields[f]
	if e.gaps.on = x.Positions; e.model == x.model {
		return
	}
	if e.dirty { // the list before was given up
		e.counter.Take(e.model)
		e.dirty = false
	}
	e.lengths, e.model, e.foreign, e.impacts = x.lengths, x.model, x.foreign, x.HasImpacts()
	e.strict = e.checked && !e.foreign
	e.frontier.model, e.listward.model = x.model, x.model
}

// setCodecs makes d and f the codecs of the list.
func (e *ListEncoder) setCodecs(d, f codec.Codec) {
	e.docsCodec, e.freqsCodec = d, f
	e.docsBlock, _ = d.(codec.BlockCodec)
	e.freqsBlock, _ = f.(codec.BlockCodec)
	if e.docsBlock == nil || e.freqsBlock == nil {
		e.docsBlock, e.freqsBlock = nil, nil
	}
}

// chooseCodecs lets the policy, if there is one, choose by these postings.
func (e *ListEncoder) chooseCodecs(p format.Postings) error {
	if e.choose == nil || e.chosen {
		return nil
	}
	by := e.choose
	if auto, ok := by.(choose.Automatic); ok && e.impacts {
		by = auto.Summed()
	}
	d, err := by.Docs(p.Docs)
	if err != nil {
		return err
	}
	f, err := by.Freqs(p.Freqs)
	if err != nil {
		return err
	}
	if d.BlockLen() != e.blockLen || f.BlockLen() != e.blockLen {
		return fmt.Errorf("segment: codecs %s and %s chosen for blocks of %d", d.ID(), f.ID(), e.blockLen)
	}
	e.setCodecs(d, f)
	e.chosen = true
	return nil
}

// Encode appends the encoding of the list of p to dst. It returns the list, whose bytes are
// those appended, and the extended dst. The list of a field with positions takes EncodePositions.
func (e *ListEncoder) Encode(dst []byte, p format.Postings) (EncodedList, []byte, error) {
	return e.EncodePositions(dst, p, nil)
}

// EncodePositions is Encode with the positions of p, given as AppendPositions takes them.
func (e *ListEncoder) EncodePositions(dst []byte, p format.Postings, gaps []uint32) (EncodedList, []byte, error) {
	if n := p.Len(); 0 < n && n < layout.MinExtent && n == len(p.Freqs) {
		if err := (places{e}).checkGaps(p, gaps); err != nil {
			return EncodedList{}, dst, err
		}
		at, before := len(dst), e.tokens
		kind, dst, err := e.encodeSmall(dst, p.Docs, p.Freqs)
		if err != nil {
			return EncodedList{}, dst[:at], err
		}
		l := EncodedList{Kind: kind, DF: uint32(n), Tokens: e.tokens - before, Bytes: dst[at:]}
		if e.gaps.on {
			l.Positions, dst = appendGaps(dst, gaps)
		}
		return l, dst, nil
	}
	e.Reset()
	if p.Len() >= layout.MinExtent && p.Len() == len(p.Freqs) {
		if err := e.chooseCodecs(p); err != nil {
			return EncodedList{}, dst, err
		}
	}
	if err := e.AppendPositions(p, gaps); err != nil {
		return EncodedList{}, dst, err
	}
	return e.Finish(dst)
}

// Reset begins a list that comes in several parts.
func (e *ListEncoder) Reset() {
	e.n, e.prev, e.first, e.before = 0, codec.NoDoc, 0, e.tokens
	e.pending = e.pending.Slice(0, 0)
	e.docEnds, e.freqEnds = append(e.docEnds[:0], 0), append(e.freqEnds[:0], 0)
	e.last, e.quads = e.last[:0], e.quads[:0]
	e.docsBytes, e.freqsBytes = e.docsBytes[:0], e.freqsBytes[:0]
	e.gaps.reset()
	e.tail.release()
	e.kth = [3]format.KthImpact{format.NoKth(), format.NoKth(), format.NoKth()}
	e.known, e.frontier.above = false, false
	if e.chosen {
		e.setCodecs(e.standard[0], e.standard[1])
		e.chosen = false
	}
	if e.dirty { // the list before was given up
		e.counter.Take(e.model)
		e.dirty = false
	}
}

// CopiedBlocks returns how many blocks were copied without encoding since the
// encoder was made.
func (e *ListEncoder) CopiedBlocks() uint64 { return e.copied }

// EncodedPostings returns how many postings were encoded since the encoder was made.
func (e *ListEncoder) EncodedPostings() uint64 { return e.encoded }

// CheckLengths makes e refuse a block with a frequency above the length of its document, unless
// lengths do not bound frequencies: it comes from a segment that is damaged.
func (e *ListEncoder) CheckLengths() { e.checked, e.strict = true, !e.foreign }

// Tokens returns the sum of all frequencies encoded or copied since the encoder was made.
func (e *ListEncoder) Tokens() uint64 { return e.tokens }

// sum returns the sum of freqs.
func sum(freqs []uint32) (n uint64) {
	for _, f := range freqs {
		n += uint64(f)
	}
	return n
}

// AppendPostings adds postings behind those of the list so far. The list of a field with positions
// takes AppendPositions.
func (e *ListEncoder) AppendPostings(p format.Postings) error { return e.AppendPositions(p, nil) }

// AppendPositions is AppendPostings with the positions of p, as gaps: of each posting the first
// position, then for each other one how many positions lie between it and the one before. So there
// are as many as the frequencies add up to; none if the field has no positions.
func (e *ListEncoder) AppendPositions(p format.Postings, gaps []uint32) error {
	if p.Len() != len(p.Freqs) {
		return fmt.Errorf("segment: %d docIDs and %d frequencies", p.Len(), len(p.Freqs))
	}
	if err := (places{e}).checkGaps(p, gaps); err != nil {
		return err
	}
	if e.docsBlock == nil {
		e.pend(p, gaps)
		return nil
	}
	at := 0
	if e.pending.Len() > 0 {
		at = min(e.blockLen-e.pending.Len(), p.Len())
		head := p.Slice(0, at)
		e.pend(head, places{e}.cutGaps(&gaps, head.Freqs))
		if e.pending.Len() < e.blockLen {
			return nil
		}
		if err := e.encodePending(); err != nil {
			return err
		}
	}
	for ; p.Len()-at >= e.blockLen; at += e.blockLen {
		block := p.Slice(at, at+e.blockLen)
		if err := e.encodeBlock(block, (places{e}).cutGaps(&gaps, block.Freqs), e.known); err != nil {
			return err
		}
	}
	e.pend(p.Slice(at, p.Len()), gaps)
	return nil
}

// pend adds postings to those pending.
func (e *ListEncoder) pend(p format.Postings, gaps []uint32) {
	e.pendKnown = e.known && (e.pendKnown || e.pending.Len() == 0)
	e.pending = e.pending.Append(p)
	e.gaps.pending = append(e.gaps.pending, gaps...)
}

// encodePending encodes the pending postings as a block.
func (e *ListEncoder) encodePending() error {
	if err := e.encodeBlock(e.pending, e.gaps.pending, e.pendKnown); err != nil {
		return err
	}
	e.pending, e.gaps.pending = e.pending.Slice(0, 0), e.gaps.pending[:0]
	return nil
}

// encodeBlock encodes a block behind those there are. known says that kth covers
// its postings.
func (e *ListEncoder) encodeBlock(p format.Postings, gaps []uint32, known bool) error {
	if e.n == 0 {
		if err := e.chooseCodecs(p); err != nil {
			return err
		}
	}
	if err := e.encodeDocs(p.Docs); err != nil {
		return err
	}
	var err error
	if e.freqsBytes, err = e.freqsBlock.AppendFreqsBlock(e.freqsBytes, p.Freqs); err != nil {
		return err
	}
	e.freqEnds = append(e.freqEnds, e.freqWords())
	if err := e.bound(p, known); err != nil {
		return err
	}
	if err := (places{e}).addGaps(gaps); err != nil {
		return err
	}
	e.encoded += uint64(p.Len())
	e.tokens += sum(p.Freqs)
	return e.spillIfLong()
}

func (e *ListEncoder) encodeDocs(docs []uint32) error {
	last := docs[len(docs)-1]
	if last >= e.docs {
		return &codec.EncodeError{Index: e.n + len(docs) - 1, Value: last, Reason: "docID beyond the segment"}
	}
	var err error
	if e.docsBytes, err = e.docsBlock.AppendDocsBlock(e.docsBytes, docs, e.prev); err != nil {
		return err
	}
	e.docEnds = append(e.docEnds, e.docWords())
	e.pushLast(docs[0], last, len(docs))
	return nil
}

// pushLast records a block of n docIDs from first to last.
func (e *ListEncoder) pushLast(first, last uint32, n int) {
	if e.n == 0 {
		e.first = first
	}
	e.last = append(e.last, last)
	e.prev = last
	e.n += n
}

// bound adds a block's quad and counts its postings for the k-th impacts, unless
// those are known. It fails if CheckLengths was called and a frequency is above the length of its document.
func (e *ListEncoder) bound(p format.Postings, known bool) error {
	if e.impacts {
		e.quads = append(e.quads, format.Quad(format.MaximaOf(p.Freqs, e.blockLen)))
		return checkWeights(e.n-p.Len(), p.Freqs)
	}
	lens := e.lens[:p.Len()]
	e.lengths.gather(lens, p.Docs)
	e.frontier.Add(p.Freqs, lens)
	e.quads = append(e.quads, e.frontier.Quad())
	if e.frontier.above && e.strict {
		return above(e.n-p.Len(), p.Freqs, lens)
	}
	if !known {
		e.dirty = true
		e.counter.Add(p.Freqs, lens)
	}
	return nil
}

// above returns the error for the first frequency that is above its document's length. The block
// begins at posting at of its list.
func above(at int, freqs, lens []uint32) error {
	i := 0
	for i < len(freqs)-1 && freqs[i] <= lens[i] {
		i++
	}
	return &codec.EncodeError{Index: at + i, Value: freqs[i], Reason: "frequency above the length of its document"}
}

// Finish appends the encoding of the list to dst and returns what Encode does.
func (e *ListEncoder) Finish(dst []byte) (EncodedList, []byte, error) {
	at := len(dst)
	df := e.n + e.pending.Len()
	l := EncodedList{Kind: segment.KindExtent, DF: uint32(df)}
	var err error
	switch {
	case df == 0:
		return l, dst, errors.New("segment: list without postings")
	case df < layout.MinExtent:
		l.Kind, dst, err = e.encodeSmall(dst, e.pending.Docs, e.pending.Freqs)
	case e.docsBlock == nil:
		if err = e.encodeWhole(); err == nil {
			dst, l.Tail, err = e.appendExtent(dst)
		}
	default:
		if e.pending.Len() > 0 {
			err = e.encodePending()
		}
		if err == nil {
			dst, l.Tail, err = e.appendExtent(dst)
		}
	}
	if err != nil {
		return EncodedList{}, dst[:at], err
	}
	l.Bytes, l.Tokens = dst[at:], e.tokens-e.before
	if e.gaps.on {
		l.Positions, dst = places{e}.appendPositions(dst, l.Kind == segment.KindExtent, l.Tail)
	}
	return l, dst, nil
}

// encodeSmall appends the dictionary entry of a list with less than layout.MinExtent
// postings. It needs and changes nothing of the list that is being made.
func (e *ListEncoder) encodeSmall(dst []byte, docs, freqs []uint32) (segment.Kind, []byte, error) {
	n := len(docs)
	if n == 1 && docs[0] < e.docs && freqs[0] > 0 && !(e.impacts && freqs[0] > segment.MaxWeight) {
		e.encoded++
		e.tokens += uint64(freqs[0])
		return segment.KindSingleton, appendSingleton(dst, docs[0], freqs[0]), nil
	}
	if err := codec.CheckDocs(docs, codec.NoDoc); err != nil {
		return 0, dst, err
	}
	if err := codec.CheckFreqs(freqs); err != nil {
		return 0, dst, err
	}
	if e.impacts {
		if err := checkWeights(0, freqs); err != nil {
			return 0, dst, err
		}
	}
	if last := docs[n-1]; last >= e.docs {
		return 0, dst, &codec.EncodeError{Index: n - 1, Value: last, Reason: "docID beyond the segment"}
	}
	e.encoded += uint64(n)
	e.tokens += sum(freqs)
	return segment.KindCompact, appendCompact(dst, n, compact.Encode(&e.smallBytes, docs, freqs, e.docs)), nil
}

// encodeWhole encodes the pending postings by codecs that need the whole list.
func (e *ListEncoder) encodeWhole() error {
	p, n := e.pending, e.pending.Len()
	if last := p.Docs[n-1]; last >= e.docs {
		return &codec.EncodeError{Index: n - 1, Value: last, Reason: "docID beyond the segment"}
	}
	gaps := e.gaps.pending
	blocks := codec.Blocks(n, e.blockLen)
	e.docEnds, e.freqEnds = resize(e.docEnds, blocks+1), resize(e.freqEnds, blocks+1)
	var err error
	if e.docsBytes, err = e.docsCodec.AppendDocs(e.docsBytes, e.docEnds, p.Docs); err != nil {
		return err
	}
	if e.freqsBytes, err = e.freqsCodec.AppendFreqs(e.freqsBytes, e.freqEnds, p.Freqs); err != nil {
		return err
	}
	e.encoded += uint64(n)
	e.tokens += sum(p.Freqs)
	for at := 0; at < n; at += e.blockLen {
		block := p.Slice(at, min(at+e.blockLen, n))
		e.pushLast(block.Docs[0], block.Docs[block.Len()-1], block.Len())
		if err := e.bound(block, e.pendKnown); err != nil {
			return err
		}
		if err := (places{e}).addGaps(places{e}.cutGaps(&gaps, block.Freqs)); err != nil {
			return err
		}
	}
	return nil
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
