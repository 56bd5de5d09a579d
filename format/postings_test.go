package format

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Postings that grow in pieces are those that were appended, whole and in slices.
func TestPostings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := rapid.SliceOfN(rapid.Uint32(), 0, 50).Draw(t, "docs")
		freqs := rapid.SliceOfN(rapid.Uint32(), len(docs), len(docs)).Draw(t, "freqs")
		all, got := Postings{docs, freqs}, Postings{}
		for got.Len() < all.Len() {
			at := got.Len()
			to := rapid.IntRange(at, all.Len()).Draw(t, "to")
			switch rapid.IntRange(0, 2).Draw(t, "how") {
			case 0:
				got = got.Append(all.Slice(at, to))
			case 1:
				got = got.AppendPosting(docs[at], freqs[at])
			case 2:
				got = got.Grow(to-at).Slice(0, to)
				copy(got.Docs[at:], docs[at:])
				copy(got.Freqs[at:], freqs[at:])
			}
		}
		if !slices.Equal(got.Docs, docs) || !slices.Equal(got.Freqs, freqs) {
			t.Fatalf("got %v, want %v", got, all)
		}
		if p := MakePostings(all.Len()); p.Len() != len(docs) || len(p.Freqs) != len(docs) {
			t.Fatalf("made %d docIDs and %d frequencies", p.Len(), len(p.Freqs))
		}
	})
}
