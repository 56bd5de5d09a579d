package exchange

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/writer"
)

// CIFF reads a file in the Common Index File Format, gzipped or not. It returns
// the lists in bytewise order of terms, even if the file does not. It is not safe
// for concurrent use, except for BytesRead.
type CIFF struct {
	path   string
	header CIFFHeader
	docs   ciffDocs
	before int64 // bytes read by completed passes

	s     *stream // the stream of the pass over the lists
	msgs  *messages
	left  int32 // lists not read yet
	list  ciffList
	order *ciffOrder // set if the file is not in order
}

// OpenCIFF opens the file at path, reads its header and documents, and checks its
// structure. It refuses what can be read only once. The caller closes the CIFF.
func OpenCIFF(path string) (*CIFF, error) {
	if ReadOnce(path) {
		if path == Stdin {
			path = "standard input"
		}
		return nil, fmt.Errorf("CIFF cannot be read from %s: it is read twice", path)
	}
	c := &CIFF{path: path}
	sorted, err := c.survey()
	if err != nil {
		return nil, err
	}
	if !sorted {
		if c.order, err = newCIFFOrder(path, c.header.NumLists); err != nil {
			return nil, err
		}
		return c, nil
	}
	if c.s, err = openStream(path); err != nil {
		return nil, err
	}
	c.msgs = newMessages(path, c.s)
	c.left = c.header.NumLists
	_, err = c.msgs.next() // skip the header
	if err != nil {
		c.s.Close()
	}
	return c, err
}

// survey reads the whole file once: header, terms, documents. It reports whether
// the terms are in order.
func (c *CIFF) survey() (sorted bool, err error) {
	s, err := openStream(c.path)
	if err != nil {
		return false, err
	}
	defer s.Close()
	m := newMessages(c.path, s)
	if err := c.readHeader(m); err != nil {
		return false, err
	}
	sorted = true
	var prev []byte
	for i := range c.header.NumLists {
		b, err := m.want("list", i, c.header.NumLists)
		if err != nil {
			return false, err
		}
		term, err := c.list.term(b)
		if err != nil {
			return false, m.bad(err)
		}
		switch cmp := bytes.Compare(prev, term); {
		case cmp == 0 && i > 0:
			return false, m.bad(fmt.Errorf("a second list for term %q", term))
		case cmp > 0:
			sorted = false
		}
		prev = append(prev[:0], term...)
	}
	if err := c.docs.read(m, c.header.NumDocs); err != nil {
		return false, err
	}
	if err := m.end(); err != nil {
		return false, err
	}
	c.before = s.BytesRead()
	return sorted, nil
}

func (c *CIFF) readHeader(m *messages) error {
	b, err := m.next()
	if err == io.EOF {
		return &Error{File: c.path, Offset: 0, Msg: "an empty file"}
	}
	if err != nil {
		return err
	}
	if err := c.header.decode(b); err != nil {
		return m.bad(fmt.Errorf("header: %w", err))
	}
	if c.header.Version != 1 {
		return m.bad(fmt.Errorf("header: CIFF version %d, only 1 is known", c.header.Version))
	}
	return nil
}

// Header returns the file's header.
func (c *CIFF) Header() CIFFHeader { return c.header }

// Docs implements InvertedSource.
func (c *CIFF) Docs() int { return len(c.docs.lengths) }

func (c *CIFF) doc(doc uint32) (_ writer.InvertedDoc, err error) {
	id, length := c.docs.at(doc)
	return writer.InvertedDoc{ID: id, Len: length}, nil
}

func (c *CIFF) next() (writer.InvertedList, error) {
	var b []byte
	var err error
	m := c.msgs
	switch {
	case c.order != nil:
		if b, err = c.order.next(); err != nil {
			return writer.InvertedList{}, err
		}
		m = c.order.msgs
	case c.left == 0:
		return writer.InvertedList{}, io.EOF
	default:
		c.left--
		if b, err = m.next(); err != nil {
			return writer.InvertedList{}, err
		}
	}
	if err := c.list.decode(b, c.Docs()); err != nil {
		return writer.InvertedList{}, m.bad(err)
	}
	return c.list.InvertedList, nil
}

