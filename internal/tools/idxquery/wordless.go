package idxquery

import (
	"fmt"
	"strings"
	"sync"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
)

// whyNoTerms says why the analyzer leaves no term of a text.
func (s *session) whyNoTerms(text string) string {
	if s.like != nil {
		return "no other document has a word of them"
	}
	if s.f.dot != "" {
		return "its vector has none with a weight above 0"
	}
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		if len(s.schema.Fields) > 1 {
			return "the fields' analyzers drop all of its words"
		}
		name, _ := s.schema.Fields[0].Analysis()
		return fmt.Sprintf("the analyzer %s drops all of its words", name)
	}
	return "it has no words"
}

// wordless are the queries without terms: run lines do not show them.
type wordless struct {
	mu    sync.Mutex
	n     int
	first int // index of the first
	id    string
	text  string
}

// noting returns print, which then also notes queries without terms.
func (n *wordless) noting(print printer) printer {
	return func(w *worker, b []byte, r *reply) ([]byte, error) {
		if w.s.f.syntax || r.vector != nil { // it may need no terms
			return print(w, b, r)
		}
		terms, _, err := w.s.searcher.Terms(&r.query)
		if err != nil {
			return b, err
		}
		if len(terms) == 0 {
			n.note(r)
		}
		return print(w, b, r)
	}
}

func (n *wordless) note(r *reply) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.n == 0 || r.index < n.first {
		n.first, n.id, n.text = r.index, strings.Clone(r.id), strings.Clone(r.text)
	}
	n.n++
}

// report says how many queries have no terms, and why the first has none.
func (n *wordless) report(cmd *cobra.Command, s *session) {
	switch {
	case n.n == 1:
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: query %s has no terms: %s\n", cmd.CommandPath(), cli.Quote(n.id), s.whyNoTerms(n.text))
	case n.n > 1:
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s without terms, first %s: %s\n", cmd.CommandPath(), cli.Number(n.n, "query"), cli.Quote(n.id), s.whyNoTerms(n.text))
	}
}
