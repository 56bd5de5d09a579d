package compact

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/pinion-index/pinion/internal/segment/layout"
)

type posting struct{ doc, tf uint32 }

func split(ps []posting) (docs, freqs []uint32) {
	for _, p := range ps {
		docs, freqs = append(docs, p.doc), append(freqs, p.tf)
	}
	return docs, freqs
}

// smallLists draws compact lists with lengths distributed as in text: many are short.
func smallLists(r *rand.Rand, docs int) (lists [][]posting, postings int) {
	for range 2000 {
		n := min(max(2, int(2*r.ExpFloat64()*r.ExpFloat64()*4)), 127)
		ps := randomPostings(r, n, docs, 3)
		lists, postings = append(lists, ps), postings+n
	}
	return lists, postings
}

// randomPostings draws n postings; one frequency in every is above 1.
func randomPostings(r *rand.Rand, n, docs, every int) []posting {
	seen := map[uint32]bool{}
	var ps []posting
	for len(ps) < n {
		if d := uint32(r.IntN(docs)); !seen[d] {
			seen[d] = true
			tf := uint32(1)
			for r.IntN(every) == 0 {
				tf++
			}
			ps = append(ps, posting{d, tf})
		}
	}
	sort.Slice(ps, func(i, j int) bool { return ps[i].doc < ps[j].doc })
	return ps
}

func BenchmarkCompact(b *testing.B) {
	const docs = 300_000
	lists, postings := smallLists(rand.New(rand.NewPCG(1, 2)), docs)
	var encoded [][]byte
	var ns []int
	var room [Room]byte
	for _, ps := range lists {
		d, f := split(ps)
		e := slices.Clone(Encode(&room, d, f, docs))
		encoded = append(encoded, append(e, make([]byte, 16)...)[:len(e)])
		ns = append(ns, len(ps))
	}
	for _, n := range []int{3, 10, 100} {
		b.Run(fmt.Sprint("decode-", n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			var encoded [][]byte
			for range 300 {
				d, f := split(randomPostings(r, n, docs, 3))
				e := slices.Clone(Encode(&room, d, f, docs))
				encoded = append(encoded, append(e, make([]byte, 16)...)[:len(e)])
			}
			var u [layout.MinExtent]uint32
			var f [layout.MinExtent]uint32
			for b.Loop() {
				for _, e := range encoded {
					if !Decode(u[:n], f[:n], e, docs, 0) {
						b.Fatal("malformed")
					}
				}
			}
			perPosting(b, n*len(encoded))
		})
	}
	b.Run("decode", func(b *testing.B) {
		var u [layout.MinExtent]uint32
		var f [layout.MinExtent]uint32
		for b.Loop() {
			for i, e := range encoded {
				if !Decode(u[:ns[i]], f[:ns[i]], e, docs, 0) {
					b.Fatal("malformed")
				}
			}
		}
		perPosting(b, postings)
	})
	b.Run("encode", func(b *testing.B) {
		var ds, fs [][]uint32
		for _, ps := range lists {
			d, f := split(ps)
			ds, fs = append(ds, d), append(fs, f)
		}
		for b.Loop() {
			for i, d := range ds {
				Encode(&room, d, fs[i], docs)
			}
		}
		perPosting(b, postings)
	})
}

func perPosting(b *testing.B, postings int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(postings), "ns/posting")
}
