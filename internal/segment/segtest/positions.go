package segtest

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/pinion-index/pinion/segment"
)

// RandomPositions draws positions for the lists of f, whose frequencies it lowers.
func (f *FieldModel) RandomPositions(r *rand.Rand) {
	f.Gaps = map[string][]uint32{}
	for _, term := range slices.Sorted(maps.Keys(f.Lists)) {
		ps := f.Lists[term]
		most := uint32([]int{1, 3, 3, 40, 400}[r.IntN(5)])
		width := []int{0, 1, 4, 7, 12, 22}[r.IntN(6)]
		for i, p := range ps {
			f.Lens[p.Doc] -= p.TF
			ps[i].TF = 1 + (p.TF-1)%most
			f.Lens[p.Doc] += ps[i].TF
			for j := range ps[i].TF {
				gap := r.Uint32() & (1<<width - 1)
				if r.IntN(30) == 0 && ps[i].TF < 40 {
					gap = r.Uint32() >> (7 + r.IntN(25)) // so that they add up to at most 2^31-1
				}
				if j == 0 && ps[i].TF == 1 && r.IntN(100) == 0 {
					gap = segment.MaxPosition
				}
				f.Gaps[term] = append(f.Gaps[term], gap)
			}
		}
	}
}

// checkPositions compares the positions of a list with f.
func (f *FieldModel) checkPositions(t TB, v segment.FieldView, term string, l *segment.List) {
	t.Helper()
	pos, err := v.Positions(l.Entry())
	if !f.Positions {
		if err == nil || v.HasPositions() {
			t.Fatalf("field %q without positions: %v", f.Name, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	gaps, ps := f.Gaps[term], f.Lists[term]
	var got []uint32
	every, some := pos.Reader(), pos.Reader()
	for i := 0; i < len(ps); i += l.BlockLen {
		block, ps := i/l.BlockLen, ps[i:min(i+l.BlockLen, len(ps))]
		total := uint32(0)
		for _, p := range ps {
			total += p.TF
		}
		want := gaps[:total]
		if got, err = pos.AppendBlock(got[:0], block, total); err != nil || !slices.Equal(got, want) {
			t.Fatalf("field %q: gaps of block %d of %q are %v, want %v, %v", f.Name, block, term, got, want, err)
		}
		f.checkReaders(t, term, block, want, ps, every, some, 1+len(term)%5)
		gaps = gaps[total:]
	}
	if len(gaps) > 0 {
		t.Fatalf("field %q: %d positions of %q are not in a block", f.Name, len(gaps), term)
	}
}

// checkReaders compares the positions of a block's postings: of each of them as every reads them, of
// some as some does.
func (f *FieldModel) checkReaders(t TB, term string, block int, gaps []uint32, ps []Posting, every, some *segment.PositionReader, step int) {
	t.Helper()
	before := uint32(0)
	var buf []uint32
	for i, p := range ps {
		want, next := []uint32{}, uint32(0)
		for _, g := range gaps[before : before+p.TF] {
			want = append(want, next+g)
			next += g + 1
		}
		for j, r := range []*segment.PositionReader{every, some} {
			if j == 1 && i%step > 0 {
				continue
			}
			got, err := r.Append(buf[:0], block, before, p.TF)
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("field %q: posting %d of block %d of %q has positions %v, want %v, %v", f.Name, i, block, term, got, want, err)
			}
			buf = got
		}
		before += p.TF
	}
}
