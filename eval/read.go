package eval

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
)

// The forms of files.
const (
	qrelsForms = `lines of "qid iteration docid relevance", or, below the line "query-id corpus-id score", of these three, separated by tabs`
	runForms   = `lines of "qid Q0 docid rank score tag", or of "qid docid rank"`
)

// maxLine is the length of the longest line in bytes.
const maxLine = 1 << 20

// ReadQrels reads judgments: TREC's lines of "qid iteration docid relevance", or BEIR's of
// query, document and relevance, separated by tabs, below a line that names these columns
// query-id, corpus-id and score. The first line tells which. Fields of TREC's lines are
// separated by the white space of ASCII, as trec_eval has it, so that ids can hold any
// other character. A document that is judged twice for a query is an error, as is a file
// without judgments; errors in the file match ErrInvalid and give file and line.
func ReadQrels(file string, r io.Reader) (Qrels, error) {
	all := Qrels{}
	want, beir := 4, false
	in := newLines(file, r)
	for in.next() {
		f := in.fields()
		if in.first {
			if beir = len(f) == 3 && string(f[0]) == "query-id" && string(f[1]) == "corpus-id" && string(f[2]) == "score"; beir {
				continue
			}
		}
		if beir {
			want, f = 3, bytes.Split(bytes.TrimRight(in.line, "\r"), []byte("\t"))
		}
		if len(f) != want {
			return nil, in.bad("the line has %d fields, not %d: expected are %s", len(f), want, qrelsForms)
		}
		qid, doc, value := string(f[0]), string(f[want-2]), f[want-1]
		rel, err := strconv.Atoi(string(value))
		if err != nil {
			return nil, in.bad("relevance %q is no integer", value)
		}
		of := all[qid]
		if of == nil {
			of = map[string]int{}
			all[qid] = of
		}
		if _, twice := of[doc]; twice {
			return nil, in.bad("document %q is judged twice for query %q", doc, qid)
		}
		of[doc] = rel
	}
	if len(all) == 0 && in.err == nil {
		return nil, fmt.Errorf("%w judgments: %s holds none: expected are %s", ErrInvalid, file, qrelsForms)
	}
	return all, in.err
}

// ReadRun reads a run: TREC's lines of "qid Q0 docid rank score tag", whose rank is not
// used, or MS MARCO's of "qid docid rank", whose scores are the negative ranks. The first
// line tells which. Fields are separated by the white space of ASCII, as trec_eval has it,
// so that ids can hold any other character. A document, or a rank of MS MARCO's, that
// comes twice for a query is an error, as is a file without a ranking; errors in the file
// match ErrInvalid and give file and line.
func ReadRun(file string, r io.Reader) (Run, error) {
	in := newLines(file, r)
	all, numbers := Run{}, map[string][]int{} // of the lines
	want := 0
	for in.next() {
		f := in.fields()
		if in.first {
			if want = 6; len(f) == 3 {
				want = 3
			}
		}
		if len(f) != want {
			return nil, in.bad("the line has %d fields, not %d: expected are %s", len(f), want, runForms)
		}
		d, err := rankedDoc(f)
		if err != nil {
			return nil, in.bad("%v", err)
		}
		qid := string(f[0])
		all[qid] = append(all[qid], d)
		numbers[qid] = append(numbers[qid], in.number)
	}
	if in.err != nil {
		return nil, in.err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w run: %s holds none: expected are %s", ErrInvalid, file, runForms)
	}
	for qid, docs := range all {
		if err := repeated(docs, numbers[qid], want == 3); err != nil {
			return nil, fmt.Errorf("%s:%w for query %q", file, err, qid)
		}
		Sort(docs)
	}
	return all, nil
}

// rankedDoc returns the document of a line of a run.
func rankedDoc(f [][]byte) (Doc, error) {
	if len(f) == 3 {
		rank, err := strconv.Atoi(string(f[2]))
		if err != nil || rank < 1 {
			return Doc{}, fmt.Errorf("rank %q is no number from 1", f[2])
		}
		return Doc{string(f[1]), -float64(rank)}, nil
	}
	score, err := strconv.ParseFloat(string(f[4]), 64)
	if err != nil || math.IsNaN(score) {
		return Doc{}, fmt.Errorf("score %q is no number", f[4])
	}
	return Doc{string(f[2]), score}, nil
}

// repeated returns an error about the first document, and among ranks the first rank, that
// comes twice; lines are the numbers of their lines.
func repeated(docs []Doc, lines []int, ranks bool) error {
	ids := make(map[string]bool, len(docs))
	scores := map[float64]bool{}
	for i, d := range docs {
		if ids[d.ID] {
			return fmt.Errorf("%d: %w run: document %q comes twice", lines[i], ErrInvalid, d.ID)
		}
		ids[d.ID] = true
		if !ranks {
			continue
		}
		if scores[d.Score] {
			return fmt.Errorf("%d: %w run: rank %v comes twice", lines[i], ErrInvalid, -d.Score)
		}
		scores[d.Score] = true
	}
	return nil
}

// lines reads the lines of a file that are not blank.
type lines struct {
	file   string
	sc     *bufio.Scanner
	line   []byte
	number int
	first  bool // the line is the first that is not blank
	began  bool
	err    error
	split  [][]byte
}

func newLines(file string, r io.Reader) *lines {
	l := &lines{file: file, sc: bufio.NewScanner(r)}
	l.sc.Buffer(nil, maxLine)
	return l
}

// next reports whether there is another line.
func (l *lines) next() bool {
	for l.sc.Scan() {
		l.number++
		l.line = l.sc.Bytes()
		if l.number == 1 {
			l.line = bytes.TrimPrefix(l.line, []byte("\ufeff"))
		}
		if len(bytes.TrimLeft(l.line, space)) > 0 {
			l.first, l.began = !l.began, true
			return true
		}
	}
	if err := l.sc.Err(); err != nil {
		l.err = fmt.Errorf("%s:%d: %w", l.file, l.number+1, err)
	}
	return false
}

// space is what C's isspace takes for white space.
const space = " \t\n\v\f\r"

// fields returns the fields of the line, which are valid until the next line.
func (l *lines) fields() [][]byte {
	l.split = l.split[:0]
	for rest := bytes.TrimLeft(l.line, space); len(rest) > 0; rest = bytes.TrimLeft(rest, space) {
		end := bytes.IndexAny(rest, space)
		if end < 0 {
			end = len(rest)
		}
		l.split = append(l.split, rest[:end])
		rest = rest[end:]
	}
	return l.split
}

func (l *lines) bad(msg string, args ...any) error {
	return fmt.Errorf("%s:%d: %w line: %w", l.file, l.number, ErrInvalid, fmt.Errorf(msg, args...))
}
