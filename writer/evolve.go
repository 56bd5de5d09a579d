package writer

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pinion-index/pinion/schema"
)

// Evolve gives the index another schema, while documents are added, deleted and merged, and commits it with all changes so far: one
// commit, or the schema is as before. Fields that s has and the index does not are added behind those of the index, whose numbers
// stay, and documents that are there have no values of them; fields that the index has and s does not stay. K1, B and Boost
// are those of s. If s has the ids of the index's fields, as what Writer.Schema returns, it must be made of the index's newest schema. Calls
// that add or delete wait until Evolve has ended.
//
// The text of an index that began with the implicit schema is called "text" from then on, and has no length where it is empty. Its
// segments are written anew, which takes as long as merging each, and ctx ends; afterwards ctx ends nothing more.
//
// The error for what cannot change, such as the analyzer of a field, names the field and matches schema.ErrInvalid; the Writer
// remains usable. What is wrong with it otherwise is what is wrong with Commit.
func (w *Writer) Evolve(ctx context.Context, s *schema.Schema) error {
	ctx = orBackground(ctx)
	if err := w.pipe.take(ctx, w.pipe.gate); err != nil {
		return err
	}
	defer w.pipe.leave()
	if s == nil {
		return fmt.Errorf("%w: no schema", ErrInvalid)
	}
	s, err := canonical(s)
	if err != nil {
		return err
	}
	next, err := evolving{w}.evolved(w.opts.Schema, s)
	if err != nil || next.Equal(w.opts.Schema) {
		return err
	}
	var bad error
	err = w.pipe.alone(ctx, w.pipe.cut(), func() error {
		if err := (flushing{w}).flush(ctx); err != nil {
			return err
		}
		if bad = (evolving{w}).canName(w.opts.Schema, next); bad != nil {
			return nil
		}
		if err := (evolving{w}).nameText(ctx, w.opts.Schema, next); err != nil {
			return err
		}
		w.opts.Schema = next
		w.current.Store(next)
		if err := (evolving{w}).setFields(); err != nil {
			return err
		}
		w.pipe.freeBatches() // they have room for the fields before
		w.changed = true
		return w.commit(context.WithoutCancel(ctx))
	})
	return cmp.Or(bad, err)
}

// canName returns why the text of an index of schema old, the implicit one, cannot be a field of s, if it cannot.
func (w evolving) canName(old, s *schema.Schema) error {
	for _, x := range w.segments {
		if old.IsImplicit() && !s.IsImplicit() && x.seg.Meta().ForeignLengths {
			return fmt.Errorf("%w: the index keeps to documents of one text: the lengths in %s were imported, and are not those of its lists", schema.ErrInvalid, x.seg.Name())
		}
	}
	return nil
}

// nameText writes the segments of an index of schema old anew, as those of s, if old is the implicit one and in s fields have names.
// Unless it fails, the new ones have taken the place of the old.
func (w evolving) nameText(ctx context.Context, old, s *schema.Schema) (err error) {
	if !old.IsImplicit() || s.IsImplicit() {
		return nil
	}
	of := w.share(ctx)
	of.schema = s
	var made []*liveSegment
	defer func() {
		if err != nil {
			for _, x := range made {
				w.drop(x)
			}
		}
	}()
	for _, x := range w.segments {
		if x.deleted() == x.info.Docs {
			continue
		}
		m, _, err := merging(w).merge(ctx, []*liveSegment{x}, of)
		if err != nil {
			return fmt.Errorf("writing %s anew: %w", x.seg.Name(), err)
		}
		made = append(made, m)
	}
	merging(w).replace(0, len(w.segments), made...)
	return nil
}

// evolved returns what Evolve makes of the index's schema.
func (w evolving) evolved(old, s *schema.Schema) (*schema.Schema, error) {
	adopted, err := s.Adopt(old)
	if err != nil {
		return nil, err
	}
	next := &schema.Schema{NextID: adopted.NextID}
	if old.IsImplicit() && !adopted.IsImplicit() {
		if old, err = old.Adopt(adopted); err != nil { // with its name and id
			return nil, err
		}
	}
	for i := range old.Fields {
		o := &old.Fields[i]
		f, ok := adopted.ByID(o.ID)
		switch {
		case !ok:
			return nil, fmt.Errorf("%w: field %q: it is not dropped while the index is in use, but when it is opened", schema.ErrInvalid, o.Name)
		case f.Name != o.Name:
			return nil, fmt.Errorf("%w: field %q: it is not renamed while the index is in use, but when it is opened", schema.ErrInvalid, o.Name)
		}
		next.Fields = append(next.Fields, *f)
	}
	for _, f := range adopted.Fields {
		if _, ok := old.ByID(f.ID); !ok {
			next.Fields = append(next.Fields, f)
		}
	}
	return complete(next)
}
