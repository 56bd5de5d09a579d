// Package reorder writes one segment from one or several with their documents in another order.
package reorder

import (
	"context"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer/internal/lists"
	"github.com/pinion-index/pinion/writer/internal/ordered"
)

// Source is a segment whose documents are reordered.
type Source struct {
	Segment *segment.Segment
	Deletes *docset.Bits   // documents that are left out; nil: none
	Schema  *schema.Schema // of another index that the segment is of; nil: of the output's
}

// Doc is a document: the number of its source, and its docID there.
type Doc struct{ Source, Doc uint32 }

// none is the new docID of a document that is left out.
const none = ^uint32(0)

// Moves are the new docIDs of the documents of each source.
type Moves [][]uint32

// Remap returns documents of the sources, one bitmap or nil for each, by their new docIDs.
func (m Moves) Remap(docs []*docset.Bits) *docset.Bits {
	out := &docset.Bits{}
	for i, of := range docs {
		for doc := range of.All() {
			if to := m[i][doc]; to != none {
				out.Add(to)
			}
		}
	}
	return out
}

// Reorderer writes a segment.
type Reorderer struct {
	sources  []Source
	segments []*segment.Segment
	fields   []lists.Field
	at       []Doc // the documents in their new order
	to       Moves
	stored   bool
}

// New returns a Reorderer that writes the documents at, which are all of the sources but those
// deleted, in this order. The schema is that of the index, or nil; without one there is one source.
func New(sources []Source, of *schema.Schema, at []Doc) *Reorderer {
	r := &Reorderer{sources: sources, at: at, to: make(Moves, len(sources))}
	schemas := make([]*schema.Schema, len(sources))
	for i, s := range sources {
		r.segments = append(r.segments, s.Segment)
		schemas[i] = s.Schema
		r.to[i] = make([]uint32, s.Segment.Meta().Docs)
		for doc := range r.to[i] {
			r.to[i][doc] = none
		}
	}
	for to, d := range at {
		r.to[d.Source][d.Doc] = uint32(to)
	}
	r.fields = lists.FieldsOf(of, r.segments, schemas)
	r.stored = slices.ContainsFunc(r.fields, func(f lists.Field) bool { return f.Stored })
	return r
}

// Moves returns where the documents go.
func (r *Reorderer) Moves() Moves { return r.to }

// Options returns the options of a Builder of the new segment.
func (r *Reorderer) Options() (build.Options, error) {
	m := r.segments[0].Meta()
	o := build.Options{Docs: uint32(len(r.at)), Stored: r.stored, ForeignLengths: m.ForeignLengths}
	for i := range r.fields {
		f := build.Field{Field: r.fields[i].Field}
		if f.HasLengths() {
			lengths, err := r.lengths(&r.fields[i])
			if err != nil {
				return o, err
			}
			f.Lengths = []segment.LengthTable{lengths}
		}
		o.Fields = append(o.Fields, f)
	}
	return o, nil
}

// lengths returns the lengths of the documents in a field, in their new order.
func (r *Reorderer) lengths(f *lists.Field) (segment.LengthTable, error) {
	lengths := make([]uint32, len(r.at))
	for i, s := range r.segments {
		number, ok := f.Number(i)
		if !ok {
			continue
		}
		lens, err := s.Field(number).Lengths()
		if err != nil {
			return segment.LengthTable{}, err
		}
		for doc, to := range r.to[i] {
			if to != none {
				lengths[to] = lens.Get(uint32(doc))
			}
		}
	}
	return segment.NewLengthTable(lengths), nil
}

