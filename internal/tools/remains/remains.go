// Package remains writes what is left of damaged segments, for the commands that keep it.
package remains

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/segment/salvage"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// Loss is salvage.Loss with the file that it concerns.
type Loss struct {
	File  string `json:"file"`
	What  string `json:"what"`
	Field string `json:"field"`
	Where string `json:"where"`
	Count uint64 `json:"count"`
	Error string `json:"error"`
}

// Segment is what was read of one segment.
type Segment struct {
	Docs, Lists, Postings uint64
	Losses                []Loss
}

// Add adds what x reads of segment s to w, as a segment of its own: the fields of s that the schema
// has.
func Add(ctx context.Context, w *writer.Writer, x *salvage.Source, s *segment.Segment, of *schema.Schema) (*Segment, error) {
	r := &Segment{}
	in := writer.Inverted{Docs: r.docs(x), Lists: r.lists(x.Lists(), 0), ForeignLengths: true}
	if !of.IsImplicit() {
		in = r.fields(x, keptOf(s, of))
	}
	if err := w.AddInverted(ctx, in); err != nil {
		return nil, err
	}
	for _, l := range x.Losses() {
		r.Losses = append(r.Losses, Loss{s.Name(), l.What, l.Field, l.Where, l.Count, l.Err.Error()})
	}
	return r, nil
}

func (r *Segment) docs(x *salvage.Source) iter.Seq2[writer.InvertedDoc, error] {
	return func(yield func(writer.InvertedDoc, error) bool) {
		for d := range x.Docs() {
			r.Docs++
			if !yield(writer.InvertedDoc{ID: d.ID, Len: d.Len, Text: d.Text}, nil) {
				return
			}
		}
	}
}

// lists yields lists as those of field of a collection.
func (r *Segment) lists(lists iter.Seq[salvage.List], field int) iter.Seq2[writer.InvertedList, error] {
	return func(yield func(writer.InvertedList, error) bool) {
		for l := range lists {
			r.Lists++
			r.Postings += uint64(len(l.Docs))
			if !yield(writer.InvertedList{Term: l.Term, Field: field, Postings: l.Postings, Gaps: l.Gaps}, nil) {
				return
			}
		}
	}
}

// kept is a field of a segment that its index has.
type kept struct {
	name   string // in the index
	number int    // in the segment
}

// keptOf returns the fields of s that the schema has, in bytewise order of their names there.
func keptOf(s *segment.Segment, of *schema.Schema) (all []kept) {
	for i, f := range s.Fields() {
		if now, ok := of.ByID(f.ID); ok {
			all = append(all, kept{now.Name, i})
		}
	}
	slices.SortFunc(all, func(a, b kept) int { return cmp.Compare(a.name, b.name) })
	return all
}

// fields returns what can be read of some fields of a segment.
func (r *Segment) fields(x *salvage.Source, fields []kept) writer.Inverted {
	in := writer.Inverted{Fields: make([]string, len(fields))}
	for i, f := range fields {
		in.Fields[i] = f.name
	}
	in.Docs = func(yield func(writer.InvertedDoc, error) bool) {
		var out writer.InvertedDoc
		for d := range x.Docs() {
			r.Docs++
			out.ID, out.Lens, out.Values = d.ID, out.Lens[:0], out.Values[:0]
			for _, f := range fields {
				out.Lens = append(out.Lens, d.Lens[f.number])
			}
			for _, v := range d.Values {
				if v.Field = slices.IndexFunc(fields, func(f kept) bool { return f.number == v.Field }); v.Field >= 0 {
					out.Values = append(out.Values, v)
				}
			}
			if !yield(out, nil) {
				return
			}
		}
	}
	in.Lists = func(yield func(writer.InvertedList, error) bool) {
		for i, f := range fields {
			for l, err := range r.lists(x.FieldLists(f.number), i) {
				if !yield(l, err) {
					return
				}
			}
		}
	}
	return in
}

// Print prints a table of losses.
func Print(w io.Writer, all []Loss) {
	t := cli.NewTable("lost", ">count", "where", "file", "why")
	for _, l := range all {
		if l.Field != "" {
			l.Where = fmt.Sprintf("field %q: %s", l.Field, l.Where)
		}
		t.Row(l.What, l.Count, l.Where, l.File, l.Error)
	}
	t.WriteTo(w)
}
