package residency

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/kernels"
)

// A list becomes resident after three checks. Goroutines verify its checksums while it is
// copied. On the device, CheckLists looks at everything that tells where to read, and
// CheckBlocks decodes each block (kernels/check.cu). CheckLists runs whenever a list is
// loaded; the others only the first time, since an Executor's segments do not change. A
// list that fails is not loaded again: the CPU answers its queries and says what is wrong.

// job returns the job that checks a list. The blocks of a known list are not checked
// again. before are the tiles of the job before it, if there is one in the launch.
func (l *Lists) job(r *List, o *Opened, known, follows bool, before uint32) kernels.CheckJob {
	n := &l.segments[r.Key.Segment].lengths[r.Key.Field]
	j := kernels.CheckJob{Quad: uint64(r.Quad), Lengths: n.at, List: r.Slot, First: o.first, Width: n.width, Foreign: n.foreign}
	for i, k := range r.Kth {
		j.Kth[i] = [2]uint8{k.TF, k.Len}
	}
	if follows {
		j.Tiles = before
	}
	if !known {
		j.Tiles += (r.Blocks + kernels.CheckTile - 1) / kernels.CheckTile
	}
	return j
}

// launch submits the checks of the lists that have been copied since the last launch.
func (ld *loading) launch() error {
	l, first, n := ld.l, ld.launched, len(ld.lists)-ld.launched
	if n == 0 {
		return nil
	}
	ld.launched, ld.waiting = len(ld.lists), 0
	codecs := kernels.CodecSet(0)
	for _, r := range ld.lists[first:] {
		codecs |= r.Codecs
	}
	p := kernels.CheckParams{Lists: l.Table, Jobs: ld.scratch + kernels.Ptr(jobSize*first), Status: ld.scratch + kernels.Ptr(statusAt+statusSize*first),
		Descs: ld.scratch + kernels.Ptr(descsAt+layout.DescSize*first), Count: uint32(n), NTiles: ld.jobs[first+n-1].Tiles}
	ld.copies.CopyIn(p.Descs, ld.pinned[descsAt+layout.DescSize*first:][:layout.DescSize*n])
	ld.copies.CopyIn(p.Jobs, ld.pinned[jobSize*first:jobSize*(first+n)])
	ld.copies.Record(ld.copied)
	if err := l.dev.Submit(&ld.copies); err != nil {
		return err
	}
	ld.copies.Reset()
	ld.checks.Await(ld.copied)
	ld.checks.Launch(kernels.CheckLists, n, 0, kernels.Bytes(&p))
	ld.checks.Launch(kernels.For(kernels.CheckPostings, codecs), int(p.NTiles+7)/8, 0, kernels.Bytes(&p))
	ld.measure(first)
	err := l.dev.Submit(&ld.checks)
	ld.checks.Reset()
	return err
}

// damages are what the kernels find, the cause before its consequences.
var damages = []struct {
	bit  uint32
	text string
}{
	{kernels.BadDocEnds, "docID block endpoints do not ascend within the payload"},
	{kernels.BadFreqEnds, "frequency block endpoints do not ascend within the payload"},
	{kernels.BadLast, "last docIDs of blocks do not ascend within the segment"},
	{kernels.BadHash, "hash bucket offsets do not ascend"},
	{kernels.BadBlock, "block is not one that its codec writes"},
	{kernels.BadDocs, "docIDs are not ascending or not those of the skip header"},
	{kernels.BadFreqs, "frequency is 0 or more than the document's length"},
	{kernels.BadBound, "posting is not under its quad"},
	{kernels.BadFound, "linear regression or hash buckets miss an element"},
}

// verdict returns what is wrong with a list, or nil.
func (ld *loading) verdict(i int) error {
	r, s := ld.lists[i], &ld.status[i]
	if r.sum != nil && *r.sum != nil {
		return *r.sum
	}
	damage := ""
	for _, d := range damages {
		if s.Bad&d.bit != 0 {
			damage = d.text
			break
		}
	}
	if damage == "" && r.sum != nil {
		for k, impact := range r.Kth {
			if _, _, ok := impact.Pair(); ok && s.Reach[k] < uint32(format.KthValues()[k]) {
				damage = "fewer postings reach a k-th impact than it says"
			}
		}
	}
	if damage == "" {
		return nil
	}
	place := format.Place{File: ld.l.segments[r.Key.Segment].Seg.Name(), Section: format.SectionPostings.String(), Block: format.NoBlock}
	if int64(s.Block) < int64(r.Blocks) {
		place.Block = int(s.Block)
	}
	return format.Locate(format.Corrupt("list at offset %d: %s", r.Key.Offset, damage), place)
}
