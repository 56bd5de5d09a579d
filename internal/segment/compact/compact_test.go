package compact

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A compact list is read as it was written, at any base, and takes no more space than
// reserved.
func TestCompactRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]uint32{2, 3, 128, 1000, 1 << 20, 1 << 31}).Draw(t, "documents")
		spread := rapid.Uint32Range(2, n).Draw(t, "spread")
		from := rapid.Uint32Range(0, n-spread).Draw(t, "from")
		k := rapid.IntRange(2, int(min(spread, MaxPostings))).Draw(t, "postings")
		docs := rapid.SliceOfNDistinct(rapid.Uint32Range(from, from+spread-1), min(k, 2), k, rapid.ID).Draw(t, "docs")
		slices.Sort(docs)
		most := rapid.SampledFrom([]uint32{1, 2, 9, math.MaxUint32}).Draw(t, "most")
		freqs := rapid.SliceOfN(rapid.Uint32Range(1, most), len(docs), len(docs)).Draw(t, "freqs")

		var room [Room]byte
		b := slices.Clone(Encode(&room, docs, freqs, n))
		if len(b) > Room-16 {
			t.Fatalf("%d bytes", len(b))
		}
		padded := append(b, make([]byte, 8)...)[:len(b)]
		gotDocs, gotFreqs := make([]uint32, len(docs)), make([]uint32, len(docs))
		base := rapid.Uint32().Draw(t, "base")
		if !Decode(gotDocs, gotFreqs, padded, n, base) {
			t.Fatalf("cannot be read: %x", b)
		}
		for i := range docs {
			docs[i] += base
		}
		if !slices.Equal(gotDocs, docs) || !slices.Equal(gotFreqs, freqs) {
			t.Fatalf("read %d %d, wrote %d %d", gotDocs, gotFreqs, docs, freqs)
		}
	})
}

// Arbitrary bytes decode to ascending docIDs below the number of documents, or are refused.
func TestCompactOfAnyBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes")
		k := rapid.IntRange(2, MaxPostings).Draw(t, "postings")
		n := rapid.Uint32Range(uint32(k), 1<<31).Draw(t, "documents")
		docs, freqs := make([]uint32, k), make([]uint32, k)
		padded := append(slices.Clone(b), 1, 2, 3, 4, 5, 6, 7, 8)[:len(b)]
		if !Decode(docs, freqs, padded, n, 0) {
			return
		}
		if docs[k-1] >= n || slices.Contains(freqs, 0) {
			t.Fatalf("docIDs %d of %d, frequencies %d", docs, n, freqs)
		}
		for i := range docs[1:] {
			if docs[i] >= docs[i+1] {
				t.Fatalf("docIDs %d", docs)
			}
		}
	})
}
