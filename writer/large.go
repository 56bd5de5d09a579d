package writer

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer/internal/invert"
)

// MaxDocument returns the size of the largest document that a Writer of these options takes: a
// quarter of Memory, and at most 512 MiB. It is the sum of the bytes of all values, of which each
// counts at least 8; ids do not count.
func (o *Options) MaxDocument() int {
	return int(min(cmp.Or(o.Memory, DefaultMemory)/flightShare, segment.MaxText/2+1))
}

// leastValue is what a value counts at least in the size of a document, for what it takes besides its bytes.
const leastValue = 8

// batched returns the size of the largest document that goes into a batch: if it is alone in flight, it
// may use the whole share of batches. Larger ones are inverted in pieces, by addLarge.
func (o *Options) batched() int {
	if o.large > 0 {
		return o.large
	}
	return int(cmp.Or(o.Memory, DefaultMemory) / flightShare / int64(o.batchCost()))
}

// checkSize returns an error if a document is too large, which has n bytes of what.
func (o *Options) checkSize(id []byte, n int, what string) error {
	if most := o.MaxDocument(); n > most {
		return fmt.Errorf("%w %s: %d bytes %s, at most %d fit the memory budget, a quarter of it", ErrDocument, quote(id), n, what, most)
	}
	return nil
}

// addLarge adds a document that does not go into a batch, as a segment of its own. It does not return
// before that is written, and copies only what is stored. What is held of the document until then are its terms and
// their positions, compressed.
//
// The caller holds the gate.
func (w *Writer) addLarge(ctx context.Context, d Doc) error {
	var bad error // of the document: it does not end the Writer
	err := w.pipe.alone(ctx, w.pipe.cut(), func() error {
		v := evolving{w}.newInverter()
		v.Piece = w.opts.piece
		l, err := v.Large(ctx, d.ID, d.Values)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			bad = fmt.Errorf("%w %s: %w", ErrDocument, quote(d.ID), err)
			return nil
		}
		for range 2 { // the second time frees the memory
			if err := (flushing{w}).flush(ctx); err != nil {
				return err
			}
		}
		s, err := flushing{w}.writeLarge(ctx, l)
		if err != nil {
			return fmt.Errorf("writing a segment: %w", err)
		}
		if err := (flushing{w}).push(ctx, s); err != nil {
			return err
		}
		w.changed = true
		if l.Bare {
			w.bare.Add(1)
		}
		return nil
	})
	return cmp.Or(err, bad)
}

// writeLarge writes the segment of a document.
func (w flushing) writeLarge(ctx context.Context, l *invert.Large) (*liveSegment, error) {
	out, err := w.create(options(1, l.FieldsOf(w.fields)), w.share(ctx))
	if err != nil {
		return nil, err
	}
	defer out.discardUnlessDone()
	if err := l.Write(ctx, out.builder, w.fields, w.spaces()); err != nil {
		return nil, err
	}
	return out.finish()
}
