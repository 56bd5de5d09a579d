package gpu

import (
	"context"

	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/kernels"
)

// impactField is a field of impacts in tiles.
type impactField = wholeField[*residency.Tiles, tileSet, *tileSet]

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

// tilesOf returns a field in tiles, as wholeField.of does.
func (x *Executor) tilesOf(ctx context.Context, field int) (*tileSet, error) {
	if f := x.impacts[field]; f != nil {
		return f.of(ctx, x)
	}
	return nil, nil
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

// add adds a segment.
func (s *tileSet) add(t *residency.Tiles, of *residency.Segment) {
	if t.List == nil {
		return
	}
	s.tiles = append(s.tiles, t)
	s.segments = append(s.segments, kernels.ImpactSegment{Docs: t.Docs, Weights: t.Weights, Starts: t.Starts, Terms: t.Terms, FirstTile: s.total, Base: of.Base})
	s.total += t.Tiles
	s.bytes += t.List.Size
	s.deleted += t.Deleted(of)
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
			all[i] = &impactField{loadPart: func(ctx context.Context, x *Executor, _ *docs.Docs, s *residency.Segment, oldest uint64) (*residency.Tiles, error) {
				return x.lists.LoadTiles(ctx, *s, i, uint32(x.options.tileDocs), oldest)
			}}
		}
	}
	return all
}

// follow goes on to x.docs, when no call runs.
func (all impacts) follow(x *Executor) {
	for _, f := range all {
		if f != nil {
			f.follow(x)
		}
	}
}
