// Package reorder writes a segment with its documents in another order.
package reorder

import (
	"context"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/order"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/build"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer/internal/lists"
	"github.com/pinion-index/pinion/writer/internal/ordered"
)

// Reorderer writes a segment under a permutation.
type Reorderer struct {
	seg    *segment.Segment
	fields []lists.Field     // nil without a schema
	to     order.Permutation // new docIDs by old docID
	at     order.Permutation // old docIDs by new docID
}

// New returns a Reorderer that moves document i of s to docID to[i]. s must have no
// deleted documents. The schema is that of the index, or nil.
func New(s *segment.Segment, of *schema.Schema, to order.Permutation) *Reorderer {
	return &Reorderer{seg: s, fields: lists.FieldsOf(of, []*segment.Segment{s}, make([]*schema.Schema, 1)), to: to, at: to.Inverse()}
}

// Options returns the options of a Builder of the new segment.
func (r *Reorderer) Options() (build.Options, error) {
	m := r.seg.Meta()
	o := build.Options{Docs: m.Docs, Stored: m.Stored, ForeignLengths: m.ForeignLengths}
	if r.fields == nil {
		lengths, err := r.lengths(0)
		o.Lengths = []segment.LengthTable{lengths}
		return o, err
	}
	o.Stored = slices.ContainsFunc(r.fields, func(f lists.Field) bool { return f.Stored })
	for i := range r.fields {
		f := build.Field{Field: r.fields[i].Field}
		if f.HasLengths() {
			lengths := segment.NewLengthTable(make([]uint32, m.Docs))
			if number, ok := r.fields[i].Number(0); ok {
				var err error
				if lengths, err = r.lengths(number); err != nil {
					return o, err
				}
			}
			f.Lengths = []segment.LengthTable{lengths}
		}
		o.Fields = append(o.Fields, f)
	}
	return o, nil
}

// lengths returns the lengths of the documents in a field of the segment, in their new order.
func (r *Reorderer) lengths(field int) (segment.LengthTable, error) {
	lens, err := r.seg.Field(field).Lengths()
	if err != nil {
		return segment.LengthTable{}, err
	}
	lengths := make([]uint32, len(r.at))
	for doc, old := range r.at {
		lengths[doc] = lens.Get(old)
	}
	return segment.NewLengthTable(lengths), nil
}

// Write adds all documents and lists to b. It calls progress with the number of
// postings done.
func (r *Reorderer) Write(ctx context.Context, b *build.Builder, threads int, progress func(n uint64)) error {
	if err := r.documents(ctx, b, threads); err != nil {
		return err
	}
	o := lists.Options{Fields: r.fields, Threads: threads, Ahead: 2*threads + 2, Progress: progress}
	_, err := lists.Rewrite(ctx, b, []*segment.Segment{r.seg}, o, func(enc *build.ListEncoder) func(*lists.Encoded, int, []lists.Ref) error {
		w := listWorker{seg: r.seg, to: r.to, enc: enc}
		return w.term
	})
	return err
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
	for _, sec := range r.seg.Header().Sections {
		if sec.ID == format.SectionStored {
			bytes = sec.Length
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
			dropped := r.seg.Meta().Stored && lists.Dropped(r.seg, 0, r.fields)
			return func(_ context.Context, d docRange) (_ docRange, err error) {
				defer store.CatchFault(store.ArmFault(), &err)
				for _, old := range r.at[d.from:d.to] {
					if id, err = r.seg.AppendID(id[:0], old); err != nil {
						return d, err
					}
					if text, err = r.seg.AppendStored(text[:0], old); err != nil {
						return d, err
					}
					if dropped {
						if record, err = lists.AppendRecord(record[:0], text, 0, r.fields); err != nil {
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
				if err := b.CopyDoc(r.seg, old, d.buf[at:mid], d.buf[mid:end]); err != nil {
					return err
				}
				at = end
			}
			return nil
		})
}
