package sim

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/query"
)

// deleteWhere deletes those of a's documents that pass a filter by a column, if there is one.
func (l *life) deleteWhere(r *rand.Rand, a *author) error {
	s := l.writer.Schema()
	if s == nil {
		return nil
	}
	live := a.live()
	ids := slices.Sorted(maps.Keys(live))
	own, values := query.IDs{}, oracle.Values{}
	for _, id := range ids {
		own = append(own, id)
		for _, f := range s.Fields {
			values[f.Name] = append(values[f.Name], inColumn(live[id].values[f.ID]))
		}
	}
	d := &treeDrawer{treeModel: &treeModel{columnModel: newColumnModel(s, values, len(ids))}, Rand: r}
	if len(d.columns) == 0 {
		return nil
	}
	f, passes := d.byColumns()
	want := 0
	for i, id := range ids {
		if passes.Has(uint32(i)) {
			a.begin(change{id: id})
			l.ops.Add(1)
			want++
		}
	}
	n, err := l.writer.DeleteWhere(context.Background(), query.And{own, f})
	if err := l.judge("change", err); err != nil {
		return err
	}
	if n != uint64(want) {
		return fmt.Errorf("%d of %d documents of %s with %v are deleted, not %d", n, len(ids), a.name, f, want)
	}
	a.finish()
	return nil
}

// live returns the documents that are live after all changes.
func (a *author) live() map[string]*document {
	a.mu.Lock()
	defer a.mu.Unlock()
	live := maps.Clone(a.base)
	for _, c := range a.log {
		c.apply(live)
	}
	return live
}
