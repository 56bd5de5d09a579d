package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// write adds and deletes documents of one author.
func (l *life) write(r *rand.Rand, a *author) error {
	ids := 1 << (1 + r.IntN(8))
	for range r.IntN(1 << (1 + r.IntN(8))) {
		if r.IntN(64) == 0 {
			if err := l.deleteMatches(r, a); err != nil {
				return err
			}
		}
		if r.IntN(64) == 0 {
			if err := l.deleteWhere(r, a); err != nil {
				return err
			}
		}
		if r.IntN(32) == 0 {
			if err := l.refuse(r, a); err != nil {
				return err
			}
		}
		if r.IntN(4) == 0 {
			if err := l.set(r, ids, a); err != nil {
				return err
			}
		}
		c := a.draw(r, ids, l.schema)
		err := l.change(c)
		l.ops.Add(1)
		if err := l.judge("change", err); err != nil {
			return err
		}
		a.finish()
		if r.IntN(8) == 0 {
			time.Sleep(time.Duration(r.IntN(50)) * time.Microsecond)
		}
	}
	return nil
}

// change makes a change.
func (l *life) change(c change) error {
	switch {
	case c.set != nil:
		return l.apply(c.set)
	case c.doc == nil:
		return l.writer.Delete(context.Background(), []byte(c.id))
	case c.doc.doc != nil:
		return l.writer.Add(context.Background(), *c.doc.doc)
	}
	return l.writer.Add(context.Background(), writer.Text([]byte(c.id), []byte(c.doc.text)))
}

// refuse checks that a bad document is refused. What follows finds out whether part of it was added.
func (l *life) refuse(r *rand.Rand, a *author) error {
	id := fmt.Appendf(nil, "%s%d", a.name, r.IntN(4))
	var err error
	switch {
	case l.schema == nil && r.IntN(2) == 0:
		err = l.writer.Add(context.Background(), writer.Doc{ID: id})
	case l.schema == nil:
		err = l.writer.Add(context.Background(), writer.Text(nil, []byte("w1")))
	case r.IntN(8) == 0:
		err = l.writer.Add(context.Background(), writer.Text(id, []byte("w1")))
	default:
		d := writer.Doc{ID: id, Values: drawValues(r, l.schema, a.name+".wrong")}
		d.Values = slices.Insert(d.Values, r.IntN(1+len(d.Values)), wrong(r, l.schema))
		err = l.writer.Add(context.Background(), d)
	}
	if !errors.Is(err, writer.ErrDocument) {
		return fmt.Errorf("a bad document: %v", err)
	}
	return nil
}

