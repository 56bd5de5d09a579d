package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// OpenVectors is OpenQueries for sparse vectors. The contents of a query are a text for AppendVector: of JSON lines the
// object in the key vector, beside an id as that of documents, and in other formats what OpenQueries makes of them, such as
// words that an encoder repeats as often as they weigh. What is no vector, has a weight below 0 or is refused by check, which
// may be nil, is an error that names the line. The terms are valid until check returns.
func OpenVectors(path string, f QueryFormat, check func(terms []WeightedTerm) error) (Source, QueryFormat, error) {
	if check == nil {
		check = func([]WeightedTerm) error { return nil }
	}
	return openQueries(path, f, &vectorCheck{accept: check})
}

// vectorKey is the key of the vector of a query.
const vectorKey = "vector"

// vectorCheck holds vectors against what is possible.
type vectorCheck struct {
	accept func([]WeightedTerm) error
	terms  []WeightedTerm
}

// check returns what is wrong with the vector in text, at the line that l has returned.
func (c *vectorCheck) check(l *lines, text []byte) (err error) {
	if c.terms, err = AppendVector(c.terms[:0], text); err == nil {
		for _, t := range c.terms {
			if !(t.Weight >= 0) || math.IsInf(t.Weight, 1) {
				err = fmt.Errorf("the weight %v of the term %.40q is not a finite number from 0 on", t.Weight, t.Term)
			}
		}
	}
	if err == nil {
		err = c.accept(c.terms)
	}
	if err != nil {
		return &Error{File: l.file, Line: l.line, Offset: -1, Recoverable: true, Err: err}
	}
	return nil
}

// vectorLines reads JSON objects with an id and a vector. It skips blank lines, and ignores other keys.
type vectorLines struct {
	lines *lines
	in    input
	dec   jsontext.Decoder
	buf   bytes.Buffer
}

// Next implements Source.
func (q *vectorLines) Next() (Document, error) {
	for {
		b, err := q.lines.next()
		if err != nil {
			return Document{}, err
		}
		if len(bytes.Trim(b, " \t\r")) == 0 {
			continue
		}
		d, err := q.object(b)
		if err == nil {
			err = checkID(d.ID)
		}
		if err != nil {
			return Document{}, &Error{File: q.lines.file, Line: q.lines.line, Offset: -1, Recoverable: true, Err: err}
		}
		return d, nil
	}
}

// object returns the id and the vector of a line.
func (q *vectorLines) object(line []byte) (d Document, err error) {
	if !utf8.Valid(line) {
		return d, invalidLine(line)
	}
	if err := json.Unmarshal(line, new(json.RawMessage)); err != nil {
		return d, jsonFailure(line, err)
	}
	q.buf = *bytes.NewBuffer(line)
	q.dec.Reset(&q.buf, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if q.dec.PeekKind() != '{' {
		return d, errors.New("a JSON object is wanted")
	}
	_, err = q.dec.ReadToken()
	var names []string
	for rank := len(usualIDs); err == nil && q.dec.PeekKind() == '"'; {
		var key, value jsontext.Value
		if key, err = q.dec.ReadValue(); err != nil {
			break
		}
		name, _ := jsontext.AppendUnquote(nil, key) // the error is about U+FFFD
		if value, err = q.dec.ReadValue(); err != nil {
			break
		}
		names = append(names, string(name))
		switch i := slices.Index(usualIDs, string(name)); {
		case i >= 0 && i < rank:
			if d.ID, err = idOf(json.RawMessage(value)); err != nil {
				err = fmt.Errorf("field %q %w", name, err)
			}
			rank = i
		case string(name) != vectorKey:
		case d.Contents != nil:
			err = fmt.Errorf("field %q comes twice", name)
		case value.Kind() != '{':
			err = fmt.Errorf("field %q is not an object of weights", name)
		default:
			d.Contents = value
		}
	}
	switch {
	case err != nil:
	case d.ID == nil:
		err = thereAre(missing(usualIDs[0]), names)
	case d.Contents == nil:
		err = thereAre(missing(vectorKey), names)
	}
	return d, err
}

// BytesRead implements Source.
func (q *vectorLines) BytesRead() int64 { return q.in.BytesRead() }

// Close implements Source.
func (q *vectorLines) Close() error { return q.in.Close() }