// Inverted implements InvertedSource.
func (c *CIFF) Inverted() writer.Inverted {
	if c.s == nil && c.order == nil {
		return closedInverted()
	}
	return invertedOf(c)
}

// BytesRead implements InvertedSource.
func (c *CIFF) BytesRead() int64 {
	if c.s == nil {
		return c.before
	}
	return c.before + c.s.BytesRead()
}

// Close implements InvertedSource.
func (c *CIFF) Close() error {
	if c.order != nil {
		return c.order.close()
	}
	if c.s == nil {
		return nil
	}
	return c.s.Close()
}

// ciffDocs holds the document records.
type ciffDocs struct {
	ids     []byte
	ends    []int // ends[i]: the end of id i in ids, in file order
	lengths []uint32
	at2rec  []uint32 // position in the file by docID; nil: they are equal
}

// read reads n document records, whose docIDs must be 0 to n-1.
func (d *ciffDocs) read(m *messages, n int32) error {
	var rec ciffDoc
	var docs []uint32
	inOrder := true
	for i := range n {
		b, err := m.want("document", i, n)
		if err != nil {
			return err
		}
		if err := rec.decode(b); err != nil {
			return m.bad(fmt.Errorf("document record %d: %w", i, err))
		}
		if rec.doc >= uint32(n) {
			return m.bad(fmt.Errorf("document record %d: docID %d, but there are %d documents", i, rec.doc, n))
		}
		inOrder = inOrder && rec.doc == uint32(i)
		docs = append(docs, rec.doc)
		d.ids = append(d.ids, rec.id...)
		d.ends = append(d.ends, len(d.ids))
		d.lengths = append(d.lengths, rec.length)
	}
	if inOrder {
		return nil
	}
	d.at2rec = make([]uint32, n)
	for i := range d.at2rec {
		d.at2rec[i] = math.MaxUint32
	}
	for i, doc := range docs {
		if d.at2rec[doc] != math.MaxUint32 {
			return m.bad(fmt.Errorf("two document records for docID %d", doc))
		}
		d.at2rec[doc] = uint32(i)
	}
	return nil
}

func (d *ciffDocs) at(doc uint32) (id []byte, length uint32) {
	i := doc
	if d.at2rec != nil {
		i = d.at2rec[doc]
	}
	from := 0
	if i > 0 {
		from = d.ends[i-1]
	}
	return d.ids[from:d.ends[i]:d.ends[i]], d.lengths[i]
}

// messages reads length-delimited protobuf messages.
type messages struct {
	file  string
	r     *bufio.Reader
	off   int64 // offset of the next message
	start int64 // offset of the last message
	buf   []byte
}

func newMessages(file string, r io.Reader) *messages {
	return &messages{file: file, r: bufio.NewReaderSize(r, 64<<10)}
}

// next returns the next message, valid until the next call, or io.EOF.
func (m *messages) next() ([]byte, error) {
	m.start = m.off
	n, err := binary.ReadUvarint(m)
	if err == io.EOF && m.off == m.start {
		return nil, io.EOF
	}
	if err != nil {
		return nil, readFailure(m.file, 0, m.start, err)
	}
	if n > math.MaxInt32 {
		return nil, m.bad(fmt.Errorf("a message of %d bytes", n))
	}
	m.buf = m.buf[:0]
	for len(m.buf) < int(n) {
		// Grow with the bytes read, not by the length claimed.
		m.buf = slices.Grow(m.buf, min(int(n)-len(m.buf), max(len(m.buf), 64<<10)))
		part := m.buf[len(m.buf):min(int(n), cap(m.buf))]
		k, err := io.ReadFull(m.r, part)
		m.buf = m.buf[:len(m.buf)+k]
		m.off += int64(k)
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, readFailure(m.file, 0, m.start,
				fmt.Errorf("message of %d bytes, %d are there: %w", n, len(m.buf), err))
		}
	}
	return m.buf, nil
}

