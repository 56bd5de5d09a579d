package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/kernels"
	segcheck "github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/internal/where"
	"github.com/pinion-index/pinion/query"
)

// filtering is the state of one call of Executor.Filters.
type filtering struct {
	x  *Executor
	st *stages.Stage

	starts   []uint32 // the first operand of each filter, and the end
	operands []kernels.Operand
	terms    []filterTerm // that differ
	hosts    []hostSet
	sources  []source // of the operands

	lists   [][]*posting // of the sets that the device marks, by view; nil where a view has none
	rows    [][]uint64   // bitmaps that the CPU makes, in pinned
	pinned  []byte
	rowsDev kernels.Ptr
}

// filterTerm is a term of filters.
type filterTerm struct {
	field int
	bytes string
}

// hostSet is a set of which the CPU makes a bitmap. One of both is nil.
type hostSet struct {
	bitmap *docset.Global
	where  *filter.Compiled
}

// source says where an operand's set is: the index of a term or a set of the CPU, or -1.
type source struct{ term, host int }

// read makes the operands. Equal sets of all filters become one.
func (f *filtering) read(filters []Filter) error {
	known := setNumbers{map[filterTerm]int{}, map[*docset.Global]int{}, map[string]int{}}
	for i, clauses := range filters {
		f.starts = append(f.starts, uint32(len(f.operands)))
		for _, sets := range clauses {
			for j := range sets {
				o, from, err := f.operand(&sets[j], known)
				if err != nil {
					return fmt.Errorf("%w: gpuload: filter %d: %w", query.ErrInvalid, i, err)
				}
				f.operands, f.sources = append(f.operands, o), append(f.sources, from)
			}
			if len(sets) == 0 { // no document is in one of them
				f.operands, f.sources = append(f.operands, kernels.Operand{Flags: kernels.OperandRange}), append(f.sources, source{-1, -1})
			}
			f.operands[len(f.operands)-1].Flags |= kernels.OperandLast
		}
	}
	f.starts = append(f.starts, uint32(len(f.operands)))
	return nil
}

// setNumbers are the indexes of the sets that have been read, in terms and hosts.
type setNumbers struct {
	terms   map[filterTerm]int
	bitmaps map[*docset.Global]int
	wheres  map[string]int // by the filter's key
}

// operand returns the operand of a set.
func (f *filtering) operand(set *Set, known setNumbers) (o kernels.Operand, from source, err error) {
	from = source{-1, -1}
	if set.Not {
		o.Flags = kernels.OperandNot
	}
	kinds := 0
	for _, is := range []bool{set.Term != nil || set.Field != "", set.Bitmap != nil, set.Where != nil, set.First|set.End != 0} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds > 1:
		return o, from, errors.New("a Set of two kinds")
	case set.Term != nil:
		t := filterTerm{f.field(set.Field), string(set.Term)}
		if t.field < 0 {
			return o, from, fmt.Errorf("field %q is not indexed", set.Field)
		}
		from.term = numberOf(known.terms, t, &f.terms, t)
	case set.Field != "":
		return o, from, fmt.Errorf("a Set of field %q without a term", set.Field)
	case set.Bitmap != nil:
		from.host = numberOf(known.bitmaps, set.Bitmap, &f.hosts, hostSet{bitmap: set.Bitmap})
	case set.Where != nil:
		s := f.x.snapshot.Schema()
		columns, err := where.Filter(s, set.Where)
		if err != nil {
			return o, from, err
		}
		c, err := filter.Compile(s, columns)
		if err != nil {
			return o, from, err
		}
		from.host = numberOf(known.wheres, c.Key(), &f.hosts, hostSet{where: c})
	default:
		o.First, o.End = set.First, set.End
		o.Flags |= kernels.OperandRange
	}
	return o, from, nil
}

// numberOf returns the number of key. A new key has the index of v in all, where it appends v.
func numberOf[K comparable, T any](numbers map[K]int, key K, all *[]T, v T) int {
	n, ok := numbers[key]
	if !ok {
		n = len(*all)
		numbers[key], *all = n, append(*all, v)
	}
	return n
}

// field returns the number of a field, or -1.
func (f *filtering) field(name string) int {
	return slices.IndexFunc(f.x.docs.Fields, func(own docs.Field) bool { return own.Name == name })
}

// prepare loads lists and makes the bitmaps that the CPU makes.
func (f *filtering) prepare(ctx context.Context) error {
	x := f.x
	f.st.Reset(f.st.Stream)
	plans, err := f.plans()
	if err != nil {
		return err
	}
	if err := x.bring(ctx, plans, f.st.Epoch); err != nil {
		return err
	}
	sets, rows := make([]int, len(plans)), []int(nil) // of terms: the set, or -1 for a row
	for i, p := range plans {
		if sets[i] = -1; p.markable() {
			sets[i] = len(f.lists)
			f.lists = append(f.lists, f.listsOf(p))
		} else {
			rows = append(rows, i)
		}
	}
	if err := f.makeRows(len(rows) + len(f.hosts)); err != nil {
		return err
	}
	rowOf := map[int]int{}
	for row, term := range rows {
		rowOf[term] = row
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.readTerm(f.rows[row], f.terms[term]); err != nil {
			return err
		}
	}
	for i, own := range f.hosts {
		if own.bitmap != nil {
			x.docs.ReadBitmap(f.rows[len(rows)+i], own.bitmap)
		} else if err := x.docs.ReadWhere(ctx, f.rows[len(rows)+i], own.where); err != nil {
			return err
		}
	}
	for i, from := range f.sources {
		o := &f.operands[i]
		switch {
		case from.host >= 0:
			o.Bits = f.row(len(rows) + from.host)
		case from.term >= 0 && sets[from.term] < 0:
			o.Bits = f.row(rowOf[from.term])
		case from.term >= 0:
			o.First = uint32(sets[from.term])
		}
	}
	return nil
}

