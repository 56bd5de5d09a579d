package idxinspect

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/codec/choose"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/segment"
)

// CodecSizes is what `idxinspect sizes --codec` prints: what the lists that have a
// codec would need in others. Measurements are of the lists in the sample.
type CodecSizes struct {
	Term          cli.Text   `json:"term,omitempty"`
	Lists         int        `json:"lists"`
	Postings      uint64     `json:"postings"`
	ShortLists    int        `json:"lists_without_codec"`
	ShortPostings uint64     `json:"postings_without_codec"`
	Sampled       int        `json:"sampled_lists"`
	SampledPost   uint64     `json:"sampled_postings"`
	Seed          uint64     `json:"seed"`
	NanosPerByte  float64    `json:"model_ns_per_byte"`
	Docs          CodecTable `json:"docs"`
	Freqs         CodecTable `json:"freqs"`
}

// CodecTable is one side of the lists.
type CodecTable struct {
	Codecs  []CodecSize `json:"codecs"` // the cheapest first
	Auto    CodecSize   `json:"auto"`   // each list in the codec that auto chooses; encoding includes choosing
	Choices []Choice    `json:"auto_choices"`
}

// CodecSize is what one codec needs. Times are in nanoseconds a posting.
type CodecSize struct {
	Codec     string  `json:"codec"`
	Candidate bool    `json:"candidate"` // auto may take it
	InIndex   int     `json:"lists_in_index"`
	Bytes     int64   `json:"bytes"` // payload and block endpoints
	Bits      float64 `json:"bits_per_posting"`
	DecodeNS  float64 `json:"decode_ns"` // measured
	EncodeNS  float64 `json:"encode_ns"` // measured
	Cost      Cost    `json:"model"`
}

// Cost is what auto's model computes, in nanoseconds per posting.
type Cost struct {
	BytesNS  float64 `json:"bytes_ns"`
	DecodeNS float64 `json:"decode_ns"`
}

func (c Cost) sum() float64 { return c.BytesNS + c.DecodeNS }

// Choice is a codec that auto chooses, and for how many lists. Costs are those of these
// lists in every candidate.
type Choice struct {
	Codec    string          `json:"codec"`
	Lists    int             `json:"lists"`
	Postings uint64          `json:"postings"`
	Costs    []CandidateCost `json:"costs"`
}

// CandidateCost is the cost of some lists in one candidate.
type CandidateCost struct {
	Codec string `json:"codec"`
	Cost
}

// codecFlags are the flags of `idxinspect sizes`.
type codecFlags struct {
	names      []string
	sample     int
	seed       uint64
	regression bool
	field      string // of the term
}

// sizes measures the lists of the index at path, or with term those of that term.
func (f *codecFlags) sizes(ctx context.Context, stderr io.Writer, path, term string) (*CodecSizes, error) {
	names := f.names
	if slices.Equal(names, []string{"all"}) {
		names = nil
	}
	codecs, err := codecbench.Codecs(names)
	if err != nil {
		return nil, err
	}
	s := &CodecSizes{Term: cli.Text(term), Seed: f.seed, NanosPerByte: choose.Default().NanosPerByte}
	m := newCodecMeter(codecs)
	if term != "" {
		err = s.term(ctx, m, path, f.field)
	} else {
		err = inspect.With(path, func(x *inspect.Index) error { return s.all(ctx, stderr, m, x, f.sample) })
	}
	if err == nil {
		err = m.flush(ctx)
	}
	if err != nil {
		return nil, err
	}
	s.SampledPost = m.done
	s.Docs, s.Freqs = m.docs.table(m.done), m.freqs.table(m.done)
	return s, nil
}

// term measures the lists of one term.
func (s *CodecSizes) term(ctx context.Context, m *codecMeter, path, field string) error {
	err := withLists(path, field, string(s.Term), func(_ *inspect.Segment, l *segment.List) error {
		if l.Kind != segment.KindExtent {
			s.ShortLists++
			s.ShortPostings += uint64(l.N)
			return nil
		}
		s.Lists++
		s.Postings += uint64(l.N)
		s.Sampled++
		return m.list(ctx, l)
	})
	if err == nil && s.Sampled == 0 {
		return fmt.Errorf("the list of %s has no codec: with %s it is kept in the dictionary", cli.Quote(s.Term), cli.Number(s.ShortPostings, "posting"))
	}
	return err
}

