package pinion

import (
	"context"
	"fmt"
	"time"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Text returns a document for an index without a schema: its id and its text.
func Text(id, text string) Doc {
	return Doc{ID: []byte(id), Values: []schema.Value{schema.TextValue(0, []byte(text))}}
}

// Add adds documents. Each replaces one with the same id. Searches see them, and they survive a
// crash, after the times in Options. Add waits while more documents are under way than
// the memory budget allows, and no longer than ctx. The error for a bad document matches
// writer.ErrDocument, and those before it are added. After any other error but that of ctx
// nothing can be written any more: what is not durable is lost with the Index, which
// is to be opened again.
func (x *Index) Add(ctx context.Context, docs ...Doc) error {
	return x.write(ctx, func(ctx context.Context) error {
		for i := range docs {
			if err := x.add(ctx, &docs[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// add adds a document to the writer.
func (x *Index) add(ctx context.Context, d *Doc) error {
	if x.schema != nil {
		return x.w.AddDoc(ctx, *d)
	}
	if len(d.Values) != 1 || d.Values[0].Field != 0 || d.Values[0].Kind != schema.KindText {
		return fmt.Errorf("%w: the index has no schema, so that documents have one text, which is field 0", writer.ErrDocument)
	}
	return x.w.Add(ctx, writer.Document{ID: d.ID, Contents: d.Values[0].Bytes()})
}

// Delete deletes the documents with these ids, as Add adds documents. It is not an error if
// there are none.
func (x *Index) Delete(ctx context.Context, ids ...[]byte) error {
	return x.write(ctx, func(ctx context.Context) error {
		for _, id := range ids {
			if err := x.w.Delete(ctx, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// DeleteWhere deletes the documents that pass a filter, those of calls of Add that have
// returned included, as Delete does, and returns how many. Filters that only searches take (Where,
// Bitmap), and those that do not fit the index, give errors that match filter.ErrInvalid; the
// Index remains usable. filter.Parse makes one of text.
func (x *Index) DeleteWhere(ctx context.Context, f Filter) (n uint64, err error) {
	err = x.write(ctx, func(ctx context.Context) (err error) {
		n, err = x.w.DeleteWhere(ctx, f)
		return err
	})
	return n, err
}

// Sync returns when everything that was added and deleted before is visible and durable.
func (x *Index) Sync(ctx context.Context) error {
	if x.done == nil {
		return ErrClosed
	}
	if err := x.failure(); err != nil {
		return err
	}
	x.mu.Lock()
	n := x.writes
	if x.kept < n {
		x.keepBy = time.Unix(0, 0) // at once
	}
	x.mu.Unlock()
	x.nudge(false)
	return x.await(orBackground(ctx), n, true)
}

// write calls f, which writes, and waits for what Options say.
func (x *Index) write(ctx context.Context, f func(context.Context) error) error {
	if x.done == nil {
		return ErrClosed
	}
	ctx = orBackground(ctx)
	n, err := x.written(ctx, f)
	if err != nil {
		return err
	}
	if x.o.Durable < 0 || x.o.Visible < 0 {
		return x.await(ctx, n, x.o.Durable < 0)
	}
	return nil
}

// written calls f and returns the number of the write.
func (x *Index) written(ctx context.Context, f func(context.Context) error) (n uint64, err error) {
	x.writing.RLock()
	defer x.writing.RUnlock()
	if err := x.failure(); err != nil {
		return 0, err
	}
	err = f(ctx)
	return x.wrote(), err // also of some documents if one is refused
}

// failure returns why nothing can be written, or nil.
func (x *Index) failure() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil && x.closing {
		return ErrClosed
	}
	return x.err
}

// wrote counts a write and sees to it that the loop gets to it in time.
func (x *Index) wrote() (n uint64) {
	x.mu.Lock()
	x.writes++
	n = x.writes
	now := time.Now()
	sooner := false
	due := func(by *time.Time, in time.Duration) {
		if by.IsZero() {
			*by = now.Add(max(in, 0))
			sooner = true
		}
	}
	due(&x.showBy, x.o.Visible-min(2*x.took, x.o.Visible/2)) // to be through in time
	due(&x.keepBy, x.o.Durable-min(2*x.took, x.o.Durable/2))
	x.mu.Unlock()
	if sooner {
		x.nudge(false)
	}
	return n
}

// await returns when the first n writes are visible or, if durable is set, also durable.
func (x *Index) await(ctx context.Context, n uint64, durable bool) error {
	for {
		x.mu.Lock()
		have, err, changed := x.shown, x.err, x.changed
		if durable {
			have = x.kept
		}
		x.mu.Unlock()
		switch {
		case have >= n:
			return nil
		case err != nil:
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// broadcast wakes all that await. The caller holds x.mu.
func (x *Index) broadcast() {
	close(x.changed)
	x.changed = make(chan struct{})
}

func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