// maintain flushes, merges, reorders, publishes, commits, and waits for merges.
func (l *life) maintain(r *rand.Rand) error {
	for range 1 + r.IntN(8) {
		time.Sleep(time.Duration(r.IntN(300)) * time.Microsecond)
		l.ops.Add(1)
		var err error
		switch r.IntN(10) {
		case 0:
			err = l.judge("flush", l.writer.Flush(context.Background()))
		case 8:
			err = l.judge("wait", l.writer.WaitMerges(context.Background()))
		case 9:
			order := []writer.Order{writer.OrderInput, writer.OrderRandom, writer.OrderBisection}[r.IntN(3)]
			_, err = l.writer.Merge(context.Background(), writer.MergeOptions{Order: order, Seed: r.Uint64()})
			err = l.judge("reorder", err)
		case 1, 2:
			_, err = l.writer.Merge(context.Background(), writer.MergeOptions{MaxSegments: r.IntN(4), Purge: r.IntN(2) == 0, Recode: r.IntN(4) == 0})
			err = l.judge("merge", err)
		case 3, 4:
			err = l.publish()
		default:
			err = l.commit()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// commit commits and acknowledges what the commit holds.
func (l *life) commit() error {
	lo := make([]int, len(l.authors))
	for i, a := range l.authors {
		lo[i] = a.done()
	}
	err := l.writer.Commit(context.Background())
	if err == nil {
		for i, a := range l.authors {
			a.acknowledge(lo[i], a.begun())
		}
		l.exists.Store(true)
		l.firm.Store(true)
		l.trace.printf("commit of %v", lo)
		return nil
	}
	if errors.Is(err, store.ErrUncertain) {
		l.unsure.Store(true)
	}
	return l.judge("commit", err)
}

// publish shows changes to readers without a commit.
func (l *life) publish() error {
	lo := make([]int, len(l.authors))
	for i, a := range l.authors {
		lo[i] = a.done()
	}
	err := l.writer.Publish(context.Background())
	if err == nil {
		for i, a := range l.authors {
			a.publish(lo[i])
		}
		l.trace.printf("publication of %v", lo)
	}
	return l.judge("publish", err)
}

// readers opens snapshots and queries them.
func (l *life) readers(r *rand.Rand) error {
	for range 1 + r.IntN(4) {
		time.Sleep(time.Duration(r.IntN(300)) * time.Microsecond)
		exists, b := l.exists.Load(), l.acknowledged()
		x, err := reader.Open(context.Background(), reader.FromStore(l.fs), reader.Options{})
		if errors.Is(err, format.ErrNotAnIndex) && !exists {
			continue
		}
		if err := l.judge("reader", err); err != nil {
			return err
		}
		err = l.follow(r, x, b)
		if e := x.Close(); err == nil {
			err = e
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// follow refreshes x from time to time and checks its snapshots, which hold at least b.lo. Those
// of commits never hold less than earlier ones; those of publications hold what was published.
func (l *life) follow(r *rand.Rand, x *reader.Index, b bounds) error {
	committed := b.lo
	shown := make([]int, len(l.authors))
	for range 1 + r.IntN(4) {
		s, err := x.Snapshot()
		if err != nil {
			return err
		}
		for i, a := range l.authors {
			b.lo[i] = max(b.lo[i], committed[i])
			if s.Uncommitted() {
				b.lo[i] = max(b.lo[i], shown[i])
			}
			b.hi[i] = a.begun()
		}
		seen, err := l.look(r, s, b)
		if !s.Uncommitted() {
			committed = seen
		}
		if e := s.Close(); err == nil {
			err = e
		}
		if err != nil {
			return fmt.Errorf("snapshot of commit %d, uncommitted %v: %w", s.Generation(), s.Uncommitted(), err)
		}
		time.Sleep(time.Duration(r.IntN(200)) * time.Microsecond)
		b = l.acknowledged()
		for i, a := range l.authors {
			shown[i] = a.published()
		}
		if r.IntN(2) == 0 {
			_, err = x.Refresh(context.Background())
		} else {
			_, err = x.RefreshUncommitted(context.Background())
		}
		if err := l.judge("refresh", err); err != nil {
			return err
		}
	}
	return nil
}

// look checks all of s, queries it, and after a while queries it again.
func (l *life) look(r *rand.Rand, s *reader.Snapshot, b bounds) (seen []int, err error) {
	o, err := l.observe(s, false)
	if err := l.judge("read", err); err != nil {
		return nil, err
	}
	if is := schemaOf(s); !reflect.DeepEqual(is, l.schema) && !reflect.DeepEqual(is, l.world.schema) {
		return nil, fmt.Errorf("the schema is %s", describeSchema(schemaOf(s)))
	}
	if seen, err = l.match(o, b); err != nil {
		return nil, err
	}
	p := drawParams(r)
	searcher, err := search.NewSearcher(s, search.Options{Params: p, Seek: reader.Strategy(r.IntN(3)), DenseBytes: r.IntN(3) - 1})
	if err := l.judge("searcher", err); err != nil {
		return nil, err
	}
	defer searcher.Close()
	index := o.model(p)
	for range 1 + r.IntN(3) {
		n := 1 + r.IntN(20)
		if err := ask(r, searcher, index, n); err != nil {
			return nil, err
		}
		l.ops.Add(int64(n))
		l.trace.printf("commit %d, uncommitted %v: %v, %d queries", s.Generation(), s.Uncommitted(), seen, n)
		time.Sleep(time.Duration(r.IntN(200)) * time.Microsecond)
	}
	return seen, nil
}
