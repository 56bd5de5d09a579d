package writer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/pinion-index/pinion/internal/indexdir"
)

// Change is one of those that Apply makes together.
type Change struct {
	// Doc is a document to add.
	Doc Doc
	// Delete says that the document with the id Doc.ID is deleted instead.
	Delete bool
	// Set names fields whose values are changed in place instead: the document with the id Doc.ID, if there is one, has in each
	// of them the values that Doc.Values have of it from now on, or none, and in other fields what it has. Doc.Values are of no others. The fields
	// are columns of numbers or times that are not indexed, and not what documents are sorted by. In a field that is stored,
	// a document has its values as a column has them: ascending, equal ones once, times in the field's unit. A change that Apply has taken is
	// refused later, as Options.Refused has it, if the column is damaged where the document is, or if Merge has sorted by it meanwhile.
	Set []string
}

// ChangeError says why Apply refuses a change.
type ChangeError struct {
	Number int // of the change, from 0
	Err    error
}

// Error says what is wrong with which document.
func (e *ChangeError) Error() string { return e.Err.Error() }

// Unwrap returns Err, which matches ErrDocument.
func (e *ChangeError) Unwrap() error { return e.Err }

// Apply makes changes in their order, and all of them as one: a commit or publication has all or nothing, and the keys and
// values of meta with them, which Meta and reader.Snapshot.Meta return. An empty value removes its key. If something is wrong with a
// document or meta, nothing is done: the error has a *ChangeError for each such document, as errors.Join makes it, which matches
// ErrDocument, or it matches ErrInvalid. ctx bounds how long Apply waits before it begins. Other calls that make changes wait until it has ended, and so do
// commits and publications.
func (w *Writer) Apply(ctx context.Context, changes []Change, meta map[string]string) error {
	var bad []error
	for i := range changes {
		if err := (changing{w}).checkChange(&changes[i]); err != nil {
			bad = append(bad, &ChangeError{i, err})
		}
	}
	if err := errors.Join(bad...); err != nil {
		return err
	}
	ctx = orBackground(ctx)
	if err := w.pipe.take(ctx, w.pipe.gate); err != nil {
		return err
	}
	defer w.pipe.leave()
	all, err := w.meta.with(meta)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	for i := range changes {
		if err := (changing{w}).apply(ctx, &changes[i]); err != nil {
			return err
		}
	}
	if len(meta) > 0 {
		w.meta.set(w.pipe.behind(), all)
	}
	return nil
}

// CheckChange returns the error with which Apply refuses a change, and nil if it takes it. It matches ErrDocument if the change is why.
func (w *Writer) CheckChange(c *Change) error {
	if err := w.pipe.failure(); err != nil {
		return err
	}
	if c == nil {
		return fmt.Errorf("%w: no change", ErrInvalid)
	}
	return changing{w}.checkChange(c)
}

// checkChange returns what is wrong with c.
func (w changing) checkChange(c *Change) error {
	if c.Delete {
		if c.Set != nil {
			return fmt.Errorf("%w %s: values are changed of a document that the same change deletes", ErrDocument, quote(c.Doc.ID))
		}
		return checkID(c.Doc.ID)
	}
	if c.Set != nil {
		return w.checkSet(c)
	}
	return w.opts.checkDoc(w.now(), c.Doc)
}

// apply makes a change that was checked. The caller holds the gate.
func (w changing) apply(ctx context.Context, c *Change) error {
	if c.Delete {
		return w.pipe.del(ctx, c.Doc.ID)
	}
	if c.Set != nil {
		return w.set(ctx, c)
	}
	return w.putDoc(ctx, c.Doc)
}

// Meta returns the value that Apply has set last for a key, or that the index had for it. ok says whether there is one.
func (w *Writer) Meta(key string) (value string, ok bool) {
	w.meta.mu.Lock()
	defer w.meta.mu.Unlock()
	value, ok = w.meta.newest()[key]
	return value, ok
}

// behind returns the first batch that nothing of which has entered. The caller holds the gate.
func (p *pipeline) behind() uint64 {
	if p.cur != nil {
		return p.seq + 1
	}
	return p.seq
}

// meta are the keys and values that the program keeps with commits.
type meta struct {
	mu        sync.Mutex
	committed map[string]string // of the last commit or publication, and of what was absorbed before it
	next      []stagedMeta      // in the order in which they were set
}

// stagedMeta are all keys and values, as a commit has them that holds all batches before one.
type stagedMeta struct {
	until uint64
	all   map[string]string
}

// newest returns the keys and values that were set last. The caller holds m.mu.
func (m *meta) newest() map[string]string {
	if n := len(m.next); n > 0 {
		return m.next[n-1].all
	}
	return m.committed
}

// with returns what the keys and values become with some more. The error matches ErrInvalid.
func (m *meta) with(more map[string]string) (map[string]string, error) {
	if len(more) == 0 {
		return nil, nil
	}
	m.mu.Lock()
	all := maps.Clone(m.newest())
	m.mu.Unlock()
	if all == nil {
		all = make(map[string]string, len(more))
	}
	for k, v := range more {
		if all[k] = v; v == "" {
			delete(all, k)
		}
	}
	return all, indexdir.CheckMeta(all)
}

// set makes all what a commit or publication of the batches before until has.
func (m *meta) set(until uint64, all map[string]string) {
	m.mu.Lock()
	m.next = append(m.next, stagedMeta{until, all})
	m.mu.Unlock()
}

// at returns the keys and values of a commit of the batches before next, and whether they are others than those of the last call.
func (m *meta) at(next uint64) (all map[string]string, changed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.next) > 0 && m.next[0].until <= next {
		m.committed, changed = m.next[0].all, true
		m.next = m.next[1:]
	}
	return m.committed, changed
}
