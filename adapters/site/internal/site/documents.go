package site

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"unicode/utf8"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// source is an exchange.JSONL, or exchange.Documents.
type source interface {
	NextValues() (id []byte, values []schema.Value, err error)
}

// next returns the next document of a source, which shares no memory with it.
func (s *Site) next(from source) (d pinion.Doc, err error) {
	id, values, err := from.NextValues()
	if err != nil {
		return d, err
	}
	d = pinion.Doc{ID: string(id), Values: make([]schema.Value, len(values))}
	for i, v := range values {
		switch v.Kind {
		case schema.Text:
			v = schema.TextValue(v.Field, bytes.Clone(v.Bytes()))
		case schema.Keyword:
			v = schema.KeywordValue(v.Field, bytes.Clone(v.Bytes()))
		}
		d.Values[i] = v
	}
	return d, nil
}

// lines returns a source of JSON lines.
func (s *Site) lines(r io.Reader) (j *exchange.JSONL, err error) {
	j = exchange.NewJSONL("body", r)
	return j, j.SetSchema(s.o.Fields, s.schema)
}

// checkFields returns why Options.Fields do not fit the index.
func (s *Site) checkFields() error {
	_, err := s.lines(bytes.NewReader(nil))
	return err
}

// chunk is how many documents of a file are added at a time, which ends with a commit, and chunkBytes how many bytes.
const (
	chunk      = 10_000
	chunkBytes = 8 << 20
)

// AddedFile says what AddFile has added.
type AddedFile struct {
	Added int // documents
	// NotUTF8 is how many of them are not UTF-8, and Undecoded how many characters could not be decoded, with the place of the first,
	// as exchange.Documents has them.
	NotUTF8, Undecoded           uint64
	FirstNotUTF8, FirstUndecoded string
	// Skipped is how many files of a folder are no documents, such as pictures, and FirstSkipped what the first is.
	Skipped      int
	FirstSkipped string
}

// AddFile adds the documents of a file or folder, in any format that exchange.OpenDocuments reads. Those before an error are
// added.
func (s *Site) AddFile(ctx context.Context, path string) (added AddedFile, err error) {
	in, err := exchange.OpenDocuments(path, exchange.DocumentOptions{Fields: s.o.Fields, Schema: s.schema, Encoding: s.o.Encoding})
	if err != nil {
		return added, err
	}
	defer in.Close()
	err = s.addAll(ctx, in, &added)
	var first *exchange.Error
	if added.NotUTF8, first = in.NotUTF8(); first != nil {
		added.FirstNotUTF8 = first.Error()
	}
	if added.Undecoded, first = in.Undecoded(); first != nil {
		added.FirstUndecoded = first.Error()
	}
	return added, err
}

// addAll adds all documents of a source, and counts them.
func (s *Site) addAll(ctx context.Context, in *exchange.Documents, added *AddedFile) error {
	defer context.AfterFunc(ctx, func() { in.Close() })()
	var docs []pinion.Doc
	for size := 0; ; {
		d, err := s.next(in)
		if errors.Is(err, exchange.ErrForeign) {
			if added.Skipped++; added.Skipped == 1 {
				added.FirstSkipped = err.Error()
			}
			continue
		}
		if err == nil {
			docs = append(docs, d)
			size += weight(&d)
		}
		if err != nil || len(docs) == chunk || size >= chunkBytes {
			if err := s.index.Add(ctx, docs...); err != nil {
				return err
			}
			added.Added += len(docs)
			docs, size = docs[:0], 0
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
		}
	}
}

// weight returns about how many bytes a document takes.
func weight(d *pinion.Doc) int {
	n := len(d.ID)
	for _, v := range d.Values {
		n += 40 + len(v.Bytes())
	}
	return n
}

// Added is the answer to POST /v1/docs.
type Added struct {
	Added   int    `json:"added"`             // documents, of which some may have replaced others
	Ignored uint64 `json:"ignored,omitempty"` // values of keys that no field takes
}

