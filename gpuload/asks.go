package gpuload

import (
	"context"
	"errors"
	"math"
	"math/bits"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/filter"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// ask is what a query asks for beside its terms: that its hits pass a filter, and static scores.
type ask struct {
	docs    *roaring.Bitmap
	columns *filter.Compiled
	static  bool
	field   uint32
	weight  float64
}

// filters reports whether hits must pass a filter.
func (a *ask) filters() bool { return a.docs != nil || a.columns != nil }

// table returns the key of the table of static scores that a asks for, or that of its filter. ok is false if it asks for none.
func (a *ask) table(static bool) (k tableKey, ok bool) {
	if static {
		return tableKey{static: true, field: a.field, weight: a.weight}, a.static
	}
	if k.docs = a.docs; a.columns != nil {
		k.columns = a.columns.Key()
	}
	return k, a.filters()
}

// need is a table that plans of a share ask for.
type need struct {
	key     tableKey
	columns *filter.Compiled
	plans   []*plan
	work    int64 // of the plans
}

// work returns about how many postings the CPU reads to answer a plan.
func (p *plan) work() int64 {
	if p.mode == query.Or {
		return p.weight.all
	}
	return min(p.weight.all, p.weight.first*int64(len(p.weights)))
}

// give gives plans the tables that they ask for, and leaves them to the CPU where these are not worth making.
func (e *execution) give(plans []*plan) error {
	for _, static := range []bool{false, true} {
		var needs []*need
		var by map[tableKey]*need
		for _, p := range plans {
			if p.ask == nil || p.cpu || p.done {
				continue
			}
			k, ok := p.ask.table(static)
			if !ok {
				continue
			}
			n := by[k]
			if n == nil {
				if by == nil {
					by = map[tableKey]*need{}
				}
				n = &need{key: k, columns: p.ask.columns}
				by[k], needs = n, append(needs, n)
			}
			n.plans, n.work = append(n.plans, p), n.work+p.work()
		}
		for _, n := range needs {
			if err := e.giveTable(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// giveTable gives plans a table.
func (e *execution) giveTable(n *need) error {
	t := e.table(n.key)
	ok, err := e.x.ready(e.ctx, t, n)
	if err != nil {
		return err
	}
	for _, p := range n.plans {
		switch {
		case !ok:
			p.cpu = true
		case n.key.static:
			p.statics, p.most = t.at, t.most
		default:
			p.within = t.at
		}
	}
	return nil
}

// table returns a table, which e uses until free.
func (e *execution) table(k tableKey) *docTable {
	e.mu.Lock()
	defer e.mu.Unlock()
	t := e.tables[k]
	if t == nil {
		size := e.x.stride()
		if k.static {
			size = 4*int64(e.x.docs) + 64
		}
		t = e.x.tables.take(e.x.dev, k, size)
		if e.tables == nil {
			e.tables = map[tableKey]*docTable{}
		}
		e.tables[k] = t
	}
	return t
}

// free ends the use of tables. The device must be done with the plans that have them.
func (e *execution) free() {
	for _, t := range e.tables {
		e.x.tables.release(t)
	}
	e.tables = nil
}

// What making a table takes the CPU, in postings read for each document: a bitmap is made of bits, or from blocks of
// columns most of which are whole; static scores are decoded, multiplied and copied, 4 bytes each.
const (
	bitmapCost = 1. / 4
	staticCost = 2
)

// fewest is the share of the documents, as 1/fewest, from which the device answers under a filter: the CPU looks the others
// up in the lists, which the device would decode.
const fewest = 1024

// ready makes the table of a need, unless it is there. ok is false if the CPU is to answer: it does until the queries that
// need the table would have cost it, with these, as much as making it.
func (x *Executor) ready(ctx context.Context, t *docTable, n *need) (ok bool, err error) {
	t.making.Lock()
	defer t.making.Unlock()
	if t.at != 0 || t.refused || x.tables.budget < t.size {
		return t.at != 0, nil
	}
	cost := bitmapCost * float64(x.docs)
	if n.key.static {
		cost = staticCost * float64(x.docs)
	}
	if t.work = min(t.work+n.work, math.MaxInt64/2); x.options.CPU != nil && float64(t.work) < cost {
		return false, nil
	}
	t.work = 0 // a failure is tried again after as much
	err = store.Guard(func() error {
		if n.key.static {
			return x.makeStatics(ctx, t)
		}
		return x.makeBitmap(ctx, t, n.columns)
	})
	if err != nil && t.at != 0 {
		x.tables.fail(t)
	}
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, ErrDevice), err != nil && x.options.CPU == nil && !errors.Is(err, ErrMemory):
		return false, err
	}
	return t.at != 0, nil // the CPU says what else is wrong
}

// makeBitmap makes the bitmap of the documents that pass a filter and are not deleted.
func (x *Executor) makeBitmap(ctx context.Context, t *docTable, columns *filter.Compiled) error {
	words := make([]uint64, t.size/8)
	if columns != nil {
		if err := x.readWhere(ctx, words, columns); err != nil {
			return err
		}
	}
	if t.key.docs != nil {
		own := words
		if columns != nil {
			own = make([]uint64, len(words))
		}
		x.readBitmap(own, t.key.docs)
		for i := range words {
			words[i] &= own[i]
		}
	}
	x.clearDeleted(words)
	n := uint64(0)
	for _, w := range words {
		n += uint64(bits.OnesCount64(w))
	}
	if t.refused = x.options.CPU != nil && n*fewest < x.docs; t.refused {
		return nil
	}
	if ok, err := x.tables.place(x, t); !ok {
		return err
	}
	st, err := x.takeStage(ctx)
	if err != nil {
		return err
	}
	defer x.giveBack(st)
	return x.upload(st, t.at, kernels.Slice(words))
}

// makeStatics makes the table of the static scores of all documents.
func (x *Executor) makeStatics(ctx context.Context, t *docTable) error {
	columns := make([]*segment.Column, len(x.segments))
	for i := range x.segments {
		s := x.segments[i].Seg
		f, ok := s.FieldByID(t.key.field)
		if !ok {
			continue
		}
		c, ok, err := s.Field(f).Column()
		if err != nil {
			return err
		}
		if !ok || c.Info().Docs == 0 {
			continue
		}
		columns[i] = c
		info, weight := c.Info(), t.key.weight
		if schema.KeyFloat(info.Min) < 0 || !(weight*schema.KeyFloat(info.Max) <= math.MaxFloat32/2) {
			t.refused = true // the CPU says why
			return nil
		}
		t.most = max(t.most, float32(weight*schema.KeyFloat(info.Max)))
	}
	if ok, err := x.tables.place(x, t); !ok {
		return err
	}
	st, err := x.takeStage(ctx)
	if err != nil {
		return err
	}
	defer x.giveBack(st)
	for i, c := range columns {
		if err := x.uploadStatics(ctx, st, t, i, c); err != nil {
			return err
		}
	}
	return nil
}

// uploadStatics makes the static scores of a segment. c is nil if there are none.
func (x *Executor) uploadStatics(ctx context.Context, st *stage, t *docTable, number int, c *segment.Column) error {
	s := &x.segments[number]
	var values segment.ColumnValues
	docs := s.Seg.Meta().Docs
	scores := make([]float32, 0, min(docs, uploadAtOnce/4))
	for lo := uint32(0); lo < docs; {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := lo
		scores = scores[:0]
		for ; lo < docs && len(scores)+segment.ColumnBlock <= uploadAtOnce/4; lo += segment.ColumnBlock {
			n := int(min(segment.ColumnBlock, docs-lo))
			at := len(scores)
			scores = append(scores, make([]float32, n)...)
			if c == nil {
				continue
			}
			if err := c.Read(int(lo/segment.ColumnBlock), &values); err != nil {
				return err
			}
			readStatics(scores[at:], &values, t.key.weight)
		}
		if err := x.upload(st, t.at+4*kernels.Ptr(s.Base+first), kernels.Slice(scores)); err != nil {
			return err
		}
	}
	return nil
}

// readStatics sets the static scores of the documents of a block that have a value: of several, the greatest counts.
func readStatics(scores []float32, v *segment.ColumnValues, weight float64) {
	for i, word := range v.Present {
		for ; word != 0; word &= word - 1 {
			doc := i*64 + bits.TrailingZeros64(word)
			at := doc
			if v.Ends != nil {
				at = int(v.Ends[doc]) - 1
			}
			scores[doc] = float32(weight * schema.KeyFloat(v.Numbers[at]))
		}
	}
}

// uploadAtOnce is how many bytes upload copies at a time: pinned memory for more would stay with the stage.
const uploadAtOnce = 4 << 20

// upload copies bytes to the device, and waits for that.
func (x *Executor) upload(st *stage, to kernels.Ptr, from []byte) error {
	for len(from) > 0 {
		n := min(len(from), uploadAtOnce)
		st.Reset(st.stream)
		err := st.ReserveIn(n)
		if err == nil {
			st.In = append(st.In, from[:n]...)
			st.Batch.CopyIn(to, st.In)
			if err = x.dev.Submit(&st.Batch); err == nil {
				err = x.dev.Wait(st.stream)
			}
		}
		if err != nil {
			return errors.Join(err, x.dev.Wait(st.stream))
		}
		from, to = from[n:], to+kernels.Ptr(n)
	}
	return nil
}

// stride returns the size of a bitmap of all documents.
func (x *Executor) stride() int64 { return int64((x.docs+2047)/2048) * 256 }
