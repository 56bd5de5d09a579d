package idxinspect

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/segment"
)

// Lists is what `idxinspect list` prints: the lists of a term.
type Lists struct {
	Term  cli.Text   `json:"term"`
	DF    uint64     `json:"df"`
	Lists []ListInfo `json:"lists"`
}

// ListInfo is the list of a term in one segment.
type ListInfo struct {
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
	Bound       []Pair       `json:"bound,omitempty"`
	Regression  *Regression  `json:"linear_regression,omitempty"`
	Linearity   *Linearity   `json:"linearity,omitempty"`
	Hash        *HashBuckets `json:"hash_buckets,omitempty"`
	Kth         []KthImpact  `json:"kth_impacts,omitempty"`
	Parts       []ListPart   `json:"parts,omitempty"`
}

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

func listCommand() *cobra.Command {
	var field string
	cmd := command("list INDEX TERM", "Show the posting list of a term and its metadata", "",
		"  idxinspect list kjv.idx the\n  idxinspect list --json kjv.idx shepherd",
		[]string{"INDEX", "TERM"}, func(_ *cobra.Command, args []string) (report, error) {
			out := &Lists{Term: cli.Text(args[1])}
			err := eachList(args[0], field, args[1], func(g *seg, l *segment.List) error {
				out.DF += uint64(l.N)
				i := listInfo(g, l)
				if i.ChecksumOK != nil && *i.ChecksumOK {
					var err error
					if i.Linearity, err = linearity(l); err != nil {
						return err
					}
				}
				out.Lists = append(out.Lists, i)
				return nil
			})
			if err != nil {
				return nil, err
			}
			for _, l := range out.Lists {
				if l.ChecksumOK != nil && !*l.ChecksumOK {
					return out, errDamaged
				}
			}
			return out, nil
		})
	fieldFlag(cmd, &field)
	return cmd
}

// errDamaged ends a command whose report shows the damage.
var errDamaged = errors.New("damage found")

// eachList calls f with the lists of a term in a field. It is an error if no segment has the term.
func eachList(path, field, term string, f func(g *seg, l *segment.List) error) error {
	return withIndex(path, func(x *index) error {
		if err := x.choose(field); err != nil {
			return err
		}
		return x.eachList(term, f)
	})
}

func (x *index) eachList(term string, f func(g *seg, l *segment.List) error) error {
	found := false
	for _, g := range x.segs {
		e, ok, err := x.lookup(g, []byte(term))
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		found = true
		l, err := g.Lists().List(e)
		if err == nil {
			err = f(g, l)
		}
		if err != nil {
			return format.Locate(err, format.Place{List: term, Block: format.NoBlock})
		}
	}
	if !found {
		return x.noTerm(term)
	}
	return nil
}

// noTerm returns the error that no segment has term. It names the term that the
// index's analyzer makes of it.
func (x *index) noTerm(term string) error {
	msg := fmt.Sprintf("no term %s", cli.Quote(term))
	a, err := analysis.New(x.analyzer())
	if err != nil {
		return errors.New(msg)
	}
	if terms := analysis.Terms(a.Tokenizer(), []byte(term)); len(terms) == 1 && string(terms[0]) != term {
		msg += fmt.Sprintf("; the index's analyzer (%s) makes %s of it", a.Name(), cli.Quote(string(terms[0])))
	}
	return errors.New(msg)
}

func listInfo(g *seg, l *segment.List) ListInfo {
	e := l.Entry()
	i := ListInfo{File: g.file, Form: l.Kind.String(), Postings: l.N, First: l.First, Last: l.Last(l.Blocks - 1), Bytes: int64(e.Length)}
	if l.Kind == segment.KindCompact {
		i.Offset = sectionOffset(g, format.SectionTerms) + e.Offset
	}
	if l.Kind != segment.KindExtent {
		return i
	}
	ok := l.VerifyChecksum() == nil
	i.ChecksumOK = &ok
	i.Bytes = int64(len(l.Extent()))
	i.Offset = sectionOffset(g, format.SectionPostings) + e.Offset
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

func sectionOffset(g *seg, id format.SectionID) int64 {
	s, _ := g.Header().Section(id)
	return s.Offset
}

// pairs returns the different pairs of a quad.
func pairs(q format.Quad) []Pair {
	var out []Pair
	for i := range 4 {
		tf, dl := q.Pair(i)
		if p := (Pair{tf, dl}); i == 0 || p != out[len(out)-1] {
			out = append(out, p)
		}
	}
	return out
}

// pairText prints pairs as tf/length, which reads as a density.
func pairText(ps []Pair) string {
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

func (l *Lists) text(w io.Writer) {
	fmt.Fprintf(w, "term %s: %s\n", cli.Quote(l.Term), cli.Number(l.DF, "posting"))
	for i := range l.Lists {
		fmt.Fprintln(w)
		l.Lists[i].text(w)
	}
}

func (i *ListInfo) text(w io.Writer) {
	t := cli.NewTable("", "")
	t.Row("segment", i.File)
	t.Row("form", i.Form)
	if i.Postings == 1 {
		t.Row("posting", fmt.Sprintf("document %s", cli.Count(i.First)))
	} else {
		t.Row("postings", fmt.Sprintf("%s, documents %s to %s", cli.Count(i.Postings), cli.Count(i.First), cli.Count(i.Last)))
	}
	if i.Form == segment.KindCompact.String() {
		t.Row("bits", fmt.Sprintf("%s at %s of the file, %s bits a posting", cli.Number(i.Bytes, "byte"), cli.Count(i.Offset), perPosting(i.Bytes, i.Postings)))
	}
	if i.Parts == nil {
		t.WriteTo(w)
		return
	}
	t.Row("extent", fmt.Sprintf("%s at %s of the file, %s bits a posting", cli.Number(i.Bytes, "byte"), cli.Count(i.Offset), perPosting(i.Bytes, i.Postings)))
	t.Row("checksum", map[bool]string{true: "ok", false: "DAMAGED"}[*i.ChecksumOK])
	t.Row("blocks", fmt.Sprintf("%s of %d", cli.Count(i.Blocks), i.BlockLength))
	t.Row("codecs", fmt.Sprintf("docIDs %s, frequencies %s", i.DocsCodec, i.FreqsCodec))
	t.Row("bound", "no posting beats tf/length "+pairText(i.Bound))
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
		t.Row(p.Name, p.Offset, p.Length, cli.Percent(p.Length, i.Bytes), perPosting(p.Length, i.Postings))
	}
	t.WriteTo(w)
}

// perPosting prints bytes as bits per posting.
func perPosting[T ~int | ~uint64](bytes int64, postings T) string {
	if postings == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", 8*float64(bytes)/float64(postings))
}
