package ocis

import (
	"context"
	pathpkg "path"
	"slices"
	"strings"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Move gives a resource another parent, and its path the name and the place of target. What is below a folder moves
// with it.
//
// Move, Delete and Restore of a folder change what is below it first, a batch at a time, and the folder last: if the
// program ends in between, the same call again does what is left.
func (e *Engine) Move(id, parent, target string) error {
	next := relative(target)
	return e.change(id, func(r *Resource, top *Resource) {
		if r.ID != top.ID {
			r.Path = next + strings.TrimPrefix(r.Path, top.Path)
			return
		}
		r.Path, r.Name, r.ParentID = next, pathpkg.Base(next), parent
	})
}

// Delete marks a resource as deleted, with all below a folder, so that it is not found any more until Restore.
func (e *Engine) Delete(id string) error {
	return e.change(id, func(r, _ *Resource) { r.Deleted = true })
}

// Restore takes the mark of Delete away, with all below a folder.
func (e *Engine) Restore(id string) error {
	return e.change(id, func(r, _ *Resource) { r.Deleted = false })
}

// batch is how many resources are changed at once.
const batch = 500

// change calls f for the resource with an id, and for all below it if it is a folder, and writes what f makes of them. The
// second argument of f is the resource with the id, as it was.
func (e *Engine) change(id string, f func(r, top *Resource)) error {
	if e.index == nil {
		return ErrReadOnly
	}
	e.changing.Lock()
	defer e.changing.Unlock()
	return e.view(context.Background(), func(v view) error {
		top, err := v.one(id)
		if err != nil {
			return err
		}
		var below [][]byte
		if top.Type == Container {
			if below, err = v.below(&top); err != nil {
				return err
			}
		}
		for ids := range slices.Chunk(below, batch) {
			found, err := v.find(ids...)
			if err != nil {
				return err
			}
			for i := range found {
				f(&found[i], &top)
			}
			if err := e.write(found...); err != nil {
				return err
			}
		}
		changed := top
		f(&changed, &top)
		return e.write(changed)
	})
}

// write adds resources.
func (e *Engine) write(all ...Resource) error {
	docs := make([]pinion.Doc, len(all))
	for i := range all {
		var err error
		if docs[i], err = e.document(&all[i]); err != nil {
			return err
		}
	}
	return e.index.Add(context.Background(), docs...)
}

// below returns the ids of what is below a folder.
func (v view) below(top *Resource) ([][]byte, error) {
	page, err := v.Search(context.Background(), pinion.Request{
		Query: query.Bool{Filter: []query.Node{inRoot(top.RootID), underneath(top.Path)}},
		Limit: int(max(v.Snapshot().Stats().Live, 1)),
	})
	if err != nil {
		return nil, err
	}
	ids := make([][]byte, 0, len(page.Hits))
	for i := range page.Hits {
		if page.Hits[i].ID != top.ID {
			ids = append(ids, []byte(page.Hits[i].ID))
		}
	}
	return ids, nil
}

// inRoot is passed by the resources of a space.
func inRoot(id string) query.Node {
	return query.Term{Field: names[rootID], Text: id}
}

// underneath is passed by the resources whose path goes on behind that of a folder. '0' follows '/'.
func underneath(folder string) query.Node {
	at := func(s string) schema.Value { return schema.KeywordValue(path, []byte(s)) }
	return query.Range{Field: names[path], Min: at(folder + "/"), Max: at(folder + "0"), BelowMax: true}
}

// within is passed by a folder and what is below it, or nil if that is all of the space.
func within(folder string) query.Node {
	if folder = relative(folder); folder == "." {
		return nil
	}
	itself := query.In{Field: names[path], Values: []any{schema.KeywordValue(path, []byte(folder))}}
	return query.Or{itself, underneath(folder)}
}

// relative returns a path as those of resources are: "." or "./a/b".
func relative(p string) string {
	if p = pathpkg.Join("/", p); p == "/" {
		return "."
	}
	return "." + p
}
