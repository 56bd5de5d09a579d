package idxinspect

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/segment"
)

// Sizes is what `idxinspect sizes` prints: where the bytes of all segments go.
type Sizes struct {
	Segments  int            `json:"segments"`
	Documents uint64         `json:"documents"`
	Terms     uint64         `json:"terms"`
	Postings  uint64         `json:"postings"`
	Bytes     int64          `json:"bytes"`
	Sections  []inspect.Size `json:"sections"`
	Forms     []inspect.Form `json:"forms"`
	Parts     []inspect.Size `json:"extent_parts"`
	Index     IndexSum       `json:"index"`
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
or with --sample N a random N of them, the same ones unless --seed changes. idxinspect summary
shows the bytes of each field of an index that has fields.`,
		"  idxinspect sizes kjv.idx\n  idxinspect sizes --codec all kjv.idx\n  idxinspect sizes --codec bp128,ef --sample 500 kjv.idx\n  idxinspect sizes --codec all kjv.idx the\n  idxinspect sizes --regression kjv.idx",
		[]string{"INDEX", "[TERM]"}, func(cmd *cobra.Command, args []string) (report, error) {
			if err := f.check(cmd, args); err != nil {
				return nil, err
			}
			if f.regression {
				return reported(regressions(cmd.Context(), cmd.ErrOrStderr(), args[0]))
			}
			if len(f.names) > 0 {
				term := strings.Join(args[1:], "")
				return reported(f.sizes(cmd.Context(), cmd.ErrOrStderr(), args[0], term))
			}
			return opened(args[0], func(x *inspect.Index) (*Sizes, error) { return measure(cmd.Context(), x) })
		})
	cmd.Flags().StringSliceVar(&f.names, "codec", nil, "measure these codecs, as `NAME,...`; all for every one")
	cli.CompleteList(cmd, "codec", append(codecbench.Names(), "all"))
	cli.Int(cmd.Flags(), &f.sample, "sample", 0, 0, cli.Any, "measure `N` lists drawn at random, 0 for all")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "draw other lists with another `N`")
	fieldFlag(cmd, &f.field)
	cmd.Flags().BoolVar(&f.regression, "regression", false, "show contraction ratios and R² by length")
	return cmd
}

// check refuses flags and arguments that contradict each other.
func (f *codecFlags) check(cmd *cobra.Command, args []string) error {
	switch {
	case f.regression && (len(f.names) > 0 || len(args) > 1):
		return cli.Usage("--regression goes without --codec and without a term")
	case f.field != "" && len(args) < 2:
		return cli.Usage("--field goes with a term")
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

func measure(ctx context.Context, x *inspect.Index) (*Sizes, error) {
	st, err := inspect.Collect(ctx, x.Segments(), inspect.Options{})
	if err != nil {
		return nil, err
	}
	all := st.All
	s := &Sizes{Segments: len(x.Segs), Documents: x.Docs(), Terms: st.Lists, Postings: st.Postings, Bytes: all.Bytes,
		Sections: all.Sections, Forms: all.Forms, Parts: all.Parts}
	documents := documentSections()
	for _, e := range all.Sections {
		if slices.Contains(documents, e.Name) {
			s.Index.Other += e.Bytes
		}
	}
	s.Index.Bytes = s.Bytes - s.Index.Other
	return s, nil
}

// documentSections returns the sections that say what documents are, not which are found:
// ids and stored text.
func documentSections() (names []string) {
	for row := range format.Sections() {
		if row.Side == format.SideDocs && !row.Hot {
			names = append(names, row.Name)
		}
	}
	return names
}

func (s *Sizes) Text(w io.Writer) {
	fmt.Fprintf(w, "%s, %s, %s, %s\n\n",
		cli.Number(s.Segments, "segment"), cli.Number(s.Documents, "document"), cli.Number(s.Terms, "term"), cli.Number(s.Postings, "posting"))
	t := cli.NewTable("section", ">bytes", ">share", ">bits/posting")
	for _, e := range s.Sections {
		t.Row(e.Name, e.Bytes, cli.Percent(e.Bytes, s.Bytes), inspect.PerPosting(e.Bytes, s.Postings))
	}
	t.Row("all", s.Bytes, cli.Percent(s.Bytes, s.Bytes), inspect.PerPosting(s.Bytes, s.Postings))
	t.Row("without ids and text", s.Index.Bytes, cli.Percent(s.Index.Bytes, s.Bytes), inspect.PerPosting(s.Index.Bytes, s.Postings))
	t.WriteTo(w)
	fmt.Fprintln(w)
	t = cli.NewTable("lists", ">number", ">postings", ">share", ">bytes", ">bits/posting")
	for _, f := range s.Forms {
		t.Row(f.Form, f.Lists, f.Postings, cli.Percent(f.Postings, s.Postings), f.Bytes, inspect.PerPosting(f.Bytes, f.Postings))
	}
	t.WriteTo(w)
	if len(s.Parts) == 0 {
		return
	}
	fmt.Fprintln(w)
	extents := s.Forms[segment.KindExtent]
	t = cli.NewTable("part of extents", ">bytes", ">share", ">bits/posting")
	for _, e := range s.Parts {
		t.Row(e.Name, e.Bytes, cli.Percent(e.Bytes, extents.Bytes), inspect.PerPosting(e.Bytes, extents.Postings))
	}
	t.WriteTo(w)
}
