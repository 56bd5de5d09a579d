package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// QueryFormat is the format of a file of queries.
type QueryFormat string

// The formats of queries. QueriesAuto means that the format is detected.
const (
	QueriesAuto  QueryFormat = "auto"
	QueriesTSV   QueryFormat = "tsv"   // lines of id, tab, text
	QueriesTREC  QueryFormat = "trec"  // topics: see Topics
	QueriesJSONL QueryFormat = "jsonl" // objects: _id and text, as BEIR's queries.jsonl, or other fields of Fields
	QueriesColon QueryFormat = "colon" // lines of a number, ":", text, as TREC's Million Query track
	QueriesLines QueryFormat = "lines" // one query a line, numbered from 1
)

// QueryFormats returns all formats of queries by their names on the command line.
func QueryFormats() []QueryFormat {
	return []QueryFormat{QueriesAuto, QueriesTSV, QueriesTREC, QueriesJSONL, QueriesColon, QueriesLines}
}

// ErrNoQueries is matched by the error of a Source of queries that ends without any.
var ErrNoQueries = errors.New("it holds no queries")

// OpenQueries opens a file of queries, Stdin for standard input, and returns its format. A
// query is a Document: its id and, as contents, its text. One that is not UTF-8 is an error. A file without queries is an
// error matching ErrNoQueries, which Next returns. The caller closes the Source.
//
// With QueriesAuto the beginning decides: "<" is that of topics and "{" of JSONL; a tab in
// the first line makes lines TSV; two lines or more that begin with ascending numbers and
// colons are QueriesColon. Other text is plain lines, none of which may have a tab then.
func OpenQueries(path string, f QueryFormat) (Source, QueryFormat, error) {
	return openQueries(path, f, nil)
}

// openQueries opens queries, which are texts if vectors is nil.
func openQueries(path string, f QueryFormat, vectors *vectorCheck) (Source, QueryFormat, error) {
	s, err := openText(path, "")
	if err != nil {
		return nil, "", err
	}
	err = s.foreign()
	auto := f == QueriesAuto
	if err == nil && auto {
		f, err = s.detectQueries()
	}
	if err != nil {
		s.Close()
		return nil, "", err
	}
	q := &queries{file: s.name, format: f, vectors: vectors}
	l := newLines(s.name, s)
	q.lines = l
	switch {
	case f == QueriesTSV:
		q.Source = &TSV{lines: l, in: s}
	case f == QueriesTREC:
		q.Source = &Topics{lines: l, in: s}
	case f == QueriesJSONL && vectors != nil:
		q.Source = &vectorLines{lines: l, in: s}
	case f == QueriesJSONL:
		q.Source = NewJSONL(s.name, s)
	case f == QueriesColon:
		q.Source = &colonLines{lines: l, in: s}
	case f == QueriesLines:
		q.Source = &queryLines{lines: l, in: s, noTabs: auto}
	default:
		s.Close()
		return nil, "", fmt.Errorf("unknown format of queries %q", f)
	}
	return q, f, nil
}

// detectQueries returns the format by the first bytes.
func (s *stream) detectQueries() (QueryFormat, error) {
	head := s.peek(64 << 10)
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	line, _, _ := bytes.Cut(text, []byte("\n"))
	switch {
	case bytes.HasPrefix(text, []byte("<")):
		return QueriesTREC, nil
	case bytes.HasPrefix(text, []byte("{")):
		return QueriesJSONL, nil
	case bytes.HasPrefix(text, []byte(".I ")) || bytes.IndexByte(head, 0) >= 0:
		return "", &Error{File: s.name, Offset: -1, Msg: "the queries are in no format that is read; " + queryForms}
	case bytes.IndexByte(line, '\t') >= 0:
		return QueriesTSV, nil
	case looksNumbered(text):
		return QueriesColon, nil
	}
	return QueriesLines, nil
}

// queryForms says what is read.
const queryForms = "expected are lines of qid, tab, text; TREC topics, <top> with <num> and <title> or " +
	`<topic number="..."> with <query> or <title>; JSON lines with _id and text; lines of number, colon, text; or plain lines`

