package idxinspect

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/segment"
)

func listCommand() *cobra.Command {
	var field string
	cmd := command("list INDEX TERM", "Show the posting list of a term and its metadata", "",
		"  idxinspect list kjv.idx the\n  idxinspect list --json kjv.idx shepherd",
		[]string{"INDEX", "TERM"}, func(_ *cobra.Command, args []string) (report, error) {
			out := &inspect.Lists{Term: cli.Text(args[1])}
			err := withLists(args[0], field, args[1], func(g *inspect.Segment, l *segment.List) error {
				out.DF += uint64(l.N)
				i := inspect.ListOf(g, l)
				err := i.Check(l)
				out.Lists = append(out.Lists, i)
				return err
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

// withLists calls f with the lists of a term in a field of an index. It is an error if no segment has the term.
func withLists(path, field, term string, f func(g *inspect.Segment, l *segment.List) error) error {
	return withField(path, field, func(x *inspect.Index) error { return eachList(x, term, f) })
}

func eachList(x *inspect.Index, term string, f func(g *inspect.Segment, l *segment.List) error) error {
	found := false
	for _, g := range x.Segs {
		e, ok, err := inspect.LookupIn(g.Segment, x.Field, []byte(term))
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
		return noTerm(x, term)
	}
	return nil
}

// noTerm returns the error that no segment has term. It names the term that the
// index's analyzer makes of it.
func noTerm(x *inspect.Index, term string) error {
	msg := fmt.Sprintf("no term %s", cli.Quote(term))
	a, err := analysis.New(x.Analyzer())
	if err != nil {
		return errors.New(msg)
	}
	if terms := analysis.Terms(a.Tokenizer(), []byte(term)); len(terms) == 1 && string(terms[0]) != term {
		msg += fmt.Sprintf("; the index's analyzer (%s) makes %s of it", a.Name(), cli.Quote(string(terms[0])))
	}
	return errors.New(msg)
}
