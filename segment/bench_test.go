package segment

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/pinion-index/pinion/format"
)

// benchSegment is a segment with 200,000 terms of one posting.
func benchSegment(b *testing.B) (*Segment, [][]byte) {
	r := rand.New(rand.NewPCG(1, 2))
	m := &model{lists: map[string][]posting{}, lens: make([]uint32, 1000)}
	for i := range m.lens {
		m.ids = append(m.ids, fmt.Sprintf("document-%d", i))
	}
	for len(m.lists) < 200_000 {
		term := make([]byte, 3+r.IntN(8))
		for i := range term {
			term[i] = "etaoinshrdlu"[min(r.IntN(12), r.IntN(12))]
		}
		if len(m.lists[string(term)]) == 0 {
			m.addList(string(term), []posting{{uint32(r.IntN(1000)), 1}})
		}
	}
	var terms [][]byte
	for t := range m.lists {
		terms = append(terms, []byte(t))
	}
	sort.Slice(terms, func(i, j int) bool { return string(terms[i]) < string(terms[j]) })
	r.Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
	return mustOpen(b, m.build(b, defaultBuild())), terms
}

func BenchmarkLookup(b *testing.B) {
	s, terms := benchSegment(b)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, ok, err := s.Lookup(terms[i]); !ok || err != nil {
			b.Fatal(err)
		}
		if i++; i == len(terms) {
			i = 0
		}
	}
}

func BenchmarkFindID(b *testing.B) {
	s, _ := benchSegment(b)
	b.ReportAllocs()
	i := 0
	id := []byte("document-0")
	for b.Loop() {
		id = fmt.Appendf(id[:0], "document-%d", i%1000)
		i += 7
		if _, ok, err := s.FindID(id); !ok || err != nil {
			b.Fatal(err)
		}
	}
}

// smallLists draws compact lists whose lengths are spread as in text: many short.
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
	var room [compactRoom]byte
	for _, ps := range lists {
		d, f := split(ps)
		e := slices.Clone(encodeCompact(&room, d, f, docs))
		encoded = append(encoded, append(e, make([]byte, 16)...)[:len(e)])
		ns = append(ns, len(ps))
	}
	for _, n := range []int{3, 10, 100} {
		b.Run(fmt.Sprint("decode-", n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			var encoded [][]byte
			for range 300 {
				d, f := split(randomPostings(r, n, docs, 3))
				e := slices.Clone(encodeCompact(&room, d, f, docs))
				encoded = append(encoded, append(e, make([]byte, 16)...)[:len(e)])
			}
			var u [minExtent]uint32
			var f [minExtent]uint32
			for b.Loop() {
				for _, e := range encoded {
					if !decodeCompact(u[:n], f[:n], e, docs, 0) {
						b.Fatal("malformed")
					}
				}
			}
			perPosting(b, n*len(encoded))
		})
	}
	b.Run("decode", func(b *testing.B) {
		var u [minExtent]uint32
		var f [minExtent]uint32
		for b.Loop() {
			for i, e := range encoded {
				if !decodeCompact(u[:ns[i]], f[:ns[i]], e, docs, 0) {
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
				encodeCompact(&room, d, fs[i], docs)
			}
		}
		perPosting(b, postings)
	})
}

func perPosting(b *testing.B, postings int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(postings), "ns/posting")
}

// longList draws n postings with frequencies and lengths as in text.
func longList(n int) (docs, freqs []uint32, lens Lengths) {
	r := rand.New(rand.NewPCG(3, 4))
	d := uint32(0)
	for range n {
		d += 1 + uint32(r.ExpFloat64()*9)
		tf := uint32(1)
		for r.IntN(3) == 0 {
			tf++
		}
		docs, freqs = append(docs, d), append(freqs, tf)
	}
	lens = make(Lengths, d+1)
	for i := range lens {
		lens[i] = uint32(20 + r.ExpFloat64()*60)
	}
	return docs, freqs, lens
}

func BenchmarkFrontier(b *testing.B) {
	const n = 128 * 400
	docs, freqs, lens := longList(n)
	dl := make([]uint32, n)
	lens.GatherLengths(dl, docs)
	f := format.NewFrontier(format.NewImpactModel(80))
	for b.Loop() {
		for i := 0; i < n; i += 128 {
			f.Add(freqs[i:i+128], dl[i:i+128])
			f.Quad()
		}
	}
	perPosting(b, n)
}

func BenchmarkKth(b *testing.B) {
	const n = 128 * 400
	docs, freqs, lens := longList(n)
	dl := make([]uint32, n)
	lens.GatherLengths(dl, docs)
	var k format.KthCounter
	model := format.NewImpactModel(80)
	for b.Loop() {
		for i := 0; i < n; i += 128 {
			k.Add(freqs[i:i+128], dl[i:i+128])
		}
		k.Take(model)
	}
	perPosting(b, n)
}

func BenchmarkEncodeExtent(b *testing.B) {
	for _, n := range []int{200, 2000, 50_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			docs, freqs, lens := longList(n)
			o := BuilderOptions{Docs: uint32(len(lens)), Lengths: lens, DocsCodec: codecNamed("bp128"), FreqsCodec: codecNamed("bp128")}
			e := newListEncoder(&o, format.NewImpactModel(80))
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if _, buf, err = e.Encode(buf[:0], docs, freqs); err != nil {
					b.Fatal(err)
				}
			}
			perPosting(b, n)
		})
	}
}