// ReadByte implements io.ByteReader for the length.
func (m *messages) ReadByte() (byte, error) {
	b, err := m.r.ReadByte()
	if err == nil {
		m.off++
	} else if err == io.EOF && m.off > m.start {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

// want returns the next message, which is message i of n of a kind and must
// exist.
func (m *messages) want(kind string, i, n int32) ([]byte, error) {
	b, err := m.next()
	if err == io.EOF {
		return nil, &Error{File: m.file, Offset: m.off,
			Msg: fmt.Sprintf("the file ends before %s %d of %d", kind, i+1, n), Err: io.ErrUnexpectedEOF}
	}
	return b, err
}

// end checks that nothing follows.
func (m *messages) end() error {
	if _, err := m.next(); err != io.EOF {
		return &Error{File: m.file, Offset: m.start, Msg: "the file goes on behind the last document record"}
	}
	return nil
}

// bad adds the location of the last message to err.
func (m *messages) bad(err error) error {
	return &Error{File: m.file, Offset: m.start, Msg: "broken message", Err: err}
}

// looksLikeCIFF reports whether b begins with a CIFF header of version 1.
func looksLikeCIFF(b []byte) bool {
	n, k := binary.Uvarint(b)
	if k <= 0 || n < 2 || n > uint64(len(b)-k) {
		return false
	}
	var h CIFFHeader
	return h.decode(b[k:k+int(n)]) == nil && h.Version == 1
}

// ciffOrder reads the lists of a file in the order of their terms.
type ciffOrder struct {
	f     *os.File
	temp  bool // f is a temporary inflated copy
	msgs  *messages
	lists []ciffAt
	at    int
}

// seekBuffer is the size of the read buffer when every list needs a seek: most
// lists are short, and long ones bypass the buffer.
const seekBuffer = 4 << 10

type ciffAt struct {
	term string
	off  int64
}

// newCIFFOrder finds the offsets of the n lists of the file at path.
func newCIFFOrder(path string, n int32) (o *ciffOrder, err error) {
	o = &ciffOrder{}
	if o.f, o.temp, err = seekable(path); err != nil {
		return nil, err
	}
	m := newMessages(path, o.f)
	if _, err = m.next(); err != nil {
		o.close()
		return nil, err
	}
	var list ciffList
	for i := range n {
		b, err := m.want("list", i, n)
		if err == nil {
			b, err = list.term(b)
		}
		if err != nil {
			o.close()
			return nil, err
		}
		o.lists = append(o.lists, ciffAt{string(b), m.start})
	}
	slices.SortFunc(o.lists, func(a, b ciffAt) int { return strings.Compare(a.term, b.term) })
	for i := 1; i < len(o.lists); i++ {
		if o.lists[i].term == o.lists[i-1].term {
			o.close()
			return nil, &Error{File: path, Offset: max(o.lists[i].off, o.lists[i-1].off),
				Msg: fmt.Sprintf("a second list for term %q", o.lists[i].term)}
		}
	}
	o.msgs = m
	m.r = bufio.NewReaderSize(o.f, seekBuffer)
	return o, nil
}

func (o *ciffOrder) next() ([]byte, error) {
	if o.at == len(o.lists) {
		return nil, io.EOF
	}
	off := o.lists[o.at].off
	o.at++
	o.msgs.off = off
	o.msgs.r.Reset(io.NewSectionReader(o.f, off, math.MaxInt64-off))
	return o.msgs.next()
}

func (o *ciffOrder) close() error {
	err := o.f.Close()
	if o.temp {
		os.Remove(o.f.Name())
	}
	return err
}

// seekable opens the file at path or, if it is compressed, a temporary inflated
// copy.
func seekable(path string) (f *os.File, temp bool, err error) {
	s, err := openStream(path)
	if err != nil {
		return nil, false, err
	}
	defer s.Close()
	if s.ready(); !s.packed {
		f, err = os.Open(path)
		return f, false, err
	}
	if f, err = os.CreateTemp("", "pinion-ciff-*"); err != nil {
		return nil, false, err
	}
	if _, err = io.Copy(f, s); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, false, err
	}
	return f, true, nil
}
