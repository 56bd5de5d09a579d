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

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
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
	// Lists yields the posting lists in bytewise order of their terms, those of several fields
	// field by field, in the order of Fields.
	Lists iter.Seq2[InvertedList, error]
	// ForeignLengths allows documents' lengths to differ from the sums of their
	// frequencies. In a field of a schema they may not.
	ForeignLengths bool
	// Field is the name of the field of the schema that the lists are of, which is indexed.
	// It is "" without a schema, and with Fields.
	Field string
	// Fields are, instead of Field, the names of several fields of the schema, in bytewise
	// order. Those that are not indexed have no lists.
	Fields []string
}

// InvertedDoc is a document of an Inverted collection.
type InvertedDoc struct {
	ID   []byte // 1 to 65535 bytes, unique in the collection
	Len  uint32 // its length in tokens: the sum of its frequencies, unless ForeignLengths or in a field without lengths
	Text []byte // stored if the Writer stores text, or as the value of a field that is stored unless it is empty

	// With Inverted.Fields, instead of Len and Text:
	Lens   []uint32       // its lengths in these fields, 0 in those without lengths
	Values []schema.Value // whose Field is a number in Inverted.Fields; those of fields that are stored, have a column or are of kind vector are kept
}

// InvertedList is a posting list of an Inverted collection.
type InvertedList struct {
	Term  []byte // 1 to 65535 bytes
	Field int    // number in Inverted.Fields, 0 without them
	format.Postings

	// Gaps are those of the positions, in a field that has them: for each posting the first
	// position, then for each other one how many positions lie between it and the one before.
	Gaps []uint32
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
// exceeds the length of a document, unless in.ForeignLengths. With a schema the documents
// have what is in in.Field or in.Fields, and nothing in the others; in.Field has neither a column nor positions. On any error of the
// collection nothing is added, and the Writer remains usable. AddInverted holds 16
// bytes for each document and field (12 with ForeignLengths), 16 for each value of a column and
// the longest lists in memory, and the documents in a temporary file.
func (w *Writer) AddInverted(ctx context.Context, in Inverted) error {
	ctx = orBackground(ctx)
	if in.Docs == nil || in.Lists == nil {
		return errors.Join(w.pipe.failure(), fmt.Errorf("%w: a collection without documents or lists", ErrInvalid))
	}
	fields, err := importing{w}.invertedFields(&in)
	if err != nil {
		return errors.Join(w.pipe.failure(), err)
	}
	var bad error // an error of the collection does not end the Writer
	err = w.pipe.exclusive(ctx, func() error {
		if err := (flushing{w}).flush(ctx); err != nil {
			return err
		}
		s, bare, err := importing{w}.writeInverted(ctx, in, fields)
		if err != nil {
			bad = err
			return nil
		}
		if err := checkUnique(s); err != nil {
			w.drop(s)
			bad = err
			return nil
		}
		if s, err = (ordering{w}).sorted(ctx, s); err != nil {
			return err
		}
		if err := (flushing{w}).push(ctx, s); err != nil {
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
func (w importing) writeInverted(ctx context.Context, in Inverted, fields *invertedFields) (s *liveSegment, bare uint64, err error) {
	docs, err := w.spoolDocs(ctx, in.Docs, fields)
	if err != nil {
		return nil, 0, err
	}
	defer docs.temp.Close()
	o := fields.options(docs.n, docs.lens)
	o.ForeignLengths = in.ForeignLengths && fields.isText()
	out, err := w.create(o, w.share(ctx))
	if err != nil {
		return nil, 0, err
	}
	defer out.discardUnlessDone()
	if err := docs.each(func(id, text []byte) error { return out.builder.AddDoc(id, text) }); err != nil {
		return nil, 0, err
	}
	to := &listSink{b: out.builder, fields: fields, tokens: newTallies(&in, docs, fields), field: -1}
	if err = w.encodeLists(ctx, in.Lists, to); err == nil {
		err = to.check()
	}
	if err == nil {
		err = fields.writeColumns(out.builder, docs.n)
	}
	if err == nil {
		err = fields.writeVectors(ctx, out.builder, flushing(w).spaces(), w.opts.Threads)
	}
	if err != nil {
		return nil, 0, err
	}
	bare = docs.bare(to.tokens)
	s, err = out.finish()
	return s, bare, err
}

// docSpool holds documents in a temporary file until all their lengths are known.
type docSpool struct {
	temp store.Temp
	buf  *bufio.Writer
	n    int        // documents
	lens [][]uint32 // of the documents, by field of the collection
}

func (w importing) spoolDocs(ctx context.Context, docs iter.Seq2[InvertedDoc, error], fields *invertedFields) (*docSpool, error) {
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
	s := &docSpool{temp: temp, buf: bufio.NewWriterSize(temp, 256<<10), lens: make([][]uint32, fields.count())}
	for d, err := range docs {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = s.add(d, fields)
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

func (s *docSpool) add(d InvertedDoc, fields *invertedFields) error {
	if s.n == segment.MaxDocs {
		return fmt.Errorf("writer: more than %d documents", segment.MaxDocs)
	}
	err := checkID(d.ID)
	if err == nil {
		d.Text, err = fields.stored(uint32(s.n), &d)
	}
	if err != nil {
		if err = fmt.Errorf("document %d: %w", s.n, err); !fields.several {
			err = fields.locate(0, err)
		}
		return err
	}
	if !fields.several {
		s.lens[0] = append(s.lens[0], d.Len)
	} else {
		for i, n := range d.Lens {
			if fields.of(i).HasLengths() {
				s.lens[i] = append(s.lens[i], n)
			}
		}
	}
	s.n++
	var room [2 * binary.MaxVarintLen64]byte
	head := binary.AppendUvarint(room[:0], uint64(len(d.ID)))
	head = binary.AppendUvarint(head, uint64(len(d.Text)))
	s.buf.Write(head)
	s.buf.Write(d.ID)
	_, err = s.buf.Write(d.Text)
	return err
}

// each calls f with every document.
func (s *docSpool) each(f func(id, text []byte) error) error {
	r := bufio.NewReaderSize(io.NewSectionReader(s.temp, 0, math.MaxInt64), 256<<10)
	var b []byte
	for range s.n {
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

// listJob is a number of lists of one field to encode.
type listJob struct {
	first    uint64 // number of the first list
	field    int    // of the collection
	terms    []byte
	ends     []int
	postings format.Postings
	listEnds []int // in postings
	gaps     []uint32
	gapEnds  []int // of each list

	result lists.Encoded
}

func (j *listJob) add(l InvertedList) {
	j.terms = append(j.terms, l.Term...)
	j.ends = append(j.ends, len(j.terms))
	j.postings = j.postings.Append(l.Postings)
	j.listEnds = append(j.listEnds, j.postings.Len())
	j.gaps = append(j.gaps, l.Gaps...)
	j.gapEnds = append(j.gapEnds, len(j.gaps))
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
	from, fromGap := 0, 0
	for i, to := range j.listEnds {
		if err := j.result.Encode(enc, j.postings.Slice(from, to), j.gaps[fromGap:j.gapEnds[i]]); err != nil {
			return j.fail(i, err)
		}
		from, fromGap = to, j.gapEnds[i]
	}
	return nil
}

func (j *listJob) fail(i int, err error) error {
	return &ListError{Number: j.first + uint64(i), Term: string(j.term(i)), Err: err}
}

// full reports whether j has enough lists.
func (j *listJob) full() bool {
	return j.postings.Len() >= lists.ChunkPostings || len(j.ends) >= lists.ChunkTerms || len(j.terms) >= lists.ChunkBytes
}

// encodeLists encodes lists on several goroutines and hands them to a sink in order.
func (w importing) encodeLists(ctx context.Context, in iter.Seq2[InvertedList, error], to *listSink) error {
	return ordered.Run(ctx, w.opts.Threads, 2*w.opts.Threads+2,
		func(_ context.Context, yield func(*listJob) bool) error { return batchLists(in, to.fields, yield) },
		func() func(context.Context, *listJob) (*listJob, error) {
			enc := to.b.NewListEncoder()
			return func(_ context.Context, j *listJob) (*listJob, error) {
				enc.SetField(to.fields.rank(j.field))
				return j, to.fields.locate(j.field, j.encode(enc))
			}
		},
		to.append)
}

// batchLists yields the lists in jobs.
func batchLists(in iter.Seq2[InvertedList, error], fields *invertedFields, yield func(*listJob) bool) error {
	j, n := &listJob{}, uint64(0)
	for l, err := range in {
		if err == nil {
			err = checkList(&l, n, j.field, fields)
		}
		if err != nil {
			return err
		}
		if len(j.ends) > 0 && (j.full() || l.Field != j.field) {
			if !yield(j) {
				return nil
			}
			j = &listJob{first: n}
		}
		j.field = l.Field
		j.add(l)
		n++
	}
	if len(j.ends) > 0 {
		yield(j)
	}
	return nil
}

// checkList checks list number n, which follows one of a field.
func checkList(l *InvertedList, n uint64, after int, fields *invertedFields) error {
	var err error
	switch {
	case len(l.Docs) != len(l.Freqs):
		err = fmt.Errorf("%d docIDs but %d frequencies", len(l.Docs), len(l.Freqs))
	case l.Field < after || l.Field >= fields.count():
		err = fmt.Errorf("a list of field %d of %d follows one of field %d", l.Field, fields.count(), after)
	case fields.of(l.Field).Indexing() == schema.IndexNone:
		err = errors.New("the field is not indexed")
	default:
		return nil
	}
	err = &ListError{n, string(l.Term), err}
	if l.Field >= 0 && l.Field < fields.count() {
		err = fields.locate(l.Field, err)
	}
	return err
}
