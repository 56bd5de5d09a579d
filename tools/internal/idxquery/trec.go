package idxquery

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// checkRun refuses what evaluators refuse: query ids with blanks, and duplicates.
func checkRun(qs []question) error {
	seen := make(map[string]bool, len(qs))
	for _, q := range qs {
		switch {
		case q.id == "" || strings.ContainsAny(q.id, " \t\r\n"):
			return fmt.Errorf("query id %q: a run line needs one word", q.id)
		case seen[q.id]:
			return fmt.Errorf("query id %q occurs twice: a run has one ranking for each", q.id)
		}
		seen[q.id] = true
	}
	return nil
}

// runLines writes "qid Q0 docid rank score tag" for every hit. Scores have enough
// digits to distinguish any two.
func (s *session) runLines(cmd *cobra.Command, w io.Writer, qs []question) error {
	b := bufio.NewWriter(w)
	err := s.each(cmd, qs, false, func(a *Answer) error {
		for _, h := range a.Hits {
			if strings.ContainsAny(string(h.ID), " \t\r\n") {
				return fmt.Errorf("document id %q: a run line cannot hold blanks", h.ID)
			}
			fmt.Fprintf(b, "%s Q0 %s %d %s %s\n", a.QID, h.ID, h.Rank, strconv.FormatFloat(float64(h.Score), 'f', -1, 32), s.f.tag)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.Flush()
}
