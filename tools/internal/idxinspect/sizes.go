package idxinspect

import (
	"fmt"
	"io"
	"slices"
	"strings"

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
	f := &codecFlags{}
	cmd := command("sizes INDEX [TERM]", "Show where the bytes go, and what other codecs would need",
		`Bytes of every section, every form of list and every part of the extents, summed over
the segments, with bits per posting.

With --codec it shows instead what the lists that have a codec, those of 128 postings
or more, would need in each of the given codecs: bits per posting, measured times to
decode and encode one, the costs that auto estimates, and which codec auto takes for
how many lists. With TERM it shows one list. Sizes are exact. It measures all lists,
or with --sample N a random N of them, the same ones unless --seed changes.`,
		"  idxinspect sizes kjv.idx\n  idxinspect sizes --codec all kjv.idx\n  idxinspect sizes --codec bp128,ef --sample 500 kjv.idx\n  idxinspect sizes --codec all kjv.idx the",
		[]string{"INDEX", "[TERM]"}, func(cmd *cobra.Command, args []string) (report, error) {
			if err := f.check(cmd, args); err != nil {
				return nil, err
			}
			if len(f.names) > 0 {
				term := strings.Join(args[1:], "")
				s, err := f.sizes(cmd.Context(), cmd.ErrOrStderr(), args[0], term)
				if err != nil {
					return nil, err
				}
				return s, nil
			}
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
	cmd.Flags().StringSliceVar(&f.names, "codec", nil, "measure these codecs, as `NAME,...`; all for every one")
	cli.Int(cmd.Flags(), &f.sample, "sample", 0, 0, cli.Any, "measure `N` lists drawn at random, 0 for all")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "draw other lists with another `NUMBER`")
	return cmd
}

// check refuses flags and arguments that contradict each other.
func (f *codecFlags) check(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) > 2:
		return cli.Usage("unexpected argument %q", args[2])
	case f.sample < 0:
		return cli.Usage("--sample is 0 or more")
	case len(f.names) == 0 && len(args) > 1:
		return cli.Usage("a term goes with --codec")
	case len(f.names) == 0 && (cmd.Flags().Changed("sample") || cmd.Flags().Changed("seed")):
		return cli.Usage("--sample and --seed go with --codec")
	case len(args) > 1 && f.sample != 0:
		return cli.Usage("--sample goes without a term")
	}
	return nil
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

// extentParts are the parts in the order in which they are shown.
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
		f.Bytes += e.Size()
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

// sizeList sums sizes by name, in the order in which names first occur.
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
