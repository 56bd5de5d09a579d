package gpuload

import (
	"bytes"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/kernels"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// small is a decoded list without an extent.
type small struct{ docs, freqs []uint32 }

// posting is one term of a query in one segment: on the device, or small, or neither if
// the term does not occur.
type posting struct {
	n     uint32
	want  want
	small *small
}

// plan is a resolved query.
type plan struct {
	index    int // of the query
	mode     query.Mode
	k        int
	weights  []float32 // by term, in canonical order
	lists    []posting // term t in segment s: t*segments+s
	hits     []query.Hit
	cpu      bool // the device cannot answer it
	done     bool
	overflow bool // Rank had no room for its keys; Disjunct answers it
	weight   weight
	err      error
}

// resolver is the state of one goroutine in resolve. It allocates for many queries at
// once; otherwise ten thousand queries would need fifty thousand allocations.
type resolver struct {
	x        *Executor
	sorted   [][]byte
	list     segment.List
	terms    []queryTerm
	entries  []segment.Entry
	weights  []float32
	postings []posting
}

// queryTerm is a distinct term of a query: its number of occurrences in the query, the
// index of its first entry, and its document frequency in the snapshot without deleted
// documents.
type queryTerm struct {
	qtf, at int
	df      uint64
}

// take allocates n elements from a slab.
func take[T any](slab *[]T, n int) []T {
	if cap(*slab)-len(*slab) < n {
		*slab = make([]T, 0, max(n, 1024))
	}
	at := len(*slab)
	*slab = (*slab)[:at+n]
	return (*slab)[at : at+n : at+n]
}

// resolve makes the plans of all queries, in parallel.
func (x *Executor) resolve(queries []query.Query) []plan {
	plans := make([]plan, len(queries))
	workers := min(runtime.GOMAXPROCS(0), len(queries)/32+1)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			r := resolver{x: x}
			for {
				lo := int(next.Add(32)) - 32
				if lo >= len(queries) {
					return
				}
				for i := lo; i < min(lo+32, len(queries)); i++ {
					plans[i].index = i
					plans[i].err = r.resolve(&plans[i], &queries[i])
				}
				for i := lo; i < min(lo+32, len(queries)); i++ {
					x.lists.look(plans[i].lists)
				}
			}
		})
	}
	wg.Wait()
	return plans
}

// resolve looks up a query's terms and sorts them in package query's canonical order:
// ascending df in the snapshot, then bytes.
func (r *resolver) resolve(p *plan, q *query.Query) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	if err := q.Check(); err != nil {
		return err
	}
	segs := r.x.views
	p.mode, p.k = q.Mode, int(min(uint64(max(q.K, 0)), r.x.docs))
	if p.k == 0 || len(q.Terms) == 0 {
		p.done = true
		return nil
	}
	r.sorted = append(r.sorted[:0], q.Terms...)
	slices.SortFunc(r.sorted, bytes.Compare)
	terms, entries := r.terms[:0], r.entries[:0]
	for i, t := range r.sorted {
		if i > 0 && bytes.Equal(r.sorted[i-1], t) {
			terms[len(terms)-1].qtf++
			continue
		}
		v := queryTerm{qtf: 1, at: len(entries)}
		for s := range segs {
			e, ok, err := segs[s].seg.Lookup(t)
			if err != nil {
				return err
			}
			live, err := segs[s].deletes.Live(segs[s].seg, e)
			if err != nil {
				return format.Locate(err, format.Place{List: string(t), Block: format.NoBlock})
			}
			if !ok || live == 0 {
				e = segment.Entry{}
			}
			v.df += uint64(live)
			entries = append(entries, e)
		}
		terms = append(terms, v)
	}
	r.terms, r.entries = terms, entries
	slices.SortStableFunc(terms, func(a, b queryTerm) int {
		if a.df != b.df {
			if a.df < b.df {
				return -1
			}
			return 1
		}
		return 0
	})
	if len(terms) > kernels.MaxTerms || p.k > maxK || q.Filter != nil || q.Trace != nil {
		p.cpu = true
		return nil
	}
	if terms[0].df == 0 && p.mode != query.Or {
		if p.done = p.mode == query.And; p.done {
			return nil
		}
		p.mode = query.Or
	}
	for len(terms) > 0 && terms[0].df == 0 {
		terms = terms[1:]
	}
	p.weights, p.lists = take(&r.weights, len(terms)), take(&r.postings, len(terms)*len(segs))
	for i, t := range terms {
		p.weights[i] = r.x.scorer.Weight(t.df, t.qtf)
		for s := range segs {
			var err error
			if p.lists[i*len(segs)+s], err = r.open(s, entries[t.at+s]); err != nil {
				return err
			}
		}
	}
	p.done = len(p.weights) == 0
	p.weight = p.weigh(len(segs))
	return nil
}

// weight is what a plan adds to its batch. It is kept in the plan because one core cuts
// all plans into batches, and its caches do not hold their lists.
type weight struct {
	first, all int64 // postings of the first list and of all
	smalls     int   // lists without an extent
	partner    int64 // offset of the second term's list; 0 if there is only one term
}

func (p *plan) weigh(segments int) (w weight) {
	for j := range p.lists {
		o := &p.lists[j]
		if o.small != nil {
			w.smalls++
		}
		if j < segments {
			w.first += int64(o.n)
		} else if j < 2*segments && w.partner == 0 {
			w.partner = o.want.key.Offset
		}
		w.all += int64(o.n)
	}
	return w
}

// open returns a term's postings in a segment.
func (r *resolver) open(s int, e segment.Entry) (posting, error) {
	o := posting{n: e.DF}
	if e.DF == 0 {
		return o, nil
	}
	if e.Kind == segment.KindExtent {
		o.want = want{key: Key{s, e.Offset}, entry: e}
		return o, nil
	}
	if err := r.x.views[s].seg.InitList(&r.list, e); err != nil {
		return o, err
	}
	d, f := r.list.Small()
	o.small = &small{slices.Clone(d), slices.Clone(f)}
	return o, nil
}
