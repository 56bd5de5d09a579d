package exchange

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/pinion-index/pinion/internal/encodings"
	"github.com/pinion-index/pinion/schema"
)

// DocumentOptions says how OpenDocuments reads an input. The zero value detects the
// format and reads the usual fields.
type DocumentOptions struct {
	// Format is that of the files; empty, as FormatAuto: each has its own, which is detected.
	Format Format
	// Fields are those of JSON objects, CSV and TSV that make a document.
	Fields Fields
	// Schema, if it is not nil, is that of the documents: they are read by NextValues.
	Schema *schema.Schema
	// AutoID makes up ids instead of reading them: the path of the file, a colon, and the
	// line on which the document begins. Within a folder the path is relative to it.
	AutoID bool
	// Encoding is the name that the web has for the encoding of texts which do not say their own, such as windows-1252.
	// "" is UTF-8.
	Encoding string
	// MaxRecord is the maximum length of a record in bytes; 0 is the constant MaxRecord. A
	// longer one is a bad document, so that memory stays within a few times this much.
	MaxRecord int
}

// Documents reads the documents of a file or of the files below a folder. It is a Source
// whose errors about one file of a folder that is not read match ErrForeign.
type Documents struct {
	opts    DocumentOptions
	folder  *folder // nil: one file
	formats map[Format]int
	ignored ignored
	zeroed  uint64 // weights
	passed  map[string]uint64

	path string // of the one file

	contents *taker // nil: documents have no fields, or keys
	one      [1]schema.Value

	encoding encodings.Encoding // Options.Encoding
	stream   *stream            // what cur reads; nil: a file that is read whole, or what others read
	misread  misread

	mu     sync.Mutex
	first  *stream // the one file, before it is begun
	cur    Source  // nil: between two files
	closed bool
	done   int64 // bytes of the files before cur
}

