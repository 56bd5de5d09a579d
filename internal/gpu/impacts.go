package gpu

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/kernels"
)

// impactField is what an Executor knows of a field of impacts, whose segments go to the device as a whole when the first Dot
// asks for it. They stay there over commits until their memory is needed for what is used more.
type impactField struct {
	number  int
	set     atomic.Pointer[tileSet] // of the snapshot; nil: a segment may not be there
	refused atomic.Bool             // one does not fit, or is damaged: the CPU answers
	busy    atomic.Bool             // it is being loaded behind queries

	mu       sync.Mutex // of loads, guards the fields below
	segments map[int]*residency.Tiles
	errs     map[int]error // why segments are refused
}

// tileSet is a field of impacts in all segments of a snapshot that have postings.
type tileSet struct {
	tiles    []*residency.Tiles
	segments []kernels.ImpactSegment // of these
	total    uint32                  // tiles
	bytes    int64
	deleted  uint64 // documents of the tiles
}

// impacts are the fields of impacts by number, others nil; nil if there are none.
type impacts []*impactField

// mostSum is what the sums of a Dot are less than on the device: sums that differ give scores that differ.
const mostSum = 1 << 23

// mostDotHits is the greatest k of a Dot: a tile finds no more keys.
const mostDotHits = kernels.ImpactList

// Factors of scores on the device are between these, so that no score is subnormal or infinite.
const leastFactor, mostFactor = 1. / (1 << 100), 1 << 100

// tilesOf returns a field in tiles, and loads it if it is not there: behind queries, which meanwhile get nil, where there
// is a CPU to answer them.
func (x *Executor) tilesOf(ctx context.Context, field int) (*tileSet, error) {
	f := x.impacts[field]
	if f == nil || f.refused.Load() {
		return nil, nil
	}
	if s := f.there(); s != nil {
		return s, nil
	}
	switch {
	case !x.state.works.Load():
		return nil, nil
	case x.options.CPU == nil:
		return f.load(ctx, x)
	case f.busy.CompareAndSwap(false, true):
		x.behind.Add(1)
		go func() {
			defer x.behind.Done()
			defer f.busy.Store(false)
			f.loadBehind(x)
		}()
	}
	return nil, nil
}

// there returns the field if all of it is on the device, or nil.
func (f *impactField) there() *tileSet {
	s := f.set.Load()
	if s == nil || s.gone() {
		return nil
	}
	return s
}

// gone reports whether a segment has been evicted.
func (s *tileSet) gone() bool {
	for _, t := range s.tiles {
		if t.Gone() {
			return true
		}
	}
	return false
}

// load makes the field resident, within a call. The error is one of the device or of ctx; otherwise, the set is nil if the field is refused.
func (f *impactField) load(ctx context.Context, x *Executor) (*tileSet, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.there(); s != nil || f.refused.Load() {
		return s, nil
	}
	s, refused, err := f.make(ctx, x, x.docs)
	if err == nil {
		f.set.Store(s)
		f.refused.Store(refused)
	}
	return s, err
}

// loadBehind makes the field resident behind calls, also while the Executor goes on to another snapshot: then it loads what that has beside.
func (f *impactField) loadBehind(x *Executor) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for x.enter() == nil {
		if f.there() != nil || f.refused.Load() {
			x.leave()
			return
		}
		d := x.docs
		s, err := x.snapshot.Retain()
		x.leave()
		if err != nil {
			return
		}
		set, refused, err := f.make(x.ctx, x, d)
		_ = s.Close()
		if err != nil {
			_ = x.settle(nil, err)
			return
		}
		if x.enter() != nil {
			return
		}
		if x.docs == d {
			f.set.Store(set)
			f.refused.Store(refused)
		}
		x.leave()
	}
}