// looksNumbered reports whether text has two lines or more that all begin with numbers,
// which ascend, and colons; the last line may be cut.
func looksNumbered(text []byte) bool {
	last, n := -1, 0
	for line := range bytes.Lines(text) {
		id, _, ok := bytes.Cut(line, []byte(":"))
		if !ok && n >= 2 && line[len(line)-1] != '\n' || len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		number, err := strconv.Atoi(string(id))
		if !ok || err != nil || number <= last {
			return false
		}
		last = number
		n++
	}
	return n >= 2
}

// queries is a Source that must not be empty.
type queries struct {
	Source
	file   string
	format QueryFormat
	any    bool
	// lines are those of the source, and vectors what queries are held against; nil: they are texts.
	lines   *lines
	vectors *vectorCheck
}

// Next implements Source.
func (q *queries) Next() (Document, error) {
	d, err := q.Source.Next()
	switch {
	case err == nil:
		if q.any = true; !utf8.Valid(d.Contents) {
			return d, &Error{File: q.file, Line: q.lines.line, Offset: -1, Recoverable: true,
				Msg: fmt.Sprintf("query %.80q", d.ID), Err: fmt.Errorf("%w: decode the file, as with iconv -f windows-1252 -t UTF-8", ErrNotUTF8)}
		}
		if q.vectors != nil {
			err = q.vectors.check(q.lines, d.Contents)
		}
	case err == io.EOF && !q.any:
		err = ErrNoQueries
		if q.format == QueriesTREC {
			err = fmt.Errorf("%w; %s", err, queryForms)
		}
		err = &Error{File: q.file, Offset: -1, Err: err}
	}
	return d, err
}

// queryLines reads queries from lines, numbered from 1. It skips blank lines.
type queryLines struct {
	lines  *lines
	in     input
	noTabs bool
	n      int64
	id     []byte
}

// Next implements Source.
func (q *queryLines) Next() (Document, error) {
	for {
		b, err := q.lines.next()
		if err != nil {
			return Document{}, err
		}
		if b = bytes.TrimSpace(b); len(b) == 0 {
			continue
		}
		if q.noTabs && bytes.IndexByte(b, '\t') >= 0 {
			return Document{}, q.lines.bad("a tab in a file that begins with a plain line; name its format, tsv or lines")
		}
		q.n++
		q.id = strconv.AppendInt(q.id[:0], q.n, 10)
		return Document{ID: q.id, Contents: b}, nil
	}
}

// BytesRead implements Source.
func (q *queryLines) BytesRead() int64 { return q.in.BytesRead() }

// Close implements Source.
func (q *queryLines) Close() error { return q.in.Close() }

// colonLines reads lines of a number, a colon and text. If a second number and colon follow
// in the first line, as in the Million Query track of 2009, they must in all and are
// dropped. It skips blank lines.
type colonLines struct {
	lines    *lines
	in       input
	started  bool
	priority bool // a second number follows
}

// Next implements Source.
func (c *colonLines) Next() (Document, error) {
	for {
		b, err := c.lines.next()
		if err != nil {
			return Document{}, err
		}
		if b = bytes.TrimSpace(b); len(b) == 0 {
			continue
		}
		id, text, ok := cutNumber(b)
		if !ok {
			return Document{}, c.lines.bad("the line does not begin with a number and a colon")
		}
		_, after, second := cutNumber(text)
		if !c.started {
			c.started, c.priority = true, second
		}
		if c.priority {
			if text = after; !second {
				return Document{}, c.lines.bad("the line has one number before its query, not two as the first")
			}
		}
		if err := checkID(id); err != nil {
			return Document{}, c.lines.bad(err.Error())
		}
		return Document{ID: id, Contents: text}, nil
	}
}

// cutNumber cuts a number and a colon off b.
func cutNumber(b []byte) (number, rest []byte, ok bool) {
	number, rest, ok = bytes.Cut(b, []byte(":"))
	return number, rest, ok && len(number) > 0 && len(bytes.Trim(number, "0123456789")) == 0
}

// BytesRead implements Source.
func (c *colonLines) BytesRead() int64 { return c.in.BytesRead() }

// Close implements Source.
func (c *colonLines) Close() error { return c.in.Close() }
