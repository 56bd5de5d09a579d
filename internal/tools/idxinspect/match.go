package idxinspect

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/automata"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/inspect"
)

// selection says which terms are listed.
type selection struct {
	prefix, from         string
	match, regexp, fuzzy string
	automaton            *automata.Automaton // of one of the three, or nil
}

// flags adds the flags of a selection.
func (s *selection) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.prefix, "prefix", "", "only terms that begin with `TEXT`")
	f.StringVar(&s.from, "from", "", "only terms from `TERM` on")
	f.StringVar(&s.match, "match", "", "only terms that `PATTERN` matches")
	f.StringVar(&s.regexp, "regexp", "", "only terms that `EXPRESSION` matches")
	f.StringVar(&s.fuzzy, "fuzzy", "", "only terms that two edits make of `WORD`")
}

// compile makes the automaton of the flags that were given.
func (s *selection) compile() (err error) {
	given := 0
	for _, text := range []string{s.prefix, s.match, s.regexp, s.fuzzy} {
		if text != "" {
			given++
		}
	}
	if given > 1 {
		return cli.Usage("--prefix, --match, --regexp and --fuzzy exclude each other")
	}
	name := ""
	switch {
	case s.match != "":
		name = "match"
		s.automaton, err = automata.Wildcard(s.match)
	case s.regexp != "":
		name = "regexp"
		s.automaton, err = automata.Regexp(s.regexp)
	case s.fuzzy != "":
		name = "fuzzy"
		word, one := strings.CutSuffix(s.fuzzy, "~1")
		edits := automata.MaxEdits
		if one {
			edits = 1
		}
		s.automaton, err = automata.Fuzzy(strings.TrimSuffix(word, "~2"), edits, 0)
	}
	if err != nil {
		return cli.Usage("--%s: %w", name, err)
	}
	return nil
}

// walk walks the terms that are selected.
func (s *selection) walk(x *inspect.Index) *inspect.Walk {
	if s.automaton != nil {
		return inspect.NewMatchWalk(x.Segments(), x.Field, s.automaton, s.from)
	}
	return inspect.NewFieldWalk(x.Segments(), x.Field, s.prefix, s.from)
}