// plans looks the terms up. A plan has the lists of one.
func (f *filtering) plans() ([]*plan, error) {
	r := f.x.resolver()
	defer f.x.found.Put(r)
	views := len(f.x.docs.Views)
	all, postings := make([]plan, len(f.terms)), make([]posting, len(f.terms)*views)
	plans := make([]*plan, len(f.terms))
	for i, t := range f.terms {
		found, err := r.find([]terms.Word{{Bytes: []byte(t.bytes), Field: t.field, Boost: 1}})
		if err != nil {
			return nil, err
		}
		p := &all[i]
		plans[i], p.lists = p, postings[i*views:(i+1)*views]
		for v := range found[0].Kept.lists {
			l := &found[0].Kept.lists[v]
			p.lists[v] = l.posting
			p.lists[v].home = l
			if own := l.list.Load(); own != nil && !own.Gone.Load() {
				p.lists[v].want.List = own
			}
		}
	}
	return plans, nil
}

// listsOf returns the lists of a plan by view.
func (f *filtering) listsOf(p *plan) []*posting {
	all := make([]*posting, len(p.lists))
	for v := range p.lists {
		if p.lists[v].n > 0 {
			all[v] = &p.lists[v]
		}
	}
	return all
}

// stride returns the size of a bitmap of all documents.
func (f *filtering) stride() int { return int(f.x.docs.Stride()) }

// row returns the address of a row.
func (f *filtering) row(i int) kernels.Ptr { return f.rowsDev + kernels.Ptr(i*f.stride()) }

// makeRows allocates n bitmaps without members, on both sides, and enqueues their copy.
func (f *filtering) makeRows(n int) (err error) {
	if n == 0 {
		return nil
	}
	size := n * f.stride()
	if f.pinned, err = f.x.dev.HostAlloc(size); err != nil {
		return err
	}
	clear(f.pinned)
	if f.rowsDev, err = f.x.stages.Alloc(int64(size)); err != nil {
		return err
	}
	for i := range n {
		words := unsafe.Slice((*uint64)(unsafe.Pointer(&f.pinned[i*f.stride()])), f.stride()/8)
		f.rows = append(f.rows, words)
	}
	f.st.Batch.CopyIn(f.rowsDev, f.pinned)
	return nil
}

// free frees what makeRows allocated. The device must not work on it.
func (f *filtering) free() (err error) {
	if f.rowsDev != 0 {
		err = f.x.dev.Free(f.rowsDev)
	}
	if f.pinned != nil {
		_ = f.x.dev.HostFree(f.pinned)
	}
	return err
}

// readTerm sets the bits of the documents that have a term.
func (f *filtering) readTerm(bits []uint64, t filterTerm) error {
	var checks segcheck.ListChecker
	var docs []uint32
	for i := range f.x.docs.Segments {
		s := &f.x.docs.Segments[i]
		e, ok, err := f.x.dictionaries[i].Lookup(t.field, []byte(t.bytes))
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		l, err := checks.List(s.Seg, e)
		if err != nil {
			return err
		}
		if docs = append(docs[:0], l.Small().Docs...); l.Extent() != nil {
			docs = slices.Grow(docs, l.Blocks*l.BlockLen)[:l.Blocks*l.BlockLen]
			n, err := l.DecodeDocs(docs, 0, l.Blocks)
			if err != nil {
				return err
			}
			docs = docs[:n]
		}
		for _, d := range docs {
			d += s.Base
			bits[d/64] |= 1 << (d % 64)
		}
	}
	return nil
}

// size returns the bytes that putLists and the operands take.
func (f *filtering) size() int {
	size := 1024 + 4*len(f.starts) + len(kernels.Slice(f.operands)) + 4*len(f.lists)
	for _, lists := range f.lists {
		for _, o := range lists {
			if size += 32; o != nil && o.small != nil {
				size += 8*o.small.Len() + 64 + layout.DescSize + 32
			}
		}
	}
	return size
}

// putLists puts the lists of sets, and the first list of each set.
func (f *filtering) putLists() (lists, starts kernels.Ptr) {
	x, b := f.x, f.st.Buffers
	var all []kernels.SetList
	first := make([]uint32, 0, len(f.lists)+1)
	for _, set := range f.lists {
		first = append(first, uint32(len(all)))
		for v, o := range set {
			if o == nil {
				continue
			}
			l := kernels.SetList{Base: x.docs.Views[v].Base}
			if o.small != nil {
				l.List = layout.Put(b, []kernels.ListDesc{layout.AppendPlain(b, *o.small, x.docs.Views[v].Docs)})
			} else {
				l.List = x.lists.Table + kernels.Ptr(layout.DescSize)*kernels.Ptr(o.want.List.Slot)
			}
			all = append(all, l)
		}
	}
	first = append(first, uint32(len(all)))
	return layout.Put(b, all), layout.Put(b, first)
}