// OpenDocuments opens the file or folder at path, or standard input for Stdin. It is an
// error if it holds posting lists, or anything else that is known not to be documents;
// Next returns that of what can be read only once. The caller closes the Documents.
func OpenDocuments(path string, o DocumentOptions) (*Documents, error) {
	o.Format = cmp.Or(o.Format, FormatAuto)
	if o.MaxRecord <= 0 {
		o.MaxRecord = MaxRecord
	}
	if _, ok := ds2iBase(path); ok && o.Format == FormatAuto {
		o.Format = FormatDS2I
	}
	if o.Format.Postings() {
		return nil, fmt.Errorf("%s holds posting lists (%s), not documents", path, o.Format)
	}
	if o.Schema != nil && o.Schema.IsImplicit() {
		o.Schema = nil
	}
	d := &Documents{opts: o, formats: map[Format]int{}, ignored: ignored{}}
	var err error
	if d.encoding, err = encodings.Named(o.Encoding); err != nil {
		return nil, err
	}
	st, err := os.Stat(path)
	isDir := path != Stdin && err == nil && st.IsDir()
	switch {
	case isDir:
		d.folder, err = openFolder(path)
	case o.Format == FormatTextDir:
		err = cmp.Or(err, fmt.Errorf("%s is not a directory", path))
	default:
		err = d.openOne(path)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// openOne opens the only file. What can be read only once may keep a reader waiting, so
// its first bytes are left to Next, which Close ends.
func (d *Documents) openOne(path string) error {
	s, err := openText(path, d.opts.Encoding)
	if err != nil {
		return err
	}
	if d.path = path; ReadOnce(path) {
		d.first = s
		return nil
	}
	d.cur, err = d.begin(s)
	return err
}

// begin returns the source of the only file, by its first bytes.
func (d *Documents) begin(s *stream) (src Source, err error) {
	f := d.opts.Format
	if f == FormatAuto {
		if f, err = s.detect(); err == nil && f.Postings() {
			err = fmt.Errorf("%s cannot be read from %s: it is read twice", f, s.name)
		}
	} else {
		err = s.foreign()
	}
	if err == nil {
		src, err = d.source(s, f, d.path)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return src, nil
}

// source returns the source that reads a stream of documents; path begins the ids that
// are made up.
func (d *Documents) source(s *stream, f Format, path string) (src Source, err error) {
	var made *madeIDs
	if d.opts.AutoID {
		made = &madeIDs{path: path}
	}
	var l *lines
	switch f {
	case FormatJSONL, FormatJSON, FormatBulk:
		j := NewJSONL(s.name, s)
		j.made, l, src = made, j.lines, j
		if f == FormatJSON {
			j.whole = &outermost{lines: l}
		} else if f == FormatBulk {
			j.bulk = &bulk{lines: l}
		}
		j.SetFields(d.opts.Fields)
	case FormatCSV:
		c := NewCSV(s.name, s)
		c.made, l, src = made, c.lines, c
		c.SetFields(d.opts.Fields)
	case FormatTSV:
		t := NewTSV(s.name, s)
		t.made, l, src = made, t.lines, t
		if d.opts.Schema == nil {
			err = t.setFields(d.opts.Fields)
		}
	case FormatTREC:
		t := NewTREC(s.name, s)
		t.made, l, src = made, t.lines, t
	case FormatExtracted, FormatDump:
		open := newExtracted
		if f == FormatDump {
			open = newDump
		}
		w, lines := open(s.name, s)
		w.made, l, src = made, lines, w
		if d.opts.Schema == nil {
			err = w.setFields(s.name, d.opts.Fields)
		}
	case FormatLines:
		p := NewPlain(s.name, s)
		p.made, l, src = &madeIDs{path: path}, p.lines, p
	default:
		return nil, fmt.Errorf("unknown format %q", f)
	}
	l.limit = d.opts.MaxRecord
	if d.opts.Schema != nil && err == nil {
		if x, ok := src.(fieldSource); ok {
			err = x.takeFields(d.opts.Fields, d.opts.Schema)
		} else {
			err = d.takeContents(s.name, f)
		}
	}
	d.formats[f]++
	d.stream = s
	s.trusted.Store(f == FormatJSONL || f == FormatJSON || f == FormatBulk) // which refuses what is not UTF-8
	return src, err
}

// current returns the source that is being read.
func (d *Documents) current() (Source, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return nil, os.ErrClosed
	case d.cur != nil:
		return d.cur, nil
	case d.first != nil:
		s := d.first
		d.mu.Unlock()
		src, err := d.begin(s) // may wait until Close
		d.mu.Lock()
		if d.first = nil; err == nil {
			d.cur = src
		}
		return src, err
	case d.folder == nil || len(d.folder.paths) == 0:
		return nil, io.EOF
	}
	var err error
	d.cur, err = d.openNext()
	return d.cur, err
}

// end closes the source that has been read.
func (d *Documents) end() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cur == nil {
		return nil
	}
	d.done += d.cur.BytesRead()
	if x, ok := d.cur.(interface{ ignoredFields() ignored }); ok {
		for name, n := range x.ignoredFields() {
			d.ignored.count([]byte(name), n)
		}
	}
	if w, ok := d.cur.(*wiki); ok {
		d.countPassed(w)
	}
	if x, ok := d.cur.(interface{ zeroedWeights() uint64 }); ok {
		d.zeroed += x.zeroedWeights()
	}
	d.misread.end(d.cur, d.stream)
	err := d.cur.Close()
	d.cur, d.stream = nil, nil
	return err
}

// Formats returns how many files have been read, or begun, by their formats. Files of
// which each is a document have FormatTextDir.
func (d *Documents) Formats() map[Format]int { return maps.Clone(d.formats) }

// Ignored returns how many fields of documents were not read, by their names, after the
// last document. It names the first hundred; the empty name has the others.
func (d *Documents) Ignored() map[string]uint64 { return maps.Clone(d.ignored) }

// Zeroed returns how many weights of fields of impacts were left out, after the last document: those that are 0 in
// steps of the field's scale.
func (d *Documents) Zeroed() uint64 { return d.zeroed }

// BytesRead implements Source.
func (d *Documents) BytesRead() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cur == nil {
		return d.done
	}
	return d.done + d.cur.BytesRead()
}

// Close implements Source.
func (d *Documents) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	done := d.closed
	d.closed = true
	switch {
	case done:
		return nil
	case d.first != nil:
		return d.first.Close()
	case d.cur != nil:
		return d.cur.Close()
	}
	return nil
}

// ErrForeign is matched by the errors about a file of a folder that is skipped, since it
// is no text, or of a kind that is known and not read.
var ErrForeign = errors.New("not a file of documents")

// foreignError says what a file is that is not read.
type foreignError string

func (e foreignError) Error() string        { return string(e) }
func (e foreignError) Is(target error) bool { return target == ErrForeign }

// folder lists the files below a directory.
type folder struct {
	dir   string       // as it was given, for messages
	root  string       // absolute: files are opened later
	paths []string     // relative to dir, not read yet
	head  []byte       // buffer for the first bytes of files
	text  bytes.Buffer // for the whole of one
	// corpus is the only file with documents of a collection in BEIR's form, in which queries and judgments are beside
	// it; "" otherwise.
	corpus string
}

// headSize is how many bytes of a file tell its format.
const headSize = 64 << 10

