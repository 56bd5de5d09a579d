package pinion

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/pinion-index/pinion/internal/search"
)

// ErrNotFound is matched by the errors of Get for an id that no document has. It matches fs.ErrNotExist.
var ErrNotFound error = notFound{}

type notFound struct{}

func (notFound) Error() string        { return "no such document" }
func (notFound) Is(target error) bool { return target == fs.ErrNotExist }

// Get returns the document with an id, as View.Get does, of the newest state.
func (x *Index) Get(ctx context.Context, id string) (d Doc, err error) {
	err = x.View(ctx, func(v *View) error {
		d, err = v.Get(ctx, id)
		return err
	})
	return d, err
}

// Get returns the document with an id, as View.Get does, of the newest commit.
func (x *Reader) Get(ctx context.Context, id string) (d Doc, err error) {
	err = x.View(ctx, func(v *View) error {
		d, err = v.Get(ctx, id)
		return err
	})
	return d, err
}

// Get returns the document with an id: Fields has what is stored of it, or in columns, as schema.Value.Any does, and slices
// of that for several values of a field. The error matches ErrNotFound if there is none.
func (v *View) Get(ctx context.Context, id string) (Doc, error) {
	h, err := v.get(ctx, id)
	if err != nil {
		return Doc{}, err
	}
	d := Doc{ID: id, Fields: make(map[string]any)}
	for i := range h.Values {
		name, x := h.Values[i].Name, h.Values[i].Any()
		switch before := d.Fields[name].(type) {
		case nil:
			d.Fields[name] = x
		case []any:
			d.Fields[name] = append(before, x)
		default:
			d.Fields[name] = []any{before, x}
		}
	}
	return d, nil
}

// get returns the document with an id as a hit with all values.
func (v *View) get(ctx context.Context, id string) (Hit, error) {
	p, err := v.open()
	if err != nil {
		return Hit{}, err
	}
	ctx = orBackground(ctx)
	snapshot := p.snapshot.WithContext(ctx)
	doc, ok, err := snapshot.FindID([]byte(id))
	switch {
	case err != nil:
		return Hit{}, err
	case !ok:
		return Hit{}, fmt.Errorf("index %s: %w: %.80q", snapshot.Directory(), ErrNotFound, id)
	}
	st := p.take()
	defer p.give(st)
	page, err := p.show(ctx, snapshot, st, []search.Hit{{Doc: doc}}, &Request{Limit: 2, Fields: p.fields.schema.Shown()})
	if err != nil {
		return Hit{}, err
	}
	return page.Hits[0], nil
}
