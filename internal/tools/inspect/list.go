package inspect

import (
	"fmt"
	"io"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/segment"
)

// Lists is what `idxinspect list` prints: the lists of a term.
type Lists struct {
	Term  cli.Text `json:"term"`
	DF    uint64   `json:"df"`
	Lists []List   `json:"lists"`
}

// List is the list of a term in one segment.
type List struct {
	File        string       `json:"file"`
	Form        string       `json:"form"`
	Postings    int          `json:"postings"`
	First       uint32       `json:"first"`
	Last        uint32       `json:"last"`
	Bytes       int64        `json:"bytes"`
	Offset      int64        `json:"file_offset,omitempty"`
	ChecksumOK  *bool        `json:"checksum_ok,omitempty"`
	Blocks      int          `json:"blocks,omitempty"`
	BlockLength int          `json:"block_length,omitempty"`
	DocsCodec   string       `json:"docs_codec,omitempty"`
	FreqsCodec  string       `json:"freqs_codec,omitempty"`
	Bound       Pairs        `json:"bound,omitempty"`
	Regression  *Regression  `json:"linear_regression,omitempty"`
	Linearity   *Linearity   `json:"linearity,omitempty"`
	Hash        *HashBuckets `json:"hash_buckets,omitempty"`
	Kth         []KthImpact  `json:"kth_impacts,omitempty"`
	Parts       []ListPart   `json:"parts,omitempty"`
}

// Pairs bound postings by the pairs of a quad that differ.
type Pairs []Pair

// Pair bounds postings: none has a frequency above TF in a document of at most Len
// tokens.
type Pair struct {
	TF  uint32 `json:"tf"`
	Len uint32 `json:"length"`
}

// Regression predicts positions: est(x) = x*Slope + Base.
type Regression struct {
	Slope float64 `json:"slope"`
	Base  float64 `json:"base"`
	Left  uint32  `json:"left"`
	Right uint32  `json:"right"`
}

// HashBuckets are buckets of docIDs by their high bits.
type HashBuckets struct {
	Buckets int `json:"buckets"`
	Width   int `json:"width"`
}

// KthImpact says that K postings have a frequency of at least TF in documents of at
// most Len tokens.
type KthImpact struct {
	K   int    `json:"k"`
	TF  uint32 `json:"tf"`
	Len uint32 `json:"length"`
}

// ListPart is one part of an extent.
type ListPart struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
}

// ListOf describes a list of a segment by its headers.
func ListOf(g *Segment, l *segment.List) List {
	e := l.Entry()
	i := List{File: g.File, Form: l.Kind.String(), Postings: l.N, First: l.First, Last: l.Last(l.Blocks - 1), Bytes: int64(e.Length)}
	if l.Kind == segment.KindCompact {
		i.Offset = g.Offset(format.SectionTerms) + e.Offset
	}
	if l.Kind != segment.KindExtent {
		return i
	}
	i.Bytes = int64(len(l.Extent()))
	i.Offset = g.Offset(format.SectionPostings) + e.Offset
	i.Blocks, i.BlockLength = l.Blocks, l.BlockLen
	i.DocsCodec, i.FreqsCodec = l.Codecs()
	i.Bound = pairs(l.Bound(l.Quad))
	if l.HasLR {
		i.Regression = &Regression{
			Slope: float64(l.LR.Inv) / (1 << 32), Base: float64(l.LR.Base) / (1 << 32),
			Left: l.LR.Left, Right: l.LR.Right,
		}
	}
	if l.HasHash {
		i.Hash = &HashBuckets{Buckets: len(l.Hash.Start) - 1, Width: 1 << l.Hash.Shift}
	}
	for k, v := range l.Kth {
		if tf, dl, ok := v.Pair(); l.HasKth && ok {
			i.Kth = append(i.Kth, KthImpact{format.KthValues()[k], tf, dl})
		}
	}
	for _, p := range l.Layout() {
		i.Parts = append(i.Parts, ListPart(p))
	}
	return i
}

// Check reads all of the list that i describes: it compares its checksum and, if that holds, fits a line.
func (i *List) Check(l *segment.List) (err error) {
	if l.Kind != segment.KindExtent {
		return nil
	}
	ok := l.VerifyChecksum() == nil
	i.ChecksumOK = &ok
	if ok {
		i.Linearity, err = FitLine(l)
	}
	return err
}

