package residency

import (
	"testing"

	"pgregory.net/rapid"
)

// Runs have all segments in order. Two of them are one, unless the first has eight times the documents of the second, or both are too many.
func TestRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Uint32Range(0, rapid.SampledFrom([]uint32{1, 10, 1 << 20}).Draw(t, "most")), 0, 400).Draw(t, "documents")
		end, before := 0, run{}
		for i, r := range runs(sizes, false) {
			docs := uint32(0)
			for _, n := range sizes[r.first:r.end] {
				docs += n
			}
			if r.first != end || r.end <= r.first || r.end-r.first > 127 || r.docs != docs {
				t.Fatalf("%+v behind %d, %d documents", r, end, docs)
			}
			if i > 0 && before.docs <= 8*max(r.docs, 1) && r.end-before.first <= 127 {
				t.Fatalf("%+v and %+v", before, r)
			}
			end, before = r.end, r
		}
		if end != len(sizes) || len(runs(sizes, true)) != len(sizes) {
			t.Fatalf("%d of %d segments", end, len(sizes))
		}
	})
}

// A segment of a few documents behind a large one leaves that as it is, and is joined with others.
func TestRunsBehind(t *testing.T) {
	sizes := []uint32{9000, 400}
	for n := range 100 {
		sizes = append(sizes, 1)
		if all := runs(sizes, false); all[0] != (run{0, 1, 9000}) || len(all) > 4 {
			t.Fatalf("%d: %+v", n, all)
		}
	}
}
