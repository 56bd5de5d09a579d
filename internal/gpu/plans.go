package gpu

import (
	"iter"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
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
	wanted   int       // hits, if there may be equal scores that docIDs do not order; k is one more then
	weights  []float32 // by term, in canonical order
	clauses  *clauses  // how terms are combined; nil: as mode says
	ceiling  uint64    // only lesser keys are hits; 0: all
	counts   bool      // total is wanted
	total    uint64    // documents that match
	fields   []uint16  // of the terms; nil if the index has no schema
	lists    []posting // term t in segment s: t*segments+s
	hits     []search.Hit
	why      Reason // the CPU answers it
	done     bool
	within   kernels.Ptr // bitmap of the documents that may be hits, none of them deleted; 0: all that are not deleted
	span     *span       // the values that hits have, which are made within for each batch; or nil
	ask      *ask        // what the query asks for beside terms, or nil
	statics  kernels.Ptr // static scores, by global docID; 0: there are none
	most     float32     // no static score is greater
	way      way         // of the step that is executed next
	overflow bool        // there was no room for its keys
	all      bool        // there must be room for the key of every document, of a Dot for all that tiles find
	weight   weight
	dot      *dot     // of a query that is one Dot: there are no lists
	near     *nearest // of a query that is one Nearest: there are no lists
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

// toCPU leaves all plans to the CPU that have not been answered without any work. Those that are left to it keep their reasons.
func toCPU(plans []*plan, why Reason) {
	for _, p := range plans {
		p.leave(why)
	}
}

// leave leaves a plan to the CPU.
func (p *plan) leave(why Reason) {
	if p.done {
		return
	}
	if p.hits = nil; p.why == OnDevice {
		p.why = why
	}
}

// source returns a value that identifies the list within a batch.
func (o *posting) source() any {
	if o.small != nil {
		return o.small
	}
	return o.want.List
}

// scored reports whether all lists of a plan with clauses are in codecs of their kernels.
func (p *plan) scored() bool {
	for w := range wanted(p.lists) {
		if w.List != nil && kernels.For(kernels.RankTrees, w.List.Codecs) == kernels.None {
			return false
		}
	}
	return true
}

// whole reports whether one processor answers all of a query.
func (p *plan) whole() bool {
	return p.dot != nil || p.ask != nil || p.mode == query.ModeOr || p.counts || p.ceiling > 0
}

// conjoins reports whether the documents of one list are looked up in others.
func (p *plan) conjoins() bool {
	return p.way == byAnd || p.way == byDrivers && len(p.clauses.drivers) == 1
}

// ranged reports whether a way goes by ranges of documents.
func (w way) ranged() bool { return w == byRanges || w == byClauses }

// field returns the field of a term.
func (p *plan) field(term int) int {
	if p.fields == nil {
		return 0
	}
	return int(p.fields[term])
}

// conjunctive reports whether all terms of a plan occur in a segment, and returns the
// number of postings of the first.
func (p *plan) conjunctive(seg, segments int) (uint32, bool) {
	for t := range p.weights {
		if p.lists[t*segments+seg].n == 0 {
			return 0, false
		}
	}
	return p.lists[seg].n, true
}

// occurs returns the number of postings that a plan's terms have in a segment.
func (p *plan) occurs(seg, segments int) (n int64) {
	for t := range p.weights {
		n += int64(p.lists[t*segments+seg].n)
	}
	return n
}

// firstOf returns the number of postings of the first of a plan's lists that occurs in a
// segment.
func (p *plan) firstOf(seg, segments int) int64 {
	for t := range p.weights {
		if n := p.lists[t*segments+seg].n; n > 0 {
			return int64(n)
		}
	}
	return 0
}

// usable reports whether all lists of a plan are on the device.
func (p *plan) usable() bool {
	for range absent(p.lists) {
		return false
	}
	return true
}

// markable reports whether MarkSets can read all lists of a plan.
func (p *plan) markable() bool {
	for w := range wanted(p.lists) {
		if w.List == nil || kernels.For(kernels.SetPostings, w.List.Codecs) == kernels.None {
			return false
		}
	}
	return true
}

// known is where a term's lists are, and where they were last on the device.
type known struct {
	lists []place // by view
	one   [1]place
}

// occurs reports whether a document that is not deleted has the term.
func (k *known) occurs() bool {
	for i := range k.lists {
		if k.lists[i].n > 0 {
			return true
		}
	}
	return false
}

// place is a list of a known term.
type place struct {
	posting
	list atomic.Pointer[residency.List] // may be evicted by now
}

// ask is what a query asks for beside its terms: that its hits pass a filter, and static scores.
type ask struct {
	docs    *docset.Global
	columns *filter.Compiled
	static  bool
	field   uint32
	weight  float64
}

// span are the documents whose values in a table of a column are from lo to hi.
type span struct {
	values kernels.Ptr
	lo, hi int64
}

// dot is a resolved Dot.
type dot struct {
	tiles  *tileSet
	n      int                  // terms
	stride int                  // of terms from one segment to the next
	terms  []kernels.ImpactTerm // by segment of tiles
	factor float32
	low    uint32 // of all sums that can be hits
	bound  uint32 // of all sums
}

// A batch has at most batchQueries queries, and at least leastQueries if there are
// enough: these keep the device busy. With several batches, one is prepared, copied or
// read while the device works on another.
const (
	batchQueries = 1 << 14
	leastQueries = 1 << 10
	batchHits    = 1 << 20 // most hits of a batch of several queries: 8 MB of pinned memory
)

// job is one query on one segment.
type job struct {
	plan  *plan
	seg   int
	slot  int // index of the query in the batch
	first int // index of its first term
	terms int
	drive []*posting // postings of its terms, in canonical order; of one that goes by drivers, that of the driver
	nth   int        // of the drivers
}

const maxKnown = 1 << 18 // terms times views in an Executor's cache, 200 to 300 bytes each

// knownSets returns the number of sets of the cache, for an index of that many terms and
// views.
func knownSets(terms uint64, views int) int {
	n := 1 << 16
	for n > 16 && (4*n*views > maxKnown || uint64(2*n) > terms) {
		n /= 2
	}
	return n
}

// filters reports whether hits must pass a filter.
func (a *ask) filters() bool { return a.docs != nil || a.columns != nil }

// way is how the device executes a step of a plan.
type way uint8

const (
	byAnd     way = iota // all terms: blocks of the shortest list are looked up in the others (Rank)
	byLists              // one of the terms: list by list (Rank)
	byRanges             // one of the terms: by ranges of documents (Disjunct)
	byTiles              // a Dot: tile by tile of its field (AddImpacts)
	byClauses            // a tree of terms, or a total: by ranges of documents (DisjunctClauses)
	byDrivers            // a tree of terms: list by list (RankClauses)
	byVectors            // a Nearest: all vectors of its field (NearScan)
)

// next reports whether there is another step after the one that found p.hits, and makes it the next: a disjunction, where too
// few documents have all terms.
func (p *plan) next() bool {
	if p.mode != query.ModeAndOr || len(p.hits) >= p.k {
		return false
	}
	p.hits, p.mode = nil, query.ModeOr
	return true
}

// workOf returns about how many postings a core reads for terms with postings in the shortest list and in all.
func workOf(mode query.Mode, all, first int64, terms int) int64 {
	if mode == query.ModeOr {
		return all
	}
	return min(all, first*int64(terms)) // blocks of the others for the docIDs of the shortest
}