// Offset returns where a section begins in the file.
func (g *Segment) Offset(id format.SectionID) int64 {
	s, _ := g.Header().Section(id)
	return s.Offset
}

// pairs returns the different pairs of a quad.
func pairs(q format.Quad) Pairs {
	var out Pairs
	for i := range 4 {
		tf, dl := q.Pair(i)
		if p := (Pair{tf, dl}); i == 0 || p != out[len(out)-1] {
			out = append(out, p)
		}
	}
	return out
}

// String returns pairs as tf/length, which reads as a density.
func (ps Pairs) String() string {
	s := ""
	for i, p := range ps {
		if i > 0 {
			s += " "
		}
		if p.TF == format.InfiniteTF {
			s += fmt.Sprintf("inf/%d", p.Len)
		} else {
			s += fmt.Sprintf("%d/%d", p.TF, p.Len)
		}
	}
	return s
}

// Text prints l.
func (l *Lists) Text(w io.Writer) {
	fmt.Fprintf(w, "term %s: %s\n", cli.Quote(l.Term), cli.Number(l.DF, "posting"))
	for i := range l.Lists {
		fmt.Fprintln(w)
		l.Lists[i].text(w)
	}
}

func (i *List) text(w io.Writer) {
	t := cli.NewTable("", "")
	t.Row("segment", i.File)
	t.Row("form", i.Form)
	if i.Postings == 1 {
		t.Row("posting", fmt.Sprintf("document %s", cli.Count(i.First)))
	} else {
		t.Row("postings", fmt.Sprintf("%s, documents %s to %s", cli.Count(i.Postings), cli.Count(i.First), cli.Count(i.Last)))
	}
	if i.Form == segment.KindCompact.String() {
		t.Row("bits", fmt.Sprintf("%s at %s of the file, %s bits a posting", cli.Number(i.Bytes, "byte"), cli.Count(i.Offset), PerPosting(i.Bytes, i.Postings)))
	}
	if i.Parts == nil {
		t.WriteTo(w)
		return
	}
	t.Row("extent", fmt.Sprintf("%s at %s of the file, %s bits a posting", cli.Number(i.Bytes, "byte"), cli.Count(i.Offset), PerPosting(i.Bytes, i.Postings)))
	t.Row("checksum", map[bool]string{true: "ok", false: "DAMAGED"}[*i.ChecksumOK])
	t.Row("blocks", fmt.Sprintf("%s of %d", cli.Count(i.Blocks), i.BlockLength))
	t.Row("codecs", fmt.Sprintf("docIDs %s, frequencies %s", i.DocsCodec, i.FreqsCodec))
	t.Row("bound", "no posting beats tf/length "+i.Bound.String())
	if r := i.Regression; r != nil {
		t.Row("regression", fmt.Sprintf("position = %s * docID + %s, at most %s left and %s right of it",
			cli.Float(r.Slope, 4), cli.Float(r.Base, 4), cli.Count(r.Left), cli.Count(r.Right)))
	}
	if f := i.Linearity; f != nil {
		t.Row("linearity", fmt.Sprintf("contraction ratio %s, R² %s", cli.Float(f.Contraction, 4), cli.Float(f.R2, 4)))
	}
	if h := i.Hash; h != nil {
		t.Row("hash buckets", fmt.Sprintf("%s of %s docIDs", cli.Count(h.Buckets), cli.Count(h.Width)))
	}
	for _, k := range i.Kth {
		t.Row("k-th impact", fmt.Sprintf("%s postings have tf >= %s in <= %s tokens", cli.Count(k.K), cli.Count(k.TF), cli.Count(k.Len)))
	}
	t.WriteTo(w)
	fmt.Fprintln(w)
	t = cli.NewTable("part", ">offset", ">bytes", ">share", ">bits/posting")
	for _, p := range i.Parts {
		t.Row(p.Name, p.Offset, p.Length, cli.Percent(p.Length, i.Bytes), PerPosting(p.Length, i.Postings))
	}
	t.WriteTo(w)
}

// PerPosting prints bytes as bits per posting.
func PerPosting[T ~int | ~uint64](bytes int64, postings T) string {
	if postings == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", 8*float64(bytes)/float64(postings))
}
