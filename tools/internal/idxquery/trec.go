package idxquery

import (
	"errors"
	"fmt"
	"os"
	"strconv"
)

// asRunLines prints "qid Q0 docid rank score tag" for every hit. Scores have enough
// digits to distinguish any two.
func asRunLines(w *worker, b []byte, r *reply) ([]byte, error) {
	for i, h := range r.hits {
		id, err := w.idOf(h.Doc)
		if err != nil {
			return b, err
		}
		b = append(append(b, r.id...), " Q0 "...)
		for _, c := range id {
			if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
				return b, fmt.Errorf("document id %q: a run line cannot hold blanks", id)
			}
		}
		b = append(append(b, id...), ' ')
		b = append(strconv.AppendInt(b, int64(i+1), 10), ' ')
		b = append(strconv.AppendFloat(b, float64(h.Score), 'f', -1, 32), ' ')
		b = append(append(b, w.s.f.tag...), '\n')
	}
	return b, nil
}

// runFile is the file of --run. The first Write creates it. If the run fails, it is
// removed, so that no evaluator takes it for a complete one.
type runFile struct {
	name string
	file *os.File
}

func (r *runFile) Write(b []byte) (int, error) {
	if err := r.create(); err != nil {
		return 0, err
	}
	return r.file.Write(b)
}

func (r *runFile) create() (err error) {
	if r.file == nil {
		r.file, err = os.Create(r.name)
	}
	return err
}

// end closes the file and returns err, the error of the run, or its own.
func (r *runFile) end(err error) error {
	if err == nil {
		err = r.create()
	}
	if r.file == nil {
		return err
	}
	stat, serr := r.file.Stat()
	err = errors.Join(err, r.file.Close())
	if err != nil && serr == nil && stat.Mode().IsRegular() {
		_ = os.Remove(r.name) // a second error would not help
	}
	return err
}