// Write adds all documents, lists and columns to b. It calls progress with the number of
// postings done.
func (r *Reorderer) Write(ctx context.Context, b *build.Builder, o lists.Options) (lists.Counts, error) {
	if err := r.documents(ctx, b, o.Threads); err != nil {
		return lists.Counts{}, err
	}
	o.Fields = r.fields
	counts, err := lists.Rewrite(ctx, b, r.segments, o, func(enc *build.ListEncoder) func(*lists.Encoded, int, []lists.Ref) error {
		w := listWorker{segments: r.segments, few: make([]segment.SmallGaps, len(r.segments)), fields: r.fields, to: r.to, docs: len(r.at), enc: enc}
		return w.term
	})
	if err != nil {
		return counts, err
	}
	return counts, lists.Columns(ctx, b, r.fields, r.segments, r.documentsAt, func(i int, s *build.ColumnSource) {
		s.Whole, s.Shuffled = r.sources[i].Deletes.Len() == 0, true
	})
}

// documentsAt yields the documents in their new order.
func (r *Reorderer) documentsAt(yield func(build.ColumnRun) bool) {
	for i := 0; i < len(r.at); {
		d, n := r.at[i], uint32(1)
		for i++; i < len(r.at) && r.at[i] == (Doc{d.Source, d.Doc + n}); i++ {
			n++
		}
		if !yield(build.ColumnRun{Source: int(d.Source), From: d.Doc, To: d.Doc + n}) {
			return
		}
	}
}

// docRange is a range of documents: their ids and texts back to back.
type docRange struct {
	from, to uint32 // new docIDs
	buf      []byte
	ends     []int // ends of ids and texts, alternating
}

// A job fetches at most that many documents, and fewer if they are long.
const (
	documentsPerJob = 256
	textPerJob      = 256 << 10
)

// perJob returns how many documents a job fetches.
func (r *Reorderer) perJob() int {
	var bytes int64
	for _, s := range r.segments {
		if sec, ok := s.Header().Section(format.SectionStored); ok {
			bytes += sec.Length
		}
	}
	return max(1, min(documentsPerJob, int(textPerJob/(1+bytes/int64(len(r.at))))))
}

// documents adds all documents to b. It reads each from its old position, in random
// order, so several goroutines do it.
func (r *Reorderer) documents(ctx context.Context, b *build.Builder, threads int) error {
	n := r.perJob()
	return ordered.Run(ctx, threads, 2*threads+2,
		func(_ context.Context, yield func(docRange) bool) error {
			for from := 0; from < len(r.at); from += n {
				to := min(from+n, len(r.at))
				if !yield(docRange{from: uint32(from), to: uint32(to)}) {
					break
				}
			}
			return nil
		},
		func() func(context.Context, docRange) (docRange, error) {
			var id, text, record []byte
			dropped := make([]bool, len(r.segments))
			for i, s := range r.segments {
				dropped[i] = s.Meta().Stored && lists.Dropped(s, i, r.fields)
			}
			return func(_ context.Context, d docRange) (_ docRange, err error) {
				defer indexdir.CatchFault(indexdir.ArmFault(), &err)
				for _, old := range r.at[d.from:d.to] {
					seg := r.segments[old.Source]
					if id, err = seg.Documents().AppendID(id[:0], old.Doc); err != nil {
						return d, err
					}
					if text, err = seg.Documents().AppendStored(text[:0], old.Doc); err != nil {
						return d, err
					}
					if dropped[old.Source] {
						if record, err = lists.AppendRecord(record[:0], text, seg, old.Doc, int(old.Source), r.fields); err != nil {
							return d, err
						}
						text = append(text[:0], record...)
					}
					d.buf = append(d.buf, id...)
					d.ends = append(d.ends, len(d.buf))
					d.buf = append(d.buf, text...)
					d.ends = append(d.ends, len(d.buf))
				}
				return d, nil
			}
		},
		func(d docRange) error {
			at := 0
			for i, old := range r.at[d.from:d.to] {
				mid, end := d.ends[2*i], d.ends[2*i+1]
				if err := b.CopyDoc(r.segments[old.Source], old.Doc, d.buf[at:mid], d.buf[mid:end]); err != nil {
					return err
				}
				at = end
			}
			return nil
		})
}
