package writer

import (
	"fmt"
	"runtime/debug"

	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// MergePolicy returns the runs of adjacent segments that are to be merged in the
// background, in ascending order and disjoint. It is called after each commit and publication with the
// segments in docID order; those that an earlier call wants merged count as merged. A run
// of one segment drops its deleted documents. Equal arguments must give equal results:
// the segments of an index then depend on the sequence of these calls alone, not on how
// long merges take.
type MergePolicy func(segments []SegmentStats) []Run

// SegmentStats describe a segment to a MergePolicy.
type SegmentStats struct {
	Docs, Deleted         uint64 // documents, including the deleted ones, and the deleted ones
	Tokens, DeletedTokens uint64 // tokens of these documents
}

// Run is a run of Segments adjacent segments, of which From is the first.
type Run struct{ From, Segments int }

// NoMerges is the MergePolicy that merges nothing.
func NoMerges([]SegmentStats) []Run { return nil }

// Tiered are the parameters of the default MergePolicy, Tiered.Runs. The zero value means
// the defaults. The size of a segment is the number of its live documents and their
// tokens. Segments of a tier are up to PerTier times as large as those of the tier below.
type Tiered struct {
	// PerTier is how many segments of one tier, with smaller ones between them, are merged
	// together; 0 means 8, 1 is taken for 2.
	PerTier int
	// MinSize is the size up to which all segments are of the lowest tier; 0 means 2^12.
	MinSize uint64
	// MaxSize bounds the size of merged segments; 0 means 2^31. Segments larger than half
	// of it are not merged with others.
	MaxSize uint64
	// MaxDeleted is the share of deleted documents, in percent, above which a segment over
	// MinSize is rewritten alone; 0 means 33.
	MaxDeleted int
}

// group is a run that a policy joins.
type group struct {
	n          int
	size, docs uint64 // of live documents
}

// Runs is a MergePolicy. It merges the first PerTier segments of a tier in which there are
// as many, from the highest tier down, until no tier is full. So n equal segments are each
// rewritten log(n) times, and at most PerTier-1 are left of each tier (O'Neil et al. 1996,
// "The log-structured merge-tree").
func (t Tiered) Runs(segments []SegmentStats) []Run {
	t = t.withDefaults()
	gs := make([]group, len(segments))
	for i, s := range segments {
		gs[i] = group{1, s.Docs - s.Deleted + s.Tokens - s.DeletedTokens, s.Docs - s.Deleted}
	}
	for at, n := t.next(gs); n > 0; at, n = t.next(gs) {
		for _, g := range gs[at+1 : at+n] {
			gs[at] = group{gs[at].n + g.n, gs[at].size + g.size, gs[at].docs + g.docs}
		}
		gs = append(gs[:at+1], gs[at+n:]...)
	}
	var runs []Run
	from := 0
	for _, g := range gs {
		s := segments[from]
		if g.n > 1 || g.size > t.MinSize && s.Deleted*100 > s.Docs*uint64(t.MaxDeleted) {
			runs = append(runs, Run{from, g.n})
		}
		from += g.n
	}
	return runs
}

func (t Tiered) withDefaults() Tiered {
	or := func(v, d uint64) uint64 {
		if v == 0 {
			return d
		}
		return v
	}
	t.PerTier = max(2, int(or(uint64(max(t.PerTier, 0)), 8)))
	t.MinSize, t.MaxSize = or(t.MinSize, 1<<12), or(t.MaxSize, 1<<31)
	t.MaxDeleted = int(or(uint64(max(t.MaxDeleted, 0)), 33))
	return t
}

// next returns the next n groups to join, from index at on, or n 0.
func (t Tiered) next(gs []group) (at, n int) {
	for at < len(gs) {
		top, last, i := 0, at, at
		for ; i < len(gs) && gs[i].size <= t.MaxSize/2; i++ {
			if tier := t.tier(gs[i].size); tier >= top {
				top, last = tier, i
			}
		}
		if last+1-at >= t.PerTier {
			if n := t.fitting(gs[at : at+t.PerTier]); n > 1 {
				return at, n
			}
			at++
			continue
		}
		at = last + 1
	}
	return 0, 0
}

// tier returns the tier of a size, 0 for the lowest.
func (t Tiered) tier(size uint64) (tier int) {
	for ; size > t.MinSize; size /= uint64(t.PerTier) {
		tier++
	}
	return tier
}

// fitting returns how many of the first groups fit one segment.
func (t Tiered) fitting(gs []group) (n int) {
	var size, docs uint64
	for _, g := range gs {
		size, docs = size+g.size, docs+g.docs
		if size > t.MaxSize || docs > segment.MaxDocs {
			break
		}
		n++
	}
	return n
}

// askPolicy returns the runs that p wants to merge, if they can be merged. A panic of p is
// an error: what was committed before stands.
func askPolicy(p MergePolicy, segments []SegmentStats) (runs []Run, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("writer: the merge policy: %w", &store.PanicError{Value: r, Stack: debug.Stack()})
		}
	}()
	runs = p(segments)
	return runs, checkRuns(runs, segments)
}

// checkRuns returns an error unless runs can be merged.
func checkRuns(runs []Run, segments []SegmentStats) error {
	end := 0
	for _, r := range runs {
		if r.From < end || r.Segments < 1 || r.Segments > len(segments)-r.From {
			return fmt.Errorf("writer: the merge policy returned %v for %d segments", runs, len(segments))
		}
		docs := uint64(0)
		for _, s := range segments[r.From : r.From+r.Segments] {
			docs += s.Docs - s.Deleted
		}
		if docs > segment.MaxDocs {
			return fmt.Errorf("writer: the merge policy joins %d segments with %d documents", r.Segments, docs)
		}
		end = r.From + r.Segments
	}
	return nil
}
