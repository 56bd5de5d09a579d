package idxquery

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// runLines writes "qid Q0 docid rank score tag" for every hit. Scores have as many
// digits as tell any two apart.
func (s *session) runLines(cmd *cobra.Command, w io.Writer, qs []question) error {
	b := bufio.NewWriter(w)
	err := s.each(cmd, qs, false, func(a *Answer) error {
		if strings.ContainsAny(a.QID, " \r") {
			return fmt.Errorf("query id %q: a run line cannot hold blanks", a.QID)
		}
		for _, h := range a.Hits {
			if strings.ContainsAny(h.ID, " \t\r\n") {
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
