package residency

import (
	"runtime"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// A list becomes resident after three checks. Goroutines verify its checksums while it is
// copied. On the device, CheckLists looks at everything that tells where to read, and
// CheckBlocks decodes each block (kernels/check.cu). CheckLists runs whenever a list is
// loaded; the others only the first time, since an Executor's segments do not change. A
// list that fails is not loaded again: the CPU answers its queries and says what is wrong.

// proven says which lists have passed all checks: for each segment, a bit for each place
// in POSTINGS where an extent can start.
type proven [][]uint64

// extentAlign divides the offset of every extent.
const extentAlign = 64

func newProven(segs []Segment) proven {
	p := make(proven, len(segs))
	for i, s := range segs {
		sec, _ := s.Seg.Header().Section(format.SectionPostings)
		p[i] = make([]uint64, sec.Length/(64*extentAlign)+1)
	}
	return p
}

func (p proven) has(k Key) bool {
	bit := uint64(k.Offset) / extentAlign
	return bit/64 < uint64(len(p[k.Segment])) && p[k.Segment][bit/64]>>(bit%64)&1 != 0
}

// add adds a list, unless it is not one of POSTINGS.
func (p proven) add(k Key) {
	if bit := uint64(k.Offset) / extentAlign; bit/64 < uint64(len(p[k.Segment])) {
		p[k.Segment][bit/64] |= 1 << (bit % 64)
	}
}

// lengths are the lengths of a segment's documents on the device.
type lengths struct {
	at      kernels.Ptr
	width   uint8 // bytes each
	foreign uint8 // 1: frequencies may exceed them
}

// sums verifies checksums of lists in goroutines, which the first one starts. Others can
// help.
type sums struct {
	work  chan []sum
	next  []sum // not sent yet: waking a goroutine costs as much as verifying a short list
	bytes int64
	wg    sync.WaitGroup
	wakes bool // goroutines have been started
}

// sum is a list to verify and, afterwards, the error.
type sum struct {
	seg   *segment.Segment
	entry segment.Entry
	err   *error
}

const sumBytes = 1 << 20 // lists are verified together until they have this size

// verify begins to verify a list of size bytes and returns where the error will be after
// wait.
func (s *sums) verify(seg *segment.Segment, e segment.Entry, size int64) *error {
	if !s.wakes {
		s.wakes = true
		for range max(runtime.GOMAXPROCS(0)-openers-1, 1) {
			s.wg.Go(s.help)
		}
	}
	err := new(error)
	s.next = append(s.next, sum{seg, e, err})
	if s.bytes += size; s.bytes >= sumBytes {
		s.send()
	}
	return err
}

func (s *sums) send() {
	s.work <- s.next // has room for all
	s.next, s.bytes = nil, 0
}

// help verifies lists until wait has been called and none is left.
func (s *sums) help() {
	var v segment.List
	for batch := range s.work {
		for _, w := range batch {
			w.verify(&v)
		}
	}
}

// verify verifies a list. v is scratch.
func (w *sum) verify(v *segment.List) {
	defer store.CatchFault(store.ArmFault(), w.err)
	if *w.err = w.seg.InitList(v, w.entry); *w.err == nil {
		*w.err = v.VerifyBytes()
	}
}

// wait verifies what is left and waits for the other goroutines.
func (s *sums) wait() {
	s.send()
	close(s.work)
	s.help()
	s.wg.Wait()
}

// job returns the job that checks a list. The blocks of a known list are not checked
// again. before are the tiles of the job before it, if there is one in the launch.
func (l *Lists) job(r *List, o *Opened, known, follows bool, before uint32) kernels.CheckJob {
	n := &l.lengths[r.Key.Segment]
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