// add adds the documents of a body of JSON lines: none of them if one cannot be read.
func (s *Site) add(r *http.Request) (any, error) {
	in, err := s.lines(r.Body)
	if err != nil {
		return nil, err
	}
	var docs []pinion.Doc
	for {
		d, err := s.next(in)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, unread(err)
		}
		docs = append(docs, d)
	}
	if len(docs) == 0 {
		return nil, invalid("the body has no document, which is a JSON object on a line")
	}
	if err := s.index.Add(r.Context(), docs...); err != nil {
		if errors.Is(err, writer.ErrDocument) {
			return nil, invalid("%v; nothing was added", err)
		}
		return nil, err
	}
	s.count.added.Add(uint64(len(docs)))
	return Added{len(docs), in.Ignored()}, nil
}

// unread returns what a client is told of a body that is no documents. What it did not send is another error.
func unread(err error) error {
	var e *exchange.Error
	if exchange.Recoverable(err) && errors.As(err, &e) {
		return &httpapi.Error{Status: http.StatusBadRequest, Code: httpapi.CodeInvalid, Field: fmt.Sprintf("line %d", e.Line), Message: fmt.Sprint(inner(e), "; nothing was added")}
	}
	if errors.As(err, new(*http.MaxBytesError)) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return invalid("the body cannot be read: %v", err)
}

// inner returns e without the place.
func inner(e *exchange.Error) string {
	if e.Err == nil {
		return e.Msg
	}
	if e.Msg == "" {
		return e.Err.Error()
	}
	return e.Msg + ": " + e.Err.Error()
}

func invalid(format string, args ...any) error {
	return &httpapi.Error{Status: http.StatusBadRequest, Code: httpapi.CodeInvalid, Message: fmt.Sprintf(format, args...)}
}

// Deletion is the body of POST /v1/delete: ids, or a filter.
type Deletion struct {
	IDs    []httpapi.Text `json:"ids,omitempty"`
	Filter string         `json:"filter,omitempty"` // in the language of query.ParseFilter
}

// Deleted is the answer to POST /v1/delete by a filter.
type Deleted struct {
	Deleted uint64 `json:"deleted"`
}

// delete deletes documents.
func (s *Site) delete(r *http.Request) (any, error) {
	var d Deletion
	if err := readJSON(r, &d); err != nil {
		return nil, err
	}
	switch {
	case (len(d.IDs) > 0) == (d.Filter != ""):
		return nil, invalid("either ids or filter says what is deleted")
	case d.Filter == "":
		ids := make([]string, len(d.IDs))
		for i, id := range d.IDs {
			ids[i] = string(id)
		}
		err := s.index.Delete(r.Context(), ids...)
		if err == nil {
			s.count.deleted.Add(uint64(len(ids)))
		}
		return nil, err
	}
	f, err := query.ParseFilter(s.schema, d.Filter)
	if err != nil {
		return nil, err
	}
	n, err := s.index.DeleteWhere(r.Context(), f)
	if err != nil {
		return nil, err
	}
	s.count.deleted.Add(n)
	return Deleted{n}, nil
}

// Setting is the body of POST /v1/set: what documents have from now on in some fields, by ids.
type Setting struct {
	Set []Values `json:"set"`
}

// Values are what a document has in some fields: a value, an array of several, or null for none.
type Values struct {
	ID     httpapi.Text   `json:"id"`
	Fields map[string]any `json:"fields"`
}

// set changes values in place: all of them, or none if one cannot be changed.
func (s *Site) set(r *http.Request) (any, error) {
	var d Setting
	if err := readJSON(r, &d); err != nil {
		return nil, err
	}
	var b pinion.Batch
	for _, v := range d.Set {
		for field, value := range v.Fields {
			b.Set(string(v.ID), field, value)
		}
	}
	if b.Len() == 0 {
		return nil, invalid("set has no fields of documents")
	}
	err := s.index.Apply(r.Context(), &b)
	if errors.Is(err, writer.ErrDocument) {
		return nil, invalid("%v; nothing was changed", err)
	}
	return nil, err
}

// readJSON reads a body that is one JSON object in UTF-8: package json would make other bytes U+FFFD, and other ids of ids.
func readJSON(r *http.Request, to any) error {
	body, err := io.ReadAll(r.Body)
	if err == nil && !utf8.Valid(body) {
		return invalid("the body is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	d.UseNumber() // integers beyond 2^53 are exact
	if err == nil {
		err = d.Decode(to)
	}
	if err == nil {
		if _, err = d.Token(); err == io.EOF {
			return nil
		}
		if err == nil {
			err = errors.New("there is something behind the object")
		}
	}
	if errors.As(err, new(*http.MaxBytesError)) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return invalid("the body: %v", err)
}
