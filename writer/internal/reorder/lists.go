package reorder

import (
	"math/bits"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/order"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/build"
	"github.com/pinion-index/pinion/writer/internal/lists"
)

// listWorker encodes lists under a permutation.
type listWorker struct {
	seg         *segment.Segment
	to          order.Permutation
	enc         *build.ListEncoder
	list        segment.List
	p           format.Postings
	keys, spare []uint64
	byDoc       []uint32 // frequencies by new docID, 0 between lists
}

// term adds the list of a term, with its new docIDs, to e.
func (lw *listWorker) term(e *lists.Encoded, _ int, refs []lists.Ref) error {
	of := refs[0].Entry // there is one source, so a term has one list
	if err := lw.read(of); err != nil {
		return err
	}
	for i, d := range lw.p.Docs {
		if int64(d) >= int64(len(lw.to)) {
			block := format.NoBlock
			if of.Kind == segment.KindExtent {
				block = i / lw.list.BlockLen
			}
			return lw.seg.Locate(format.Corrupt("docID %d of %d", d, len(lw.to)), of, block)
		}
	}
	if uint64(len(lw.p.Docs))*denseShare > uint64(len(lw.to)) {
		if err := lw.scatter(); err != nil {
			return lw.seg.Locate(err, of, format.NoBlock)
		}
	} else {
		lw.sort()
	}
	return e.Encode(lw.enc, lw.p)
}

// read fills docs and freqs with the list of e.
func (lw *listWorker) read(e segment.Entry) error {
	lw.p = lw.p.Slice(0, 0)
	if e.Kind == segment.KindSingleton {
		lw.p = lw.p.AppendPosting(e.Doc, e.TF)
		return nil
	}
	l := &lw.list
	if err := lw.seg.InitList(l, e); err != nil {
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

// A list with at least 1/denseShare of all documents is sorted through an array of
// all documents.
const denseShare = 8

// scatter renumbers the postings through an array of all documents.
func (lw *listWorker) scatter() error {
	if lw.byDoc == nil {
		lw.byDoc = make([]uint32, len(lw.to))
	}
	for i, d := range lw.p.Docs {
		lw.byDoc[lw.to[d]] = lw.p.Freqs[i]
	}
	n := 0
	for d, f := range lw.byDoc {
		if f > 0 {
			lw.p.Docs[n], lw.p.Freqs[n] = uint32(d), f
			lw.byDoc[d] = 0
			n++
		}
	}
	if n != len(lw.p.Docs) {
		return format.Corrupt("a docID is there twice, or a frequency is 0")
	}
	return nil
}

// sort renumbers the postings and sorts them.
func (lw *listWorker) sort() {
	lw.keys = lw.keys[:0]
	for i, d := range lw.p.Docs {
		lw.keys = append(lw.keys, uint64(lw.to[d])<<32|uint64(lw.p.Freqs[i]))
	}
	lw.keys, lw.spare = sortByHigh(lw.keys, lw.spare, bits.Len(uint(len(lw.to))))
	for i, k := range lw.keys {
		lw.p.Docs[i], lw.p.Freqs[i] = uint32(k>>32), uint32(k)
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
