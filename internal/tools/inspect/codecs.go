package inspect

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/codec/choose"
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

// Text prints s.
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

// Taken returns the choices of codecs that auto takes at all, those for the most postings first.
func (t CodecTable) Taken() []Choice {
	all := slices.DeleteFunc(slices.Clone(t.Choices), func(c Choice) bool { return c.Lists == 0 })
	slices.SortFunc(all, func(a, b Choice) int { return cmp.Compare(b.Postings, a.Postings) })
	return all
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
