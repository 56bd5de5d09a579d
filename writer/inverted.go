package writer

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/build"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer/internal/lists"
	"github.com/pinion-index/pinion/writer/internal/merge"
	"github.com/pinion-index/pinion/writer/internal/ordered"
)

// Inverted is a collection that consists of posting lists, as importers of other
// engines' indexes read it. AddInverted walks both sequences once, documents first;
// an error in one of them ends it with that error. Slices need to be valid only
// until the next iteration.
type Inverted struct {
	// Docs yields the documents in docID order, counting from 0.
	Docs iter.Seq2[InvertedDoc, error]
	// Lists yields the posting lists in bytewise order of their terms.
	Lists iter.Seq2[InvertedList, error]
	// ForeignLengths allows documents' lengths to differ from the sums of their
	// frequencies.
	ForeignLengths bool
}

// InvertedDoc is a document of an Inverted collection.
type InvertedDoc struct {
	ID   []byte // 1 to 65535 bytes, unique in the collection
	Len  uint32 // its length in tokens: the sum of its frequencies, unless ForeignLengths
	Text []byte // stored if the Writer stores text
}

// InvertedList is a posting list of an Inverted collection.
type InvertedList struct {
	Term []byte // 1 to 65535 bytes
	format.Postings
}

// ListError is the error for an invalid posting list of an Inverted collection.
type ListError struct {
	Number uint64 // number of the list, from 0
	Term   string
	Err    error // a *codec.EncodeError if an element is wrong
}

// Error names the list and the element.
func (e *ListError) Error() string {
	return fmt.Sprintf("posting list %d, term %s: %v", e.Number, quote([]byte(e.Term)), e.Err)
}

// Unwrap returns the cause.
func (e *ListError) Unwrap() error { return e.Err }

// AddInverted writes a collection as a segment of its own, after everything added
// before. Its documents replace those with the same ids. A list that is out of
// order, empty or otherwise invalid ends it with a *ListError, and so does one that
// exceeds the length of a document, unless in.ForeignLengths. On any error of the
// collection nothing is added, and the Writer remains usable. AddInverted holds 16
// bytes for each document (12 with ForeignLengths) and the longest lists in memory, and
// the documents in a temporary file.
func (w *Writer) AddInverted(ctx context.Context, in Inverted) error {
	ctx = orBackground(ctx)
	if w.opts.Schema != nil {
		return fmt.Errorf("%w: posting lists that come from outside have no fields, and the index has a schema", ErrInvalid)
	}
	if in.Docs == nil || in.Lists == nil {
		return errors.Join(w.pipe.failure(), fmt.Errorf("%w: a collection without documents or lists", ErrInvalid))
	}
	var bad error // an error of the collection does not end the Writer
	err := w.pipe.exclusive(ctx, func() error {
		if err := w.flush(ctx); err != nil {
			return err
		}
		s, bare, err := w.writeInverted(ctx, in)
		if err != nil {
			bad = err
			return nil
		}
		if err := checkUnique(s); err != nil {
			w.drop(s)
			bad = err
			return nil
		}
		if err := w.push(ctx, s); err != nil {
			return err
		}
		w.changed = true
		w.bare.Add(bare)
		return nil
	})
	return errors.Join(err, bad)
}

// checkUnique returns an error that names an id shared by two documents of s.
func checkUnique(s *liveSegment) error {
	id, first, second, err := merge.Duplicate(s.seg)
	if err == nil && id != nil {
		err = fmt.Errorf("documents %d and %d have the same id %s", first, second, quote(id))
	}
	return err
}

// writeInverted writes the segment of a collection, and returns how many of its documents
// hold no term.
func (w *Writer) writeInverted(ctx context.Context, in Inverted) (s *liveSegment, bare uint64, err error) {
	docs, err := w.spoolDocs(ctx, in.Docs)
	if err != nil {
		return nil, 0, err
	}
	defer docs.temp.Close()
	out, err := w.create(build.Options{
		Docs: uint32(len(docs.lens)), Lengths: []segment.LengthTable{segment.NewLengthTable(docs.lens)}, Stored: w.opts.Stored, ForeignLengths: in.ForeignLengths,
	}, w.share(ctx))
	if err != nil {
		return nil, 0, err
	}
	defer out.discardUnlessDone()
	if err := docs.each(func(id, text []byte) error { return out.builder.AddDoc(id, text) }); err != nil {
		return nil, 0, err
	}
	var tokens *tally
	if !in.ForeignLengths {
		tokens = &tally{docs.lens, slices.Clone(docs.lens)}
	}
	if err := w.encodeLists(ctx, out.builder, in.Lists, tokens); err != nil {
		return nil, 0, err
	}
	if err := tokens.check(); err != nil {
		return nil, 0, err
	}
	for _, n := range docs.lens {
		if n == 0 {
			bare++
		}
	}
	s, err = out.finish()
	return s, bare, err
}

// tally compares the lengths of documents with the sums of their frequencies. A nil one
// takes any.
type tally struct {
	lens []uint32
	left []uint32 // tokens that no list so far has
}

// add counts a list that was encoded, so that it names only documents there are.
func (t *tally) add(p format.Postings) error {
	if t == nil {
		return nil
	}
	for i, d := range p.Docs {
		if p.Freqs[i] > t.left[d] {
			return fmt.Errorf("document %d has length %d, but its frequencies up to here exceed that", d, t.lens[d])
		}
		t.left[d] -= p.Freqs[i]
	}
	return nil
}