// all measures the lists of an index, or a sample of them.
func (s *CodecSizes) all(ctx context.Context, stderr io.Writer, m *codecMeter, x *inspect.Index, sample int) error {
	extents := func(f func(g *inspect.Segment, it *segment.TermIterator) error) error {
		for _, g := range x.Segs {
			it := g.Lists().Terms()
			for it.Next() {
				if err := f(g, it); err != nil {
					return err
				}
			}
			if err := it.Err(); err != nil {
				return err
			}
		}
		return nil
	}
	err := extents(func(_ *inspect.Segment, it *segment.TermIterator) error {
		e := it.Entry()
		if e.Kind == segment.KindExtent {
			s.Lists++
			s.Postings += uint64(e.DF)
		} else {
			s.ShortLists++
			s.ShortPostings += uint64(e.DF)
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	drawn := draw(s.Seed, sample, s.Lists)
	p := cli.NewProgress(stderr, "measure", int64(s.Lists), cli.ItemRate("lists"))
	defer p.Stop()
	var l segment.List
	at := -1
	return extents(func(g *inspect.Segment, it *segment.TermIterator) error {
		e := it.Entry()
		if e.Kind != segment.KindExtent {
			return nil
		}
		at++
		p.Set(int64(at))
		if drawn != nil {
			if _, ok := slices.BinarySearch(drawn, at); !ok {
				return nil
			}
		}
		s.Sampled++
		err := g.Lists().Init(&l, e)
		if err == nil {
			err = m.list(ctx, &l)
		}
		if err != nil && ctx.Err() == nil {
			err = format.Locate(err, format.Place{List: string(it.Term()), Block: format.NoBlock})
		}
		return err
	})
}

// draw returns k different numbers below n in ascending order, every set with the same
// probability. It returns nil, for all numbers, if k is 0 or not below n.
func draw(seed uint64, k, n int) []int {
	if k == 0 || k >= n {
		return nil
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	in := make(map[int]bool, k)
	for i := n - k; i < n; i++ { // Floyd's algorithm
		if j := rng.IntN(i + 1); in[j] {
			in[i] = true
		} else {
			in[j] = true
		}
	}
	return slices.Sorted(maps.Keys(in))
}

func (s *CodecSizes) Text(w io.Writer) {
	if s.Term == "" {
		fmt.Fprintf(w, "%s (%s) with a codec, %s shorter ones (%s) without.\n", cli.Number(s.Lists, "list"),
			cli.Number(s.Postings, "posting"), cli.Count(s.ShortLists), cli.Number(s.ShortPostings, "posting"))
	} else {
		fmt.Fprintf(w, "term %s: %s\n", cli.Quote(s.Term), cli.Number(s.Postings, "posting"))
	}
	if s.Sampled < s.Lists {
		fmt.Fprintf(w, "Measured: %s (%s) drawn at random with seed %d.\n", cli.Number(s.Sampled, "list"), cli.Number(s.SampledPost, "posting"), s.Seed)
	}
	if s.Sampled == 0 {
		return
	}
	fmt.Fprintf(w, "Bits include block endpoints. Cost is the model of auto: bytes at %s ns each and a "+
		"reckoned decode time; auto takes, list by list, the cheapest of the codecs with a star.\n", cli.Float(s.NanosPerByte, 2))
	s.Docs.text(w, "docIDs", s.Sampled, s.SampledPost)
	s.Freqs.text(w, "frequencies", s.Sampled, s.SampledPost)
}

func (t *CodecTable) text(w io.Writer, name string, lists int, postings uint64) {
	fmt.Fprintln(w)
	out := cli.NewTable(name, ">bits/posting", ">decode ns", ">encode ns", ">cost: bytes", ">+ decode", ">= ns", ">bytes", ">lists in index")
	for _, r := range append(slices.Clone(t.Codecs), t.Auto) {
		star, in := "", cli.Count(r.InIndex)
		if r.Candidate {
			star = " *"
		}
		if r.Codec == "auto" {
			in = ""
		}
		out.Row(r.Codec+star, fixed(r.Bits), fixed(r.DecodeNS), fixed(r.EncodeNS), fixed(r.Cost.BytesNS), fixed(r.Cost.DecodeNS), fixed(r.Cost.sum()), r.Bytes, in)
	}
	out.WriteTo(w)
	heads := []string{"auto takes", ">lists", ">share", ">postings", ">share"}
	for _, c := range choose.Default().Candidates {
		heads = append(heads, ">cost in "+c.ID().String())
	}
	fmt.Fprintln(w)
	out = cli.NewTable(heads...)
	for _, c := range t.Choices {
		if c.Lists == 0 {
			continue
		}
		row := []any{c.Codec, c.Lists, cli.Percent(c.Lists, lists), c.Postings, cli.Percent(c.Postings, postings)}
		for _, k := range c.Costs {
			row = append(row, fmt.Sprintf("%s + %s = %s", fixed(k.BytesNS), fixed(k.DecodeNS), fixed(k.sum())))
		}
		out.Row(row...)
	}
	out.WriteTo(w)
}

func fixed(v float64) string { return fmt.Sprintf("%.2f", v) }
