package bleve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// ErrSource is matched by the errors for an index of bleve's that cannot be read.
var ErrSource = errors.New("bleve index")

// ErrExists is matched by the error for a directory to copy to that has something in it.
var ErrExists = fmt.Errorf("copy: %w", fs.ErrExist)

// Report says what a copy has done.
type Report struct {
	Docs      uint64 `json:"docs"`             // documents added
	Values    uint64 `json:"values"`           // their values
	Refused   uint64 `json:"refused"`          // documents that an index of Pinion's does not take, such as those with ids over 65,535 bytes
	Nested    uint64 `json:"nested"`           // nested documents, which are left out
	Flattened uint64 `json:"flattened"`        // values from arrays of arrays, which are in order, but in one list
	Reason    string `json:"reason,omitempty"` // why the first document was refused
	// Dropped counts the values that are not copied, by field and reason.
	Dropped []Dropped `json:"dropped"`
	// NotStored are the fields that have terms in bleve and no stored values, so that they cannot be copied: those documents
	// must be added again from where they came from.
	NotStored []string `json:"not_stored"`
	// Fields and Losses are those of the Translation.
	Fields []Field `json:"fields"`
	Losses []Loss  `json:"losses"`
}

// Dropped are values of a field that are not copied.
type Dropped struct {
	Field  string `json:"field"` // bleve's name
	Reason string `json:"reason"`
	Values uint64 `json:"values"`
}

// CopyOptions configure a copy. The zero value means the defaults.
type CopyOptions struct {
	Options
	// Memory and Threads are those of writer.Options.
	Memory  int64
	Threads int
	// Progress, if not nil, is called after some documents with how many were read, of how many.
	Progress func(done, total uint64)
}

// CopyDir copies the stored values of an index to a new index in a directory that is empty or does not exist. (Of an
// index with damaged files bleve.Open shows an older state, and only logs that; the command bleve-to-pinion fails.) The
// source must not be closed meanwhile; what is added to it meanwhile is not copied. There is an index when all is
// done: after an error, which may be that of ctx, the directory is as it was. Memory is bounded by o.Memory, whatever
// the number of documents.
//
// The error matches ErrExists, ErrSource if the source cannot be read, or is one of Translate or of package writer.
func CopyDir(ctx context.Context, src Source, dir string, o CopyOptions) (report *Report, err error) {
	r, err := open(src)
	if err != nil {
		return nil, err
	}
	defer func() { err = closing(err, r) }()
	t, err := translateIndex(ctx, src.Mapping(), r, o.Options)
	if err != nil {
		return nil, err
	}
	undo, err := claim(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			report, err = nil, errors.Join(err, undo())
		}
	}()
	late, reason := uint64(0), "" // what the writer refuses after it has taken it
	w, err := writer.Open(ctx, dir, writer.Options{Schema: t.Schema, Memory: o.Memory, Threads: o.Threads, Refused: func(_ []byte, err error) {
		late, reason = late+1, err.Error()
	}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if report, err = t.Copy(ctx, r, w.Add, o.Progress); err != nil {
		return nil, err
	}
	if err := w.Commit(ctx); err != nil {
		return nil, err
	}
	report.Docs, report.Refused, report.Reason = report.Docs-late, report.Refused+late, cmp.Or(report.Reason, reason)
	return report, w.WaitMerges(ctx)
}

// claim checks that dir is empty or does not exist, and returns what makes it so again.
func claim(dir string) (undo func() error, err error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return func() error { return os.RemoveAll(dir) }, nil
	case err != nil:
		return nil, err
	case len(entries) > 0:
		return nil, fmt.Errorf("%w: %s has something in it", ErrExists, dir)
	}
	return func() error {
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
		return err
	}, nil
}

// Copy adds the stored values of an index to another by calling add, for instance writer.Writer.Add, for each document.
// The other has t.Schema, with the fields in this order. Documents for which the error of add matches
// writer.ErrDocument are counted; any other ends the copy. Progress may be nil.
func (t *Translation) Copy(ctx context.Context, r index.IndexReader, add func(context.Context, writer.Doc) error, progress func(done, total uint64)) (*Report, error) {
	c := copier{t: t, dropped: map[Dropped]uint64{}, seen: map[string]bool{}}
	err := documents(ctx, r, func(id string, d index.Document) error {
		doc := writer.Doc{ID: []byte(id), Values: c.values(d)}
		switch err := add(ctx, doc); {
		case errors.Is(err, writer.ErrDocument):
			if c.Refused++; c.Reason == "" {
				c.Reason = err.Error()
			}
		case err != nil:
			return err
		default:
			c.Docs++
			c.Values += uint64(len(doc.Values))
		}
		return nil
	}, func(done, total, nested uint64) {
		c.Nested = nested
		if progress != nil {
			progress(done, total)
		}
	})
	if err != nil {
		return nil, err
	}
	if c.NotStored, err = c.notStored(r); err != nil {
		return nil, err
	}
	for d, n := range c.dropped {
		d.Values = n
		c.Dropped = append(c.Dropped, d)
	}
	slices.SortFunc(c.Dropped, func(a, b Dropped) int {
		return cmp.Or(strings.Compare(a.Field, b.Field), strings.Compare(a.Reason, b.Reason))
	})
	c.Fields, c.Losses = t.Fields, t.Losses
	return &c.Report, nil
}