// check returns an error if a document has tokens left.
func (t *tally) check() error {
	if t == nil {
		return nil
	}
	for d, n := range t.left {
		if n > 0 {
			return fmt.Errorf("document %d has length %d, but its frequencies sum to %d", d, t.lens[d], t.lens[d]-n)
		}
	}
	return nil
}

// docSpool holds documents in a temporary file until all their lengths are known.
type docSpool struct {
	temp store.Temp
	buf  *bufio.Writer
	lens []uint32
}

func (w *Writer) spoolDocs(ctx context.Context, docs iter.Seq2[InvertedDoc, error]) (*docSpool, error) {
	temp, err := w.lock.CreateTemp()
	if err != nil {
		return nil, err
	}
	done := false
	defer func() {
		if !done { // docs may have panicked
			temp.Close()
		}
	}()
	s := &docSpool{temp: temp, buf: bufio.NewWriterSize(temp, 256<<10)}
	for d, err := range docs {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = s.add(d, w.opts.Stored)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := s.buf.Flush(); err != nil {
		return nil, err
	}
	done = true
	return s, nil
}

func (s *docSpool) add(d InvertedDoc, text bool) error {
	if err := checkID(d.ID); err != nil {
		return fmt.Errorf("document %d: %w", len(s.lens), err)
	}
	if len(s.lens) == segment.MaxDocs {
		return fmt.Errorf("writer: more than %d documents", segment.MaxDocs)
	}
	if !text {
		d.Text = nil
	}
	s.lens = append(s.lens, d.Len)
	var room [2 * binary.MaxVarintLen64]byte
	head := binary.AppendUvarint(room[:0], uint64(len(d.ID)))
	head = binary.AppendUvarint(head, uint64(len(d.Text)))
	s.buf.Write(head)
	s.buf.Write(d.ID)
	_, err := s.buf.Write(d.Text)
	return err
}

// each calls f with every document.
func (s *docSpool) each(f func(id, text []byte) error) error {
	r := bufio.NewReaderSize(io.NewSectionReader(s.temp, 0, math.MaxInt64), 256<<10)
	var b []byte
	for range s.lens {
		nid, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		ntext, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		b = append(b[:0], make([]byte, nid+ntext)...)
		if _, err := io.ReadFull(r, b); err != nil {
			return err
		}
		if err := f(b[:nid], b[nid:]); err != nil {
			return err
		}
	}
	return nil
}

// listJob is a number of lists to encode.
type listJob struct {
	first    uint64 // number of the first list
	terms    []byte
	ends     []int
	postings format.Postings
	listEnds []int // in postings

	result lists.Encoded
}

func (j *listJob) add(l InvertedList) {
	j.terms = append(j.terms, l.Term...)
	j.ends = append(j.ends, len(j.terms))
	j.postings = j.postings.Append(l.Postings)
	j.listEnds = append(j.listEnds, j.postings.Len())
}

func (j *listJob) term(i int) []byte {
	from := 0
	if i > 0 {
		from = j.ends[i-1]
	}
	return j.terms[from:j.ends[i]]
}

// encode encodes all lists of j.
func (j *listJob) encode(enc *build.ListEncoder) error {
	from := 0
	for i, to := range j.listEnds {
		if err := j.result.Encode(enc, j.postings.Slice(from, to)); err != nil {
			return j.fail(i, err)
		}
		from = to
	}
	return nil
}

// append appends all lists of j, which are encoded, to b and counts them in tokens.
func (j *listJob) append(b *build.Builder, tokens *tally) error {
	from := 0
	for i, to := range j.listEnds {
		if err := b.Append(j.term(i), j.result.List(i)); err != nil {
			return j.fail(i, err)
		}
		if err := tokens.add(j.postings.Slice(from, to)); err != nil {
			return j.fail(i, err)
		}
		from = to
	}
	return nil
}

func (j *listJob) fail(i int, err error) error {
	return &ListError{Number: j.first + uint64(i), Term: string(j.term(i)), Err: err}
}

// encodeLists encodes lists on several goroutines, appends them in order and counts them
// in tokens.
func (w *Writer) encodeLists(ctx context.Context, b *build.Builder, in iter.Seq2[InvertedList, error], tokens *tally) error {
	return ordered.Run(ctx, w.opts.Threads, 2*w.opts.Threads+2,
		func(_ context.Context, yield func(*listJob) bool) error {
			j, n := &listJob{}, uint64(0)
			for l, err := range in {
				if err == nil && len(l.Docs) != len(l.Freqs) {
					err = &ListError{n, string(l.Term), fmt.Errorf("%d docIDs but %d frequencies", len(l.Docs), len(l.Freqs))}
				}
				if err != nil {
					return err
				}
				j.add(l)
				n++
				if j.postings.Len() < lists.ChunkPostings && len(j.ends) < lists.ChunkTerms && len(j.terms) < lists.ChunkBytes {
					continue
				}
				if !yield(j) {
					return nil
				}
				j = &listJob{first: n}
			}
			if len(j.ends) > 0 {
				yield(j)
			}
			return nil
		},
		func() func(context.Context, *listJob) (*listJob, error) {
			enc := b.NewListEncoder()
			return func(_ context.Context, j *listJob) (*listJob, error) { return j, j.encode(enc) }
		},
		func(j *listJob) error { return j.append(b, tokens) })
}
