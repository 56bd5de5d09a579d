package invert

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A run has the postings that were packed, in as many words as runWords says and as pages have room for.
func TestRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var run []uint64
		var docs, freqs []uint32
		for doc := rapid.Uint32Range(0, 9).Draw(t, "first"); doc < maxBatchDocs && len(run) < 300; doc += rapid.Uint32Range(1, 900).Draw(t, "gap") {
			tf := rapid.OneOf(rapid.Uint32Range(1, 9), rapid.SampledFrom([]uint32{255, maxShortTF - 1, maxShortTF, maxShortTF + 1, 1 << 16, 1<<31 - 1}), rapid.Uint32Range(1, 1<<31-1)).Draw(t, "tf")
			run = append(run, uint64(doc)<<32|uint64(tf))
			docs, freqs = append(docs, doc+1000), append(freqs, tf)
		}
		if len(run) == 0 {
			return
		}
		words := make([]uint16, runHeader+3*len(run))
		n := packRun(words[runHeader:], run)
		if n != runWords(run) || n > 3*len(run) {
			t.Fatalf("%d words, runWords says %d, %d postings", n, runWords(run), len(run))
		}
		putUint32(words[2:], 1000)
		words[4] = uint16(n)
		gotDocs, gotFreqs := make([]uint32, len(run)), make([]uint32, len(run))
		if k := unpackRun(gotDocs, gotFreqs, 0, words); k != len(run) || !slices.Equal(gotDocs, docs) || !slices.Equal(gotFreqs, freqs) {
			t.Fatalf("%d postings: %v %v, want %v %v", k, gotDocs, gotFreqs, docs, freqs)
		}
	})
}
