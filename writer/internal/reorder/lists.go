package reorder

import (
	"math/bits"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer/internal/lists"
)

// listWorker encodes lists of documents in another order.
type listWorker struct {
	segments    []*segment.Segment
	to          Moves
	docs        int // in the new segment
	enc         *build.ListEncoder
	list        segment.List
	p           format.Postings // of one segment
	all         format.Postings // of all, with new docIDs
	keys, spare []uint64
	byDoc       []uint32 // frequencies by new docID, 0 between lists

	fields []lists.Field       // of the output
	placed bool                // the field has positions
	few    []segment.SmallGaps // of each segment
	gaps   []uint32            // of p
	pieces []uint32            // of all, in the order in which they were read
	from   []int               // where those of each posting of all begin
	sorted []uint32            // in the order of new docIDs
}

// term adds the list of a term, with its new docIDs, to e.
func (lw *listWorker) term(e *lists.Encoded, field int, refs []lists.Ref) error {
	lw.all = lw.all.Slice(0, 0)
	lw.placed = lw.fields[field].Positions
	lw.pieces, lw.from = lw.pieces[:0], lw.from[:0]
	for i := range refs {
		if err := lw.add(&refs[i]); err != nil {
			return err
		}
	}
	if lw.all.Len() == 0 {
		e.AddEmpty()
		return nil
	}
	if lw.placed {
		lw.sortPlaced()
		return e.Encode(lw.enc, lw.all, lw.sorted)
	}
	if uint64(lw.all.Len())*denseShare > uint64(lw.docs) {
		if err := lw.scatter(); err != nil {
			of := refs[0] // of several, which it is does not show
			return lw.segments[of.Source].Lists().Locate(err, of.Entry, format.NoBlock)
		}
	} else {
		lw.sort()
	}
	return e.Encode(lw.enc, lw.all, nil)
}

// add adds the postings of a list to all.
func (lw *listWorker) add(ref *lists.Ref) error {
	seg, of, to := lw.segments[ref.Source], ref.Entry, lw.to[ref.Source]
	err := lw.read(seg, of)
	if err == nil && lw.placed {
		err = lw.readGaps(ref.Source, of)
	}
	if err != nil {
		return err
	}
	from := lw.all.Len()
	all := lw.all.Grow(lw.p.Len()).Slice(0, from+lw.p.Len())
	n, at := from, 0 // at: in gaps
	for i, d := range lw.p.Docs {
		if int64(d) >= int64(len(to)) {
			block := format.NoBlock
			if of.Kind == segment.KindExtent {
				block = i / lw.list.BlockLen
			}
			return seg.Lists().Locate(format.Corrupt("docID %d of %d", d, len(to)), of, block)
		}
		tf := lw.p.Freqs[i]
		all.Docs[n], all.Freqs[n] = to[d], tf
		if to[d] != none {
			n++
			if lw.placed {
				lw.from = append(lw.from, len(lw.pieces))
				lw.pieces = append(lw.pieces, lw.gaps[at:at+int(tf)]...)
			}
		}
		at += int(tf)
	}
	lw.all = all.Slice(0, n)
	return nil
}

// read fills docs and freqs with the list of e.
func (lw *listWorker) read(seg *segment.Segment, e segment.Entry) error {
	lw.p = lw.p.Slice(0, 0)
	if e.Kind == segment.KindSingleton {
		return seg.Lists().AppendSmall(&lw.p, &e, 0)
	}
	l := &lw.list
	if err := seg.Lists().Init(l, e); err != nil {
		return err
	}
	if e.Kind == segment.KindCompact {
		lw.p = lw.p.Append(l.Small())
		return nil
	}
	if err := l.VerifyChecksum(); err != nil {
		return err
	}
	room := l.Blocks * l.BlockLen
	p := lw.p.Grow(room).Slice(0, room)
	n, err := l.DecodePostings(p, 0, l.Blocks)
	lw.p = p.Slice(0, n)
	return err
}

// readGaps sets gaps to those of the positions of p, the postings of e, which read has found.
func (lw *listWorker) readGaps(of uint32, e segment.Entry) (err error) {
	seg := lw.segments[of]
	lw.gaps = lw.gaps[:0]
	if e.Kind != segment.KindExtent {
		lw.gaps, err = lw.few[of].Append(lw.gaps, seg, &e, lw.p.Freqs)
		return err
	}
	positions, err := lw.list.Positions()
	if err != nil {
		return err
	}
	lw.gaps, err = build.AppendGaps(lw.gaps, &positions, 0, lw.list.BlockLen, lw.p.Freqs)
	return err
}

// sortPlaced sorts the postings, and their gaps to sorted.
func (lw *listWorker) sortPlaced() {
	lw.keys = lw.keys[:0]
	for i, d := range lw.all.Docs {
		lw.keys = append(lw.keys, uint64(d)<<32|uint64(i))
	}
	lw.keys, lw.spare = sortByHigh(lw.keys, lw.spare, bits.Len(uint(lw.docs)))
	lw.p = lw.p.Slice(0, 0).Append(lw.all)
	lw.sorted = lw.sorted[:0]
	for i, k := range lw.keys {
		of := uint32(k)
		tf := lw.p.Freqs[of]
		lw.all.Docs[i], lw.all.Freqs[i] = uint32(k>>32), tf
		lw.sorted = append(lw.sorted, lw.pieces[lw.from[of]:lw.from[of]+int(tf)]...)
	}
}

// A list with at least 1/denseShare of all documents is sorted through an array of
// all documents.
const denseShare = 8

// scatter sorts the postings through an array of all documents.
func (lw *listWorker) scatter() error {
	if lw.byDoc == nil {
		lw.byDoc = make([]uint32, lw.docs)
	}
	p := lw.all
	for i, d := range p.Docs {
		lw.byDoc[d] = p.Freqs[i]
	}
	n := 0
	for d, f := range lw.byDoc {
		if f > 0 {
			p.Docs[n], p.Freqs[n] = uint32(d), f
			lw.byDoc[d] = 0
			n++
		}
	}
	if n != len(p.Docs) {
		return format.Corrupt("a docID is there twice, or a frequency is 0")
	}
	return nil
}

// sort sorts the postings.
func (lw *listWorker) sort() {
	lw.keys = lw.keys[:0]
	for i, d := range lw.all.Docs {
		lw.keys = append(lw.keys, uint64(d)<<32|uint64(lw.all.Freqs[i]))
	}
	lw.keys, lw.spare = sortByHigh(lw.keys, lw.spare, bits.Len(uint(lw.docs)))
	for i, k := range lw.keys {
		lw.all.Docs[i], lw.all.Freqs[i] = uint32(k>>32), uint32(k)
	}
}

// sortByHigh sorts keys by their distinct high halves, which have at most width
// bits. It returns the sorted keys and a spare slice; one of the two is the
// argument keys.
func sortByHigh(keys, spare []uint64, width int) (sorted, rest []uint64) {
	const digit = 11
	if len(keys) < 256 {
		slices.Sort(keys)
		return keys, spare
	}
	if cap(spare) < len(keys) {
		spare = make([]uint64, cap(keys))
	}
	spare = spare[:len(keys)]
	for shift := 32; shift < 32+width; shift += digit {
		var at [1 << digit]uint32
		for _, k := range keys {
			at[k>>shift&(1<<digit-1)]++
		}
		next := uint32(0)
		for i, n := range at {
			at[i] = next
			next += n
		}
		for _, k := range keys {
			d := k >> shift & (1<<digit - 1)
			spare[at[d]] = k
			at[d]++
		}
		keys, spare = spare, keys
	}
	return keys, spare
}
