package pinion

import (
	"context"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/writer"
)

// Add adds documents. Each replaces one with the same id. Text is UTF-8: see NotUTF8. It is Apply of a Batch that adds them: one
// change, all of which is seen and kept, or nothing. Searches that begin afterwards see them, and they survive a crash a while later:
// see Options. A document larger than a 32nd of Options.Memory is written before Add returns.
func (x *Index) Add(ctx context.Context, docs ...Doc) error {
	changes := make([]change, len(docs))
	for i := range docs {
		changes[i].doc = docs[i]
	}
	return x.apply(ctx, changes, nil)
}

// NotUTF8 returns how many of the documents that Add was given have text or a keyword that is not UTF-8. They are added as they are,
// but no query finds the words that have such bytes: texts in other encodings are to be decoded before.
func (x *Index) NotUTF8() uint64 { return x.notUTF8.Load() }

// Delete deletes the documents with these ids, as Add adds documents. It is not an error if
// there are none.
func (x *Index) Delete(ctx context.Context, ids ...string) error {
	changes := make([]change, len(ids))
	for i, id := range ids {
		changes[i] = change{doc: Doc{ID: id}, deletes: true}
	}
	return x.apply(ctx, changes, nil)
}

// Set changes what the document with an id has in a field, as Batch.Set does, and becomes visible and durable as Add does.
func (x *Index) Set(ctx context.Context, id, field string, value any) error {
	var b Batch
	b.Set(id, field, value)
	return x.Apply(ctx, &b)
}

// DeleteWhere deletes the documents that match a node, those of calls of Add that have
// returned included, as Delete does, and returns how many. The node says what columns and ids know: it is a query.In,
// Range, Exists or IDs, or an And, Or or Not of these, as query.Equal and query.ParseFilter make them. Other nodes, and
// those that do not fit the index, give errors that match ErrInvalid; the Index remains usable.
func (x *Index) DeleteWhere(ctx context.Context, n query.Node) (deleted uint64, err error) {
	if err := writer.CheckWhere(x.schema.Load(), n); err != nil {
		return 0, err
	}
	err = x.write(ctx, func(ctx context.Context) (err error) {
		deleted, err = x.w.DeleteWhere(ctx, n)
		return err
	})
	return deleted, err
}

// Sync returns when everything that was added and deleted before is visible and durable.
func (x *Index) Sync(ctx context.Context) error {
	if x.done == nil {
		return errClosed
	}
	if err := x.failure(); err != nil {
		return err
	}
	x.mu.Lock()
	n := x.writes
	if x.kept < n {
		x.unkept = overdue
	}
	x.mu.Unlock()
	x.nudge(false)
	return x.await(orBackground(ctx), &x.kept, n)
}

// overdue is the time of a write that is to be made durable, or visible, at once.
var overdue = time.Unix(0, 0)

// write calls f, which writes, and waits for what Options say.
func (x *Index) write(ctx context.Context, f func(context.Context) error) error {
	if x.done == nil {
		return errClosed
	}
	ctx = orBackground(ctx)
	n, err := x.written(ctx, f)
	if err != nil {
		return err
	}
	if x.o.SyncEach {
		return x.await(ctx, &x.kept, n)
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
	if err := f(ctx); err != nil {
		return 0, err
	}
	return x.wrote(), nil
}

// failure returns why nothing can be written, or nil.
func (x *Index) failure() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil && x.closing {
		return errClosed
	}
	return x.err
}

// wrote counts a write and sees to it that the loop gets to it in time.
func (x *Index) wrote() (n uint64) {
	x.mu.Lock()
	x.writes++
	n = x.writes
	first := x.unshown.IsZero() || x.unkept.IsZero() || x.o.SyncEach
	now := time.Now()
	if x.unshown.IsZero() {
		x.unshown = now
	}
	if x.unkept.IsZero() {
		x.unkept = now
	}
	if x.o.SyncEach {
		x.unkept = overdue
	}
	x.mu.Unlock()
	if first {
		x.nudge(false)
	}
	return n
}

// await returns when *have, x.kept or x.tried, is at least n.
func (x *Index) await(ctx context.Context, have *uint64, n uint64) error {
	for {
		x.mu.Lock()
		have, err, changed := *have, x.err, x.changed
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
