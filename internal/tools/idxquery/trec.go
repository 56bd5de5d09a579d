package idxquery

import (
	"fmt"
	"strconv"
)

// blanks are the characters that evaluators of runs, such as trec_eval, take for white
// space: those of C's isspace.
const blanks = " \t\n\v\f\r"

// asRunLines prints "qid Q0 docid rank score tag" for every hit. Scores have enough
// digits to distinguish any two.
func asRunLines(w *worker, b []byte, r *reply) ([]byte, error) {
	if w.s.remote { // all ids at once
		w.docs = w.docs[:0]
		for _, h := range r.hits {
			w.docs = append(w.docs, h.Doc)
		}
		w.s.snapshot.Prefetch(w.docs, false)
	}
	for i, h := range r.hits {
		id, err := w.idOf(h.Doc)
		if err != nil {
			return b, err
		}
		b = append(append(b, r.id...), " Q0 "...)
		for _, c := range id {
			if c == ' ' || '\t' <= c && c <= '\r' {
				return b, fmt.Errorf("document id %q: a run line cannot hold blanks", id)
			}
		}
		b = append(append(b, id...), ' ')
		b = append(strconv.AppendInt(b, int64(r.before+i+1), 10), ' ')
		b = append(strconv.AppendFloat(b, float64(h.Score), 'f', -1, 32), ' ')
		b = append(append(b, w.s.f.tag...), '\n')
	}
	return b, nil
}
