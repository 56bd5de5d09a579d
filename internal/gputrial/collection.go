package gputrial

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/choose"
	"github.com/pinion-index/pinion/internal/codec/ef"
	"github.com/pinion-index/pinion/internal/codec/newpfd"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/codec/seglrc"
	"github.com/pinion-index/pinion/internal/codec/vbyte128"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/segment"
)

// Shape describes a collection.
type Shape struct {
	Docs       int     // documents per segment
	Segments   int     // at least 1
	Terms      int     // lists per segment
	MaxDF      float64 // share of the documents with the most frequent term
	MinDF      int     // of the rarest
	Clustered  bool    // docIDs of a list come in runs
	DocsCodec  string  // docs codec, by name; Mixed: different codecs
	FreqsCodec string
	OwnLengths bool // frequencies add up to the lengths of the documents, and META says so
	Seed       uint64
}

// Part is one segment of a collection.
type Part struct {
	Segment *segment.Segment
	Bytes   []byte
	Base    uint32
	Lens    []uint32
	Lists   []format.Postings // by term number; empty where the term does not occur
}

// Collection is a synthetic collection.
type Collection struct {
	Shape Shape
	Parts []Part
}

// Term returns the bytes of a term's number.
func Term(i int) []byte { return fmt.Appendf(nil, "t%06d", i) }

// New makes a collection. keep says whether postings are kept for Answer.
func New(s Shape, keep bool) (*Collection, error) {
	c := &Collection{Shape: s}
	r := rand.New(rand.NewPCG(s.Seed, 17))
	base := 0
	for range s.Segments {
		docs := s.Docs
		if s.Segments > 1 {
			docs = s.Docs/2 + r.IntN(s.Docs/2+1)
		}
		p, err := s.part(r, docs)
		if err != nil {
			return nil, err
		}
		p.Base = uint32(base)
		base += docs
		if !keep {
			p.Lists = nil
		}
		c.Parts = append(c.Parts, *p)
	}
	return c, nil
}

// df returns the document frequency of term i, which decreases geometrically from MaxDF
// to MinDF.
func (s Shape) df(r *rand.Rand, i, docs int) int {
	hi, lo := s.MaxDF*float64(docs), float64(s.MinDF)
	f := float64(i) / float64(max(s.Terms-1, 1))
	n := int(hi * math.Pow(lo/hi, f))
	if s.Segments > 1 && r.IntN(8) == 0 {
		n = r.IntN(n + 1)
	}
	return min(max(n, 0), docs)
}

func (s Shape) part(r *rand.Rand, docs int) (*Part, error) {
	p := &Part{Lens: make([]uint32, docs), Lists: make([]format.Postings, s.Terms)}
	for i := range p.Lists {
		p.Lists[i] = s.list(r, docs, s.df(r, i, docs))
		for j, d := range p.Lists[i].Docs {
			p.Lens[d] += p.Lists[i].Freqs[j]
		}
	}
	return p, s.build(p)
}

// list draws n of docs documents and their frequencies.
func (s Shape) list(r *rand.Rand, docs, n int) format.Postings {
	l := format.MakePostings(n).Slice(0, 0)
	add := func(d uint32) {
		f := uint32(1)
		for r.IntN(3) == 0 && f < 60 {
			f++
		}
		if r.IntN(2000) == 0 {
			f += r.Uint32N(5000)
		}
		l = l.AppendPosting(d, f)
	}
	left, run := n, 0
	for d := 0; d < docs && left > 0; d++ {
		if s.Clustered && run == 0 {
			// Skip ahead to the next run; runs are half full.
			if gap := (docs - d) / max(left/48, 1); gap > 96 {
				d += r.IntN(2 * (gap - 96))
			}
			run = 96
			if d >= docs || docs-d <= left {
				d = min(d, docs-left)
			}
		}
		take := r.IntN(docs-d) < left
		if s.Clustered {
			run--
			take = r.IntN(2) == 0 || docs-d <= left
		}
		if take {
			add(uint32(d))
			left--
		}
	}
	return l
}

type memory struct{ b []byte }

func (m *memory) WriteAt(p []byte, off int64) (int, error) {
	if end := int(off) + len(p); end > len(m.b) {
		if end > cap(m.b) {
			m.b = slices.Grow(m.b, max(end-len(m.b), len(m.b)/2))
		}
		m.b = m.b[:end]
	}
	return copy(m.b[off:], p), nil
}

func (s Shape) build(p *Part) error {
	var policy choose.Policy
	if s.DocsCodec == Mixed {
		s.DocsCodec, s.FreqsCodec, policy = "bp128", "bp128", mixer{}
	}
	dc, ok1 := registry.ByName(s.DocsCodec)
	fc, ok2 := registry.ByName(s.FreqsCodec)
	if !ok1 || !ok2 {
		return fmt.Errorf("gputrial: no codec %q or %q", s.DocsCodec, s.FreqsCodec)
	}
	b, err := write(p.Lens, !s.OwnLengths, dc, fc, policy, func(add func(term []byte, p format.Postings) error) error {
		for i, l := range p.Lists {
			if l.Len() == 0 {
				continue
			}
			if err := add(Term(i), l); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.Bytes = b
	p.Segment, err = segment.Open("gputrial", segment.Bytes(b))
	return err
}

// Mixed, used as a codec name, gives lists of bp128, vbyte128, newpfd, ef and seglrc.
const Mixed = "mixed"

// mixer chooses codecs by the content of a list, independently for docIDs and
// frequencies.
type mixer struct{}

var mix = [...]codec.BlockCodec{bp128.Codec{}, newpfd.Codec{}, ef.Codec{}, vbyte128.Codec{}, seglrc.Codec{}}

// Docs returns a codec of mix.
func (mixer) Docs(docs []uint32) (codec.BlockCodec, error) {
	return mix[(docs[0]+docs[len(docs)-1])%uint32(len(mix))], nil
}

// Freqs returns a codec of mix.
func (mixer) Freqs(freqs []uint32) (codec.BlockCodec, error) {
	return mix[(len(freqs)+int(freqs[len(freqs)/2]))%len(mix)], nil
}

// Keeps reports true: nothing is merged.
func (mixer) Keeps(docs, freqs codec.Codec) bool { return true }

// write writes a segment of lists, in the order of their terms, to aligned memory.
func write(lens []uint32, foreign bool, docs, freqs codec.Codec, policy choose.Policy, lists func(add func(term []byte, p format.Postings) error) error) ([]byte, error) {
	m := new(memory)
	b, err := build.New(format.NewFileWriter(m, format.KindSegment, format.ID{1}), build.Options{
		Docs: uint32(len(lens)), Lengths: []segment.LengthTable{segment.NewLengthTable(lens)}, Analyzer: "none", ForeignLengths: foreign,
		DocsCodec: docs, FreqsCodec: freqs, Choose: policy})
	if err != nil {
		return nil, err
	}
	for i := range lens {
		if err := b.AddDoc(fmt.Appendf(nil, "%09d", i), nil); err != nil {
			return nil, err
		}
	}
	if err := lists(b.AddList); err != nil {
		return nil, err
	}
	if _, err := b.Finish(); err != nil {
		return nil, err
	}
	return segment.Aligned(m.b), nil
}

// Codecs returns the names of the codecs that kernels decode.
func Codecs() []string {
	return []string{"bp128", "vbyte128", "bp256", "vbyte1024", "rice", "pfordelta", "newpfd", "parapfor", "lrc", "lrcseg",
		"seglrc", "hslrc", "ef"}
}