func openFolder(dir string) (*folder, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	f := &folder{dir: dir, root: root, head: make([]byte, headSize)}
	err = walkTexts(dir, func(rel string, _ os.DirEntry) error {
		f.paths = append(f.paths, rel)
		return nil
	})
	f.corpus = corpusOf(f.paths)
	return f, err
}

// corpusOf returns which of the files of a folder is the corpus of a collection in BEIR's form, or "".
func corpusOf(paths []string) string {
	for _, suffix := range []string{"", ".gz"} {
		if name := "corpus.jsonl" + suffix; slices.Contains(paths, name) &&
			(slices.Contains(paths, "queries.jsonl") || slices.Contains(paths, "queries.jsonl.gz")) {
			return name
		}
	}
	return ""
}

// walkTexts calls fn for every regular file below dir, with its path relative to dir, in
// lexical order. It passes over names that begin with a dot, and follows no link below
// dir, which may be one itself.
func walkTexts(dir string, fn func(rel string, e os.DirEntry) error) error {
	dir, err := filepath.EvalSymlinks(dir) // WalkDir does not follow a link
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != dir && e.Name()[0] == '.':
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case !e.Type().IsRegular():
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return fn(rel, e)
	})
}

func folderSize(dir string) int64 {
	n := int64(0)
	walkTexts(dir, func(_ string, e os.DirEntry) error { // Open reports errors
		if st, err := e.Info(); err == nil {
			n += st.Size()
		}
		return nil
	})
	return n
}

// openNext opens the next file of the folder.
func (d *Documents) openNext() (Source, error) {
	rel := d.folder.paths[0]
	d.folder.paths = d.folder.paths[1:]
	path := filepath.Join(d.folder.dir, rel)
	src, err := d.openFile(path, filepath.ToSlash(rel))
	var e *Error
	if err != nil && !errors.As(err, &e) {
		err = &Error{File: path, Offset: -1, Recoverable: true, Msg: "cannot read", Err: err}
	}
	return src, err
}

// openFile opens a file of the folder, whose path from there is rel.
func (d *Documents) openFile(path, rel string) (src Source, err error) {
	if c := d.folder.corpus; c != "" && rel != c && d.opts.Format == FormatAuto {
		return nil, &Error{File: path, Offset: -1, Recoverable: true, Err: foreignError("beside " + c + " of a collection: queries, judgments or notes")}
	}
	f, err := os.Open(filepath.Join(d.folder.root, filepath.FromSlash(rel)))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	n, err := io.ReadFull(f, d.folder.head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	head, format := d.folder.head[:n], FormatAuto
	packed := isPacked(head) || !encodings.Of(head[:min(n, encodings.DeclarationSize)], d.encoding).UTF8()
	if !packed {
		if format, err = d.formatIn(path, head); err != nil {
			return nil, err
		}
		if format, err = d.fitting(path, format, head); err != nil {
			return nil, err
		}
		if format == FormatTextDir {
			return &whole{in: f, head: head, file: path, id: rel, limit: d.opts.MaxRecord, buf: &d.folder.text}, nil
		}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	s := newText(f, path, d.encoding)
	if packed {
		head = s.peek(headSize)
		if err = s.failure(); err != nil {
			err = &Error{File: path, Offset: -1, Recoverable: true, Msg: "cannot read", Err: err.(*Error).Err}
		} else {
			format, err = d.formatIn(path, head)
		}
		if err == nil {
			format, err = d.fitting(path, format, head)
		}
	}
	switch {
	case err != nil:
	case format == FormatTextDir:
		d.stream = s
		return &whole{in: s, file: path, id: rel, limit: d.opts.MaxRecord, buf: &d.folder.text, count: s}, nil
	default:
		src, err = d.source(s, format, rel)
		if err != nil && d.opts.Format == FormatAuto {
			err = &Error{File: path, Offset: -1, Recoverable: true, Err: foreignError(err.Error())}
		}
	}
	if err != nil {
		s.Close()
	}
	return src, err
}

// formatIn returns the format of a file of the folder that begins with head.
func (d *Documents) formatIn(path string, head []byte) (Format, error) {
	if what := foreignTo(head); what != "" {
		return "", &Error{File: path, Offset: -1, Recoverable: true, Err: foreignError(what)}
	}
	if d.opts.Format != FormatAuto {
		return d.opts.Format, nil
	}
	if looksLikeCIFF(head) {
		return "", &Error{File: path, Offset: -1, Recoverable: true,
			Err: foreignError("posting lists (ciff), which are read if the file itself is named")}
	}
	return textFormat(path, head, true), nil
}
