package writer

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// apply returns segments after the runs were merged.
func apply(segments []SegmentStats, runs []Run) (out []SegmentStats) {
	at := 0
	for _, r := range runs {
		out = append(out, segments[at:r.From]...)
		var sum SegmentStats
		for _, s := range segments[r.From : r.From+r.Segments] {
			sum.Docs += s.Docs - s.Deleted
			sum.Tokens += s.Tokens - s.DeletedTokens
		}
		out = append(out, sum)
		at = r.From + r.Segments
	}
	return append(out, segments[at:]...)
}

func TestTiered(t *testing.T) {
	tokens := func(n ...uint64) (s []SegmentStats) {
		for _, n := range n {
			s = append(s, SegmentStats{Tokens: n})
		}
		return s
	}
	small := Tiered{PerTier: 3, MinSize: 10, MaxSize: 1000}
	for _, tt := range []struct {
		name     string
		policy   Tiered
		segments []SegmentStats
		want     []Run
	}{
		{"none", small, nil, nil},
		{"too few", small, tokens(1, 1), nil},
		{"lowest tier", small, tokens(1, 1, 1), []Run{{0, 3}}},
		{"first of a tier", small, tokens(5, 5, 5, 5), []Run{{0, 3}}},
		{"in one go", small, tokens(30, 30, 10, 10, 10, 10, 10), []Run{{0, 5}}},
		{"behind a large one", small, tokens(500, 1, 1, 1), []Run{{1, 3}}},
		{"small ones between", small, tokens(50, 1, 50, 2), []Run{{0, 3}}},
		{"full segments stay alone", small, tokens(600, 600, 600, 600), nil},
		{"full segment between", small, tokens(5, 5, 600, 5, 5), nil},
		{"as many as fit", small, tokens(400, 400, 400), []Run{{0, 2}}},
		{"deletes", small, []SegmentStats{{50, 30, 50, 30}, {50, 10, 50, 10}}, []Run{{0, 1}}},
		{"deletes of a full segment", small, []SegmentStats{{600, 250, 600, 0}}, []Run{{0, 1}}},
		{"deletes of a small segment", small, []SegmentStats{{5, 4, 1, 1}}, nil},
		{"defaults", Tiered{}, tokens(1, 1, 1, 1, 1, 1, 1, 1), []Run{{0, 8}}},
	} {
		if got := tt.policy.Runs(tt.segments); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// For any segments, the runs are valid, within the maximum, and leave nothing to merge but
// what their results make possible; of each tier, few segments are left.
func TestTieredProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Tiered{PerTier: rapid.IntRange(2, 9).Draw(t, "per tier"), MinSize: 100, MaxSize: 1 << 20}
		segments := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) SegmentStats {
			docs := rapid.Uint64Range(1, 1<<rapid.IntRange(1, 17).Draw(t, "log")).Draw(t, "docs")
			deleted := rapid.Uint64Range(0, docs-1).Draw(t, "deleted")
			return SegmentStats{Docs: docs, Deleted: deleted, Tokens: 4 * docs, DeletedTokens: 4 * deleted}
		}), 0, 60).Draw(t, "segments")
		runs := p.Runs(segments)
		if err := checkRuns(runs, segments); err != nil {
			t.Fatal(err)
		}
		after := apply(segments, runs)
		for i, r := range runs {
			if s := apply(segments, runs[i:i+1])[r.From]; r.Segments > 1 && s.Docs+s.Tokens > p.MaxSize {
				t.Fatalf("%v makes a segment of %v", r, s)
			}
		}
		if again := p.Runs(after); len(again) > 0 {
			t.Fatalf("%v after %v", again, runs)
		}
		if total := func() (n uint64) {
			for _, s := range after {
				n += s.Docs + s.Tokens
			}
			return n
		}(); total <= p.MaxSize/2 {
			tiers := p.withDefaults().tier(total) + 1
			if len(after) > tiers*(p.PerTier-1) {
				t.Fatalf("%d segments left in %d tiers", len(after), tiers)
			}
		}
	})
}

// Of an index that grows by a document with each commit, few segments are left, and few
// documents are written again with each.
func TestTieredOneByOne(t *testing.T) {
	const n = 4000
	var segments []SegmentStats
	written, most := uint64(0), 0
	for range n {
		segments = append(segments, SegmentStats{Docs: 1, Tokens: 50})
		runs := Tiered{}.Runs(segments)
		for i, r := range runs {
			written += apply(segments, runs[i:i+1])[r.From].Docs
		}
		segments = apply(segments, runs)
		most = max(most, len(segments))
	}
	if written > 12*n || most > 4*7 {
		t.Errorf("%d documents written again for %d, %d segments at once", written, n, most)
	}
}

// Runs of a policy that are not in the segments are refused.
func TestCheckRuns(t *testing.T) {
	segments := []SegmentStats{{Docs: 1 << 31}, {Docs: 1 << 31}, {Docs: 1}}
	for _, runs := range [][]Run{{{0, 2}}, {{2, 2}}, {{-1, 1}}, {{2, 1}, {2, 1}}, {{1, 0}}, {{3, 1}}} {
		if checkRuns(runs, segments) == nil {
			t.Errorf("%v was accepted", runs)
		}
	}
}
