package idxinspect

import (
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/tools/internal/cli"
)

// Sizes is what `idxinspect sizes` prints: where the bytes of all segments go.
type Sizes struct {
	Segments  int      `json:"segments"`
	Documents uint64   `json:"documents"`
	Terms     uint64   `json:"terms"`
	Postings  uint64   `json:"postings"`
	Bytes     int64    `json:"bytes"`
	Sections  []Size   `json:"sections"`
	Forms     []Form   `json:"forms"`
	Parts     []Size   `json:"extent_parts"`
	Index     IndexSum `json:"index"`
}

// Size is the bytes of one thing.
type Size struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// Form counts the lists of one form.
type Form struct {
	Form     string `json:"form"`
	Lists    uint64 `json:"lists"`
	Postings uint64 `json:"postings"`
	Bytes    int64  `json:"bytes"`
}

// IndexSum is what an index of terms needs: postings, dictionary and document
// lengths, without external ids and stored text.
type IndexSum struct {
	Bytes int64 `json:"bytes"`
	Other int64 `json:"ids_and_text"`
}

func sizesCommand() *cobra.Command {
	return command("sizes INDEX", "Show where the bytes go",
		"Bytes of every section, of every form of list and of every part of the extents,\nsummed over the segments, with bits a posting.",
		"  idxinspect sizes kjv.idx",
		[]string{"INDEX"}, func(_ *cobra.Command, args []string) (report, error) {
			var s *Sizes
			err := withIndex(args[0], func(x *index) (err error) {
				s, err = measure(x)
				return err
			})
			if err != nil {
				return nil, err
			}
			return s, nil
		})
}

func measure(x *index) (*Sizes, error) {
	s := &Sizes{Segments: len(x.segs), Documents: x.docs()}
	for k := segment.KindSingleton; k <= segment.KindExtent; k++ {
		s.Forms = append(s.Forms, Form{Form: k.String()})
	}
	sections, parts := &sizeList{}, &sizeList{}
	for _, name := range extentParts {
		parts.add(name, 0)
	}
	for _, g := range x.segs {
		m := g.Meta()
		s.Terms += m.Terms
		s.Postings += m.Postings
		s.Bytes += g.size
		h := g.Header()
		sections.add("header and section table", format.PageSize)
		padding := int64(0)
		for _, e := range h.Sections {
			sections.add(e.ID.String(), e.Length)
			padding += e.PaddedLength() - e.Length
			switch e.ID {
			case format.SectionIDs, format.SectionIDIndex, format.SectionIDHash, format.SectionStored, format.SectionStoredIndex:
				s.Index.Other += e.Length
			}
		}
		sections.add("padding", padding)
		sections.add("footer", format.FooterSize)
		if err := s.lists(g, parts); err != nil {
			return nil, err
		}
	}
	s.Sections, s.Parts = sections.sizes, slices.DeleteFunc(parts.sizes, func(e Size) bool { return e.Bytes == 0 })
	s.Index.Bytes = s.Bytes - s.Index.Other
	return s, nil
}

// extentParts is the order in which the parts are shown.
var extentParts = []string{"header", "doc-ends", "freq-ends", "skip", "quads", "linear-regression", "hash-buckets",
	"kth-impacts", "docs", "freqs", "padding"}

// lists adds the lists of a segment.
func (s *Sizes) lists(g *seg, parts *sizeList) error {
	var l segment.List
	it := g.Terms()
	for it.Next() {
		e := it.Entry()
		f := &s.Forms[e.Kind]
		f.Lists++
		f.Postings += uint64(e.DF)
		f.Bytes += entryBytes(e)
		if e.Kind != segment.KindExtent {
			continue
		}
		if err := g.InitList(&l, e); err != nil {
			return format.Locate(err, format.Place{List: string(it.Term()), Block: format.NoBlock})
		}
		f.Bytes += int64(len(l.Extent()))
		left := int64(len(l.Extent()))
		for _, p := range l.Layout() {
			if p.Name != "padding" {
				parts.add(p.Name, p.Length)
				left -= p.Length
			}
		}
		parts.add("padding", left)
	}
	return it.Err()
}

// entryBytes returns how many bytes an entry takes in its term block.
func entryBytes(e segment.Entry) int64 {
	switch {
	case e.Kind == segment.KindExtent:
		return varintLen(uint64(e.Offset)/64<<2) + varintLen(uint64(e.DF))
	case e.Kind == segment.KindCompact:
		return varintLen(uint64(e.DF)<<2) + varintLen(uint64(e.Length)) + int64(e.Length)
	case e.TF == 1:
		return varintLen(uint64(e.Doc) << 2)
	}
	return varintLen(uint64(e.Doc)<<2) + varintLen(uint64(e.TF-2))
}

func varintLen(v uint64) int64 { return int64(bits.Len64(v|1)+6) / 7 }

// sizeList sums sizes by name, in the order in which names first come.
type sizeList struct {
	sizes []Size
	at    map[string]int
}

func (l *sizeList) add(name string, n int64) {
	if l.at == nil {
		l.at = map[string]int{}
	}
	i, ok := l.at[name]
	if !ok {
		i = len(l.sizes)
		l.at[name] = i
		l.sizes = append(l.sizes, Size{Name: name})
	}
	l.sizes[i].Bytes += n
}

func (s *Sizes) text(w io.Writer) {
	fmt.Fprintf(w, "%s segments, %s documents, %s terms, %s postings\n\n",
		cli.Count(s.Segments), cli.Count(s.Documents), cli.Count(s.Terms), cli.Count(s.Postings))
	t := cli.NewTable("section", ">bytes", ">share", ">bits/posting")
	for _, e := range s.Sections {
		t.Row(e.Name, e.Bytes, cli.Percent(e.Bytes, s.Bytes), perPosting(e.Bytes, s.Postings))
	}
	t.Row("all", s.Bytes, cli.Percent(s.Bytes, s.Bytes), perPosting(s.Bytes, s.Postings))
	t.Row("without ids and text", s.Index.Bytes, cli.Percent(s.Index.Bytes, s.Bytes), perPosting(s.Index.Bytes, s.Postings))
	t.WriteTo(w)
	fmt.Fprintln(w)
	t = cli.NewTable("lists", ">number", ">postings", ">share", ">bytes", ">bits/posting")
	for _, f := range s.Forms {
		t.Row(f.Form, f.Lists, f.Postings, cli.Percent(f.Postings, s.Postings), f.Bytes, perPosting(f.Bytes, f.Postings))
	}
	t.WriteTo(w)
	if len(s.Parts) == 0 {
		return
	}
	fmt.Fprintln(w)
	extents := s.Forms[segment.KindExtent]
	t = cli.NewTable("part of extents", ">bytes", ">share", ">bits/posting")
	for _, e := range s.Parts {
		t.Row(e.Name, e.Bytes, cli.Percent(e.Bytes, extents.Bytes), perPosting(e.Bytes, extents.Postings))
	}
	t.WriteTo(w)
}
