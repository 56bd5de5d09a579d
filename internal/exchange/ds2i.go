package exchange

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/pinion-index/pinion/writer"
)

// DS2I reads a collection of binary sequences in the format of ds2i and PISA. A
// sequence is a 32-bit little-endian length and that many 32-bit little-endian
// integers. BASE.docs holds one sequence with the number of documents, then the
// docIDs of every list; BASE.freqs holds the frequencies of every list;
// BASE.sizes holds one sequence with the length of every document.
//
// BASE.terms and BASE.documents, with one name per line, are used if they exist.
// Otherwise the name of a term or document is its number in decimal. DS2I returns
// the lists in bytewise order of their terms, whatever the order in the files. It
// is not safe for concurrent use, except for BytesRead.
type DS2I struct {
	base        string
	docs, freqs *sequences
	lengths     []uint32
	ids         names
	lists       []ds2iList
	at          int
	list        writer.InvertedList
	read        atomic.Int64
}

// ds2iList is one list: its term and the offsets of its sequences.
type ds2iList struct {
	term        string
	docs, freqs int64
}

// OpenDS2I opens the collection at path, which is its basename or one of its
// files. It reads documents and terms and finds every list. The caller closes the
// DS2I.
func OpenDS2I(path string) (*DS2I, error) {
	base, ok := ds2iBase(path)
	if !ok {
		return nil, fmt.Errorf("%s names no ds2i collection: %s.docs, .freqs and .sizes are wanted", path, base)
	}
	d := &DS2I{base: base}
	if err := d.open(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func (d *DS2I) open() (err error) {
	if d.docs, err = openSequences(d.base+".docs", &d.read); err != nil {
		return err
	}
	if d.freqs, err = openSequences(d.base+".freqs", &d.read); err != nil {
		return err
	}
	head, err := d.docs.next(nil)
	if err != nil {
		return err
	}
	if len(head) != 1 || head[0] > MaxDocs {
		return d.docs.bad("one number, that of documents, is wanted first")
	}
	if err := d.readSizes(head[0]); err != nil {
		return err
	}
	if d.ids, err = readNames(d.base+".documents", int(head[0]), checkID); err != nil {
		return err
	}
	return d.findLists()
}

// readSizes reads the lengths of the docs documents.
func (d *DS2I) readSizes(docs uint32) error {
	s, err := openSequences(d.base+".sizes", &d.read)
	if err != nil {
		return err
	}
	defer s.f.Close()
	if d.lengths, err = s.next(nil); err != nil {
		return err
	}
	if uint64(len(d.lengths)) != uint64(docs) {
		return s.bad(fmt.Sprintf("lengths of %d documents, %s.docs says %d", len(d.lengths), d.base, docs))
	}
	if s.off != s.size {
		return &Error{File: s.file, Offset: s.off, Msg: "the file goes on behind the lengths"}
	}
	return nil
}

// findLists records the offset of every list and sorts the terms.
func (d *DS2I) findLists() error {
	for d.docs.off < d.docs.size {
		l := ds2iList{docs: d.docs.off, freqs: d.freqs.off}
		n, err := d.docs.length()
		if err != nil {
			return err
		}
		if d.freqs.off == d.freqs.size {
			return &Error{File: d.freqs.file, Offset: d.freqs.off,
				Msg: fmt.Sprintf("the file ends before list %d", len(d.lists))}
		}
		m, err := d.freqs.length()
		if err != nil {
			return err
		}
		switch {
		case n == 0:
			return d.docs.bad(fmt.Sprintf("list %d is empty", len(d.lists)))
		case n != m:
			return d.freqs.bad(fmt.Sprintf("list %d has %d docIDs and %d frequencies", len(d.lists), n, m))
		}
		d.lists = append(d.lists, l)
	}
	if d.freqs.off != d.freqs.size {
		return &Error{File: d.freqs.file, Offset: d.freqs.off, Msg: "more lists than in " + d.docs.file}
	}
	terms, err := readNames(d.base+".terms", len(d.lists), checkTerm)
	if err != nil {
		return err
	}
	for i := range d.lists {
		d.lists[i].term = string(terms.at(i))
	}
	slices.SortStableFunc(d.lists, func(a, b ds2iList) int { return strings.Compare(a.term, b.term) })
	for i := 1; i < len(d.lists); i++ {
		if d.lists[i].term == d.lists[i-1].term {
			return &Error{File: d.base + ".terms", Offset: -1, Msg: fmt.Sprintf("term %q comes twice", d.lists[i].term)}
		}
	}
	return nil
}

// Docs implements InvertedSource.
func (d *DS2I) Docs() int { return len(d.lengths) }

func (d *DS2I) doc(doc uint32) (_ writer.InvertedDoc, err error) {
	return writer.InvertedDoc{ID: d.ids.at(int(doc)), Len: d.lengths[doc]}, nil
}

func (d *DS2I) next() (writer.InvertedList, error) {
	if d.at == len(d.lists) {
		return writer.InvertedList{}, io.EOF
	}
	l := d.lists[d.at]
	d.at++
	var err error
	d.list.Term = append(d.list.Term[:0], l.term...)
	if d.list.Docs, err = d.docs.readAt(l.docs, d.list.Docs[:0]); err != nil {
		return writer.InvertedList{}, err
	}
	if d.list.Freqs, err = d.freqs.readAt(l.freqs, d.list.Freqs[:0]); err != nil {
		return writer.InvertedList{}, err
	}
	if len(d.list.Docs) != len(d.list.Freqs) {
		return writer.InvertedList{}, d.docs.bad("the file changed while it was read")
	}
	prev := int64(-1)
	for i, doc := range d.list.Docs {
		if int64(doc) <= prev || int(doc) >= len(d.lengths) {
			return writer.InvertedList{}, d.docs.bad(fmt.Sprintf("term %q: docID %d of %d documents behind docID %d", l.term, doc, len(d.lengths), prev))
		}
		prev = int64(doc)
		if d.list.Freqs[i] == 0 {
			return writer.InvertedList{}, d.freqs.bad(fmt.Sprintf("term %q: posting %d has the frequency 0", l.term, i))
		}
	}
	return d.list, nil
}

// Inverted implements InvertedSource.
func (d *DS2I) Inverted() writer.Inverted {
	if d.docs == nil {
		return closedInverted()
	}
	return invertedOf(d)
}

// BytesRead implements InvertedSource.
func (d *DS2I) BytesRead() int64 { return d.read.Load() }

// Close implements InvertedSource.
func (d *DS2I) Close() error {
	var first error
	for _, s := range []*sequences{d.docs, d.freqs} {
		if s == nil {
			continue
		}
		if err := s.f.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}
