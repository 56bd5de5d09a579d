package gpuload

import (
	"iter"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/gpuload/internal/residency"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// posting is one term of a query in one segment: on the device, or small, or neither if
// the term does not occur.
type posting struct {
	n     uint32
	reach reader.Reach
	want  residency.Want
	small *format.Postings // a decoded list without an extent
	home  *place           // of a term in the cache
}

// absent returns those of some lists that are not on the device, where single postings and
// compact lists never are.
func absent(lists []posting) iter.Seq[*posting] {
	return func(yield func(*posting) bool) {
		for i := range lists {
			if o := &lists[i]; o.n > 0 && o.small == nil && o.want.List == nil && !yield(o) {
				return
			}
		}
	}
}

// wanted returns the lists that are or may be on the device.
func wanted(lists []posting) iter.Seq[*residency.Want] {
	return func(yield func(*residency.Want) bool) {
		for i := range lists {
			if o := &lists[i]; o.n > 0 && o.small == nil && !yield(&o.want) {
				return
			}
		}
	}
}

// plan is a resolved query.
type plan struct {
	index    int // of the query
	mode     query.Mode
	k        int
	weights  []float32 // by term, in canonical order
	fields   []uint16  // of the terms; nil if the index has no schema
	lists    []posting // term t in segment s: t*segments+s
	hits     []query.Hit
	cpu      bool // the device cannot answer it
	misfit   bool // because a list is not there: it may fit without those of other batches
	done     bool
	within   kernels.Ptr // bitmap of the documents that may be hits, none of them deleted; 0: all that are not deleted
	ask      *ask        // what the query asks for beside terms, or nil
	statics  kernels.Ptr // static scores, by global docID; 0: there are none
	most     float32     // no static score is greater
	overflow bool        // there was no room for its keys
	all      bool        // there must be room for the key of every document
	weight   weight
	dot      *dot // of a query that is one Dot: there are no lists
	err      error
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
			w.partner = o.want.Key.Offset
		}
		w.all += int64(o.n)
	}
	return w
}

// take allocates n elements from a slab. A slab that is full is replaced by a longer one.
func take[T any](slab *[]T, n int) []T {
	if cap(*slab)-len(*slab) < n {
		*slab = make([]T, 0, max(n, 1024, min(2*cap(*slab), 1<<15)))
	}
	at := len(*slab)
	*slab = (*slab)[:at+n]
	return (*slab)[at : at+n : at+n]
}

// missing returns the number of postings of the plan's terms from up to to that are not on
// the device.
func (p *plan) missing(from, to, segments int) (n int64) {
	for o := range absent(p.lists[from*segments : to*segments]) {
		n += int64(o.n)
	}
	return n
}

// length returns the number of postings of a plan's term.
func (p *plan) length(term, segments int) (n int64) {
	for i := term * segments; i < (term+1)*segments; i++ {
		n += int64(p.lists[i].n)
	}
	return n
}

// second returns the slot of a plan's second list, or 0 if it is not resident.
func (p *plan) second(segments int) uint32 {
	if len(p.lists) < 2*segments {
		return 0
	}
	for _, o := range p.lists[segments : 2*segments] {
		if r := o.want.List; r != nil {
			return r.Slot
		}
	}
	return 0
}

// toCPU marks all plans for the CPU that have not been answered without any work.
func toCPU(plans []*plan) {
	for _, p := range plans {
		if !p.done {
			p.cpu, p.hits = true, nil
		}
	}
}

// source returns a value that identifies the list within a batch.
func (o *posting) source() any {
	if o.small != nil {
		return o.small
	}
	return o.want.List
}

// field returns the field of a term.
func (p *plan) field(term int) int {
	if p.fields == nil {
		return 0
	}
	return int(p.fields[term])
}