// make makes all segments of d resident. refused says that one cannot be; then the set is nil. f.mu must be held.
func (f *impactField) make(ctx context.Context, x *Executor, d *docs.Docs) (set *tileSet, refused bool, err error) {
	if f.segments == nil {
		f.segments, f.errs = map[int]*residency.Tiles{}, map[int]error{}
	}
	kept := make(map[int]bool, len(d.Segments))
	for i := range d.Segments {
		kept[d.Segments[i].Number] = true
	}
	for n, t := range f.segments {
		if !kept[n] {
			x.lists.Discard(t)
			delete(f.segments, n)
		}
	}
	set = new(tileSet)
	for i := range d.Segments {
		s := &d.Segments[i]
		t := f.segments[s.Number]
		if t == nil || t.Gone() {
			if f.errs[s.Number] != nil {
				return nil, true, nil
			}
			t, err = x.lists.LoadTiles(ctx, *s, f.number, uint32(x.options.tileDocs), x.stages.Oldest(x.stages.Next()))
			switch {
			case err == nil:
				f.segments[s.Number] = t
			case ctx.Err() != nil || errors.Is(err, ErrDevice) || errors.Is(err, ErrMemory):
				return nil, false, err
			default:
				f.errs[s.Number] = err
				return nil, true, nil
			}
		}
		set.add(t, s)
	}
	if set.gone() { // the last ones have evicted the first
		return nil, true, nil
	}
	return set, false, nil
}

// add adds a segment.
func (s *tileSet) add(t *residency.Tiles, of *residency.Segment) {
	if t.List == nil {
		return
	}
	s.tiles = append(s.tiles, t)
	s.segments = append(s.segments, kernels.ImpactSegment{Docs: t.Docs, Weights: t.Weights, Starts: t.Starts, Terms: t.Terms, FirstTile: s.total, Base: of.Base})
	s.total += t.Tiles
	s.bytes += t.List.Size
	s.deleted += uint64(of.Deletes.Count()) - t.Deleted
}

// postings returns how many postings a term has.
func (s *tileSet) postings(term []byte) (n int64) {
	for _, t := range s.tiles {
		x, _ := t.Term(term)
		n += int64(x.Postings)
	}
	return n
}

// load makes all fields of impacts resident that fit.
func (all impacts) load(ctx context.Context, x *Executor) error {
	for _, f := range all {
		if f == nil {
			continue
		}
		if _, err := f.load(ctx, x); err != nil {
			return err
		}
	}
	return nil
}

// resident returns how many fields of impacts are resident, and their bytes.
func (all impacts) resident() (n, bytes int64) {
	for _, f := range all {
		if f == nil {
			continue
		}
		if s := f.there(); s != nil {
			n, bytes = n+1, bytes+s.bytes
		}
	}
	return n, bytes
}

// impactFields returns a state for each field of impacts, or nil if there is none.
func impactFields(fields []docs.Field) (all impacts) {
	for i, f := range fields {
		if f.Impacts {
			if all == nil {
				all = make(impacts, len(fields))
			}
			all[i] = &impactField{number: i}
		}
	}
	return all
}

// follow goes on to x.docs, when no call runs: what is resident stays. Of a field that was resident, segments are loaded at once that have few
// documents; others are loaded behind queries, which the CPU answers meanwhile.
func (all impacts) follow(x *Executor) {
	for _, f := range all {
		if f == nil {
			continue
		}
		had := f.there() != nil
		f.set.Store(nil)
		f.refused.Store(false)
		if !had || !f.mu.TryLock() {
			continue
		}
		if f.missing(x.docs) <= x.docs.N/fewNew {
			if set, refused, err := f.make(x.ctx, x, x.docs); err == nil {
				f.set.Store(set)
				f.refused.Store(refused)
			}
		}
		f.mu.Unlock()
	}
}

// fewNew is the share of documents, as 1/fewNew, that are loaded while queries wait: a thousandth takes about a millisecond.
const fewNew = 64

// missing returns how many documents are in segments of d that are not resident. f.mu must be held.
func (f *impactField) missing(d *docs.Docs) (n uint64) {
	for i := range d.Segments {
		if t := f.segments[d.Segments[i].Number]; t == nil || t.Gone() {
			n += uint64(d.Segments[i].Seg.Meta().Docs)
		}
	}
	return n
}