// copier turns documents of bleve's into those of an index with the schema.
type copier struct {
	Report
	t       *Translation
	dropped map[Dropped]uint64 // with Values 0
	seen    map[string]bool    // the fields with stored values
}

// values returns the values of a document.
func (c *copier) values(d index.Document) []schema.Value {
	var values []schema.Value
	d.VisitFields(func(f index.Field) {
		c.seen[f.Name()] = true
		v, reason := c.value(f)
		if reason != "" {
			c.dropped[Dropped{Field: f.Name(), Reason: reason}]++
			return
		}
		if len(f.ArrayPositions()) > 1 {
			c.Flattened++
		}
		values = append(values, v)
	})
	return values
}

// value returns what a stored value becomes, or why it is nothing.
func (c *copier) value(f index.Field) (v schema.Value, reason string) {
	typ := typeOf(f)
	i, ok := c.t.find(f.Name(), typ)
	if !ok {
		return v, fmt.Sprintf("no field of type %s", typ)
	}
	switch x := f.(type) {
	case index.TextField:
		if v = schema.TextValue(i, []byte(x.Text())); c.t.Fields[i].keyword() {
			v = schema.KeywordValue(i, v.Bytes())
		}
	case index.NumericField:
		n, err := x.Number()
		if err != nil {
			return v, "not a number that bleve can read"
		}
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return v, "not a finite number"
		}
		v = schema.FloatValue(i, n)
	case index.DateTimeField:
		at, _, err := x.DateTime()
		if err != nil {
			return v, "not a time that bleve can read"
		}
		v = schema.TimeValue(i, at)
	case index.BooleanField:
		b, err := x.Boolean()
		if err != nil {
			return v, "not a truth value that bleve can read"
		}
		v = schema.KeywordValue(i, []byte(fmt.Sprint(b)))
	}
	if err := c.t.Schema.CheckValue(v); err != nil {
		if len(v.Bytes()) > schema.MaxKeyword {
			return v, fmt.Sprintf("a keyword of more than %d bytes", schema.MaxKeyword)
		}
		return v, "not a value of the field: " + err.Error()
	}
	return v, ""
}

// notStored returns the fields with terms and without stored values.
func (c *copier) notStored(r index.IndexReader) ([]string, error) {
	names := map[string]bool{}
	err := reading(func() error {
		all, err := r.Fields()
		for _, name := range all {
			if err == nil && !c.seen[name] && name != "_id" && name != "_all" {
				names[name], err = hasTerms(r, name)
			}
		}
		return err
	})
	maps.DeleteFunc(names, func(_ string, has bool) bool { return !has })
	return slices.Sorted(maps.Keys(names)), err
}

func hasTerms(r index.IndexReader, field string) (bool, error) {
	d, err := r.FieldDict(field)
	if err != nil {
		return false, err
	}
	entry, err := d.Next()
	return entry != nil, errors.Join(err, d.Close())
}

// reading calls f, which reads an index of bleve's. A panic there, as damaged files can cause, is an error.
func reading(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: damaged: %v", ErrSource, p)
		} else if err != nil {
			err = fmt.Errorf("%w: %w", ErrSource, err)
		}
	}()
	return f()
}

// open returns a reader of the newest state of src.
func open(src Source) (r index.IndexReader, err error) {
	err = reading(func() error {
		if _, err := src.DocCount(); err != nil {
			return err
		}
		x, err := src.Advanced()
		if err == nil && x == nil {
			err = errors.New("an alias of other indexes")
		}
		if err == nil {
			r, err = x.Reader()
		}
		return err
	})
	return r, err
}

// closing closes r and returns the first error.
func closing(err error, r index.IndexReader) error {
	if closed := reading(r.Close); err == nil {
		return closed
	}
	return err
}

// documents calls each with the id and stored fields of every document, and progress, unless nil, after some of them
// and at the end.
func documents(ctx context.Context, r index.IndexReader, each func(id string, d index.Document) error, progress func(done, total, nested uint64)) error {
	var ids index.DocIDReader
	var total uint64
	err := reading(func() (err error) {
		if total, err = r.DocCount(); err == nil {
			ids, err = r.DocIDReaderAll()
		}
		return err
	})
	if err != nil {
		return err
	}
	defer ids.Close()
	var nested uint64
	for done := uint64(0); ; done++ {
		if progress != nil && done%1024 == 0 {
			progress(done, total, nested)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		id, d, err := next(r, ids, &nested)
		if err != nil || d == nil {
			if progress != nil && err == nil {
				progress(done, total, nested)
			}
			return err
		}
		if err := each(id, d); err != nil {
			return err
		}
	}
}

// next returns the next document, or nil at the end. It passes over nested ones and counts them.
func next(r index.IndexReader, ids index.DocIDReader, nested *uint64) (id string, d index.Document, err error) {
	err = reading(func() error {
		for {
			internal, err := ids.Next()
			if err != nil || internal == nil {
				return err
			}
			if n, ok := r.(index.NestedReader); ok {
				if above, err := n.Ancestors(internal, nil); err == nil && len(above) > 1 {
					*nested++
					continue
				}
			}
			if id, err = r.ExternalID(internal); err != nil {
				return err
			}
			if d, err = r.Document(id); err == nil && d == nil {
				err = fmt.Errorf("no document %.40q, whose id is there", id)
			}
			return err
		}
	})
	return id, d, err
}
