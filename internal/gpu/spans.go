package gpu

import (
	"context"
	"unsafe"

	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/gpu/tables"
	"github.com/pinion-index/pinion/internal/kernels"
)

// ofItsOwn is for how many plans of a share a filter is made a bitmap that stays. For fewer a kernel makes one in each batch, if the filter
// is by values from one to another and their table is there.
const ofItsOwn = 8

// giveSpans gives plans whose filters few others have the values of their columns, and returns the needs of other plans.
func (a *asking) giveSpans(ctx context.Context, needs []*need) (rest []*need, err error) {
	by := map[tables.Key]*need{} // the values of a field
	fields := make([]tables.Key, len(needs))
	for i, n := range needs {
		if n.columns == nil || n.key.Docs != nil || len(n.plans) >= ofItsOwn {
			continue
		}
		field, _, _, ok := n.columns.Span()
		if !ok || a.x.tables.Made(n.key) {
			continue
		}
		k := tables.Key{Values: true, Field: field}
		if fields[i] = k; by[k] == nil {
			by[k] = &need{key: k}
		}
		by[k].work += n.work
	}
	values := map[tables.Key]kernels.Ptr{}
	for k, n := range by {
		t := a.table(k)
		ok, err := a.x.tables.Ready(ctx, t, nil, n.work)
		if err != nil {
			return nil, err
		}
		if ok {
			values[k] = t.At
		}
	}
	for i, n := range needs {
		at := values[fields[i]]
		if at == 0 {
			rest = append(rest, n)
			continue
		}
		_, lo, hi, _ := n.columns.Span()
		for _, p := range n.plans {
			p.span = &span{at, max(lo, kernels.NoValue+1), hi}
		}
	}
	return rest, nil
}

// spanBytes returns how many bytes markSpans takes of In and of scratch memory.
func (l *batch) spanBytes() (in int, work int64) {
	for _, p := range l.plans {
		if p.span != nil {
			in += int(unsafe.Sizeof(kernels.SpanJob{}))
			work += l.x.docs.Stride() + 64
		}
	}
	return in, work
}

// spanParts is the most thread blocks for a bitmap, and spanThreads the documents that each takes at a time.
const spanParts, spanThreads = 32, 256

// markSpans prepares a launch that makes the bitmaps of plans with values of their own, and returns it, if there are any.
func (l *batch) markSpans() []func() {
	var jobs []kernels.SpanJob
	for _, p := range l.plans {
		if p.span == nil {
			continue
		}
		p.within = l.st.Scratch(l.x.docs.Stride())
		jobs = append(jobs, kernels.SpanJob{Values: p.span.values, Live: l.x.docs.Live, Out: p.within, Lo: p.span.lo, Hi: p.span.hi, Docs: uint32(l.x.docs.N)})
	}
	if len(jobs) == 0 {
		return nil
	}
	parts := int(min(spanParts, l.x.docs.N/spanThreads+1))
	p := kernels.SpanParams{Jobs: layout.Put(l.st.Buffers, jobs), NJobs: uint32(len(jobs)), Parts: uint32(parts)}
	return []func(){func() { l.st.Batch.Launch(kernels.MarkSpans, parts*len(jobs), 0, kernels.Bytes(&p)) }}
}
