package algorithm

import (
	"context"
	"math"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/engine/columns"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/engine/topk"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// Run is the state of an execution within one segment: what the algorithms share, and their memory.
type Run struct {
	stop
	seek      reader.Strategy
	algorithm Name
	Names     [][]byte // the terms of the query, in canonical order
	after     uint64   // only hits with lesser keys count
	Postings  uint64   // of these, without those of deleted documents
	Top       topk.TopK
	Partial   topk.Least // of partial scores of distinct documents
	Trace     *Trace     // nil unless it is wanted

	Part    *posting.Part
	segment int             // its number
	lo, hi  uint32          // documents to consider: lo up to hi
	Lists   []*posting.List // the lists of terms that occur in the segment, in canonical order
	opened  int             // how many lists are open
	spare   []*posting.List // memory: all lists ever made
	suffix  []float32
	bounded bool // SumBounds has been called for lists
	filter  filterSet
	Guess   float32 // the greatest threshold that was not proven; -1 if there is none
	Sure    bool    // thresholds must be proven
	Counts

	// Later, unless nil, may take matches of that many lists to be scored elsewhere.
	Later interface {
		Postpone(m *Matches, lists int) bool
	}

	// Sets, unless nil, are what documents must be in, by segment, also those that a filter given to Begin has. A nil
	// set is all documents.
	Sets []*docset.Set

	// Tree, unless nil, says what matches and scores, instead of a conjunction or disjunction of Lists.
	Tree *Tree
	tree *tree // in the current segment; memory otherwise, nil before the first one

	// Static, unless nil, is added to scores, or multiplies them.
	Static *Static
	static columns.Static // of the current segment

	// The norm of the last document that score was called with.
	normed struct {
		in   *posting.Field
		doc  uint32
		norm float32
	}

	// Scratch.
	order   []*posting.List
	win     window
	cand    candidates
	other   candidates
	match   Matches
	matcher *Matcher   // nil before the first one
	phrases []sequence // memory, for phrases
	used    int        // of phrases
	scores  []float32
	words   []uint64
	freqs   []uint32
	kth     []float32
}

// NoHit is a key above those of all hits.
const NoHit = math.MaxUint64

// Begin makes r ready for a query for hits whose keys are below after.
func (r *Run) Begin(ctx context.Context, seek reader.Strategy, a Name, after uint64) {
	r.seek, r.algorithm, r.after, r.Trace, r.Static = seek, a, after, nil, nil
	r.Sets = nil
	r.stop.reset(ctx, nil)
}

// Below makes r consider hits only whose keys are below after.
func (r *Run) Below(after uint64) { r.after = after }

// Forget drops references that a pooled Run must not keep alive.
func (r *Run) Forget() {
	r.Part, r.Trace, r.Tree, r.Sets, r.normed.in = nil, nil, nil, nil, nil
	r.filter.own = nil
	if r.tree != nil {
		r.tree.forget()
	}
	if r.matcher != nil {
		r.matcher.forget()
	}
	for _, x := range r.phrases {
		x.forget()
	}
	r.stop.ctx, r.stop.done = nil, nil
	if r.Static != nil {
		r.Static = nil
		r.static.Forget()
	}
}

// Enter makes a part the current segment, without lists. It returns false if the filter has none of its
// documents.
func (r *Run) Enter(segment int, p *posting.Part) bool {
	r.Part, r.segment = p, segment
	r.Lists, r.opened, r.bounded = r.Lists[:0], 0, false
	r.Counts, r.normed.in, r.used = Counts{}, nil, 0
	r.filter.enter(r.Sets, segment)
	statics{r}.enter()
	return r.sift()
}

// Add adds the list of a term, the query's term of that number, that the segment has at e in a field.
func (r *Run) Add(e segment.Entry, reach reader.Reach, field, term int, weight float32) {
	if len(r.Lists) == len(r.spare) {
		r.spare = append(r.spare, new(posting.List))
	}
	l := r.spare[len(r.Lists)]
	l.Entry, l.Reach, l.Term, l.Weight, l.Bound = e, reach, term, weight, -1
	l.In = &r.Part.Fields[field]
	l.ListCounts = posting.ListCounts{}
	r.findDense(l)
	r.Lists = append(r.Lists, l)
}

// Open opens those of the first n lists that are not open yet, and reports success. Conjunctions
// open a list only when there is something to look up in it.
func (r *Run) Open(n int) bool {
	for ; r.opened < n; r.opened++ {
		if r.Due() {
			return false
		}
		l := r.Lists[r.opened]
		if err := l.Open(r.Part.Seg, r.seek); err != nil {
			r.fail(format.Locate(err, r.Place(l)))
			return false
		}
		if r.Trace != nil && !l.Small {
			l.TraceBlocks()
		}
	}
	return true
}

// start moves lists to the first posting at or after r.lo.
func (r *Run) start(lists []*posting.List) {
	if r.lo > 0 {
		for _, l := range lists {
			l.NextGEQ(r.lo)
		}
	}
}

// rewind moves the lists that are open to their first postings.
func (r *Run) rewind() bool {
	for _, l := range r.Lists[:r.opened] {
		l.Count()
		if err := l.Err(); err != nil {
			r.fail(format.Locate(err, r.Place(l)))
			return false
		}
		fates := l.Fates
		if err := l.Open(r.Part.Seg, r.seek); err != nil {
			r.fail(format.Locate(err, r.Place(l)))
			return false
		}
		if l.Fates = fates; fates != nil {
			l.Record(fates)
		}
	}
	return true
}

// SumBounds sets the bounds of all lists and makes suffix[i] the sum of the bounds of lists i and
// up; suffix[len(lists)] is zero.
func (r *Run) SumBounds() {
	r.suffix = append(r.suffix[:0], make([]float32, len(r.Lists)+1)...)
	for i := len(r.Lists) - 1; i >= 0; i-- {
		l := r.Lists[i]
		if p := l.List().Small(); p.Len() > 0 {
			l.Scores = bm25.Grow(l.Scores, p.Len())
			r.scorePostings(l, l.Scores, p.Docs, p.Freqs)
			l.Bound = slices.Max(l.Scores)
		} else {
			l.Bound = l.In.Scorer.Bound(l.Weight, l.List().Quad)
		}
		r.suffix[i] = r.suffix[i+1] + l.Bound
	}
}

// score returns the score of the posting of document doc, at which l is. It looks up the norm once for lists
// of the same field.
func (r *Run) score(l *posting.List, doc uint32) float32 {
	n := &r.normed
	if n.in != l.In || n.doc != doc {
		n.in, n.doc, n.norm = l.In, doc, l.In.Norm(doc)
	}
	return l.In.Scorer.Score(l.Weight, float32(l.Freq()), n.norm)
}

// accept offers a document of the current segment with its full score, but for its static score.
func (r *Run) accept(doc uint32, score float32) {
	if r.Static != nil {
		full, ok := statics{r}.with(doc, score)
		if !ok {
			return
		}
		score = full
	}
	r.offer(doc, score)
}

// offer offers a document of the current segment with its full score.
func (r *Run) offer(doc uint32, score float32) {
	r.Scored++
	if score < r.Top.Theta || r.vets() && !r.Allowed(doc) {
		return
	}
	doc += r.Part.Seg.Base()
	if r.after != NoHit && topk.Key(doc, score) >= r.after {
		return
	}
	r.Top.Offer(doc, score)
}

// vets reports whether documents of the range to consider must be checked with allowed.
func (r *Run) vets() bool { return r.filter.sifted || r.Part.Deletes != nil }

// Allowed reports whether a document of the current segment may be a hit.
func (r *Run) Allowed(doc uint32) bool {
	return !r.Part.Deletes.Has(doc) && r.filter.has(doc)
}

// Settle finishes the current lists and reports the first damage found in them.
func (r *Run) Settle() {
	for _, l := range r.Lists[:r.opened] {
		l.Count()
		if err := l.Err(); err != nil {
			r.fail(format.Locate(err, r.Place(l)))
		}
	}
}

// Place returns the location of l for errors.
func (r *Run) Place(l *posting.List) format.Place {
	return format.Place{List: l.In.Label(r.Names[l.Term]), Block: format.NoBlock}
}

// Record adds the pass of a over the current segment to the trace.
func (r *Run) Record(a Name) {
	t := r.Trace
	if t == nil {
		return
	}
	t.Algorithm = a
	st := SegmentTrace{Segment: r.segment, Algorithm: a, Counts: r.Counts}
	for i, l := range r.Lists {
		lt := ListTrace{Field: l.In.Name, Term: string(r.Names[l.Term]), DF: l.Entry.DF, Weight: l.Weight, Bound: max(l.Bound, 0)}
		if i < r.opened {
			lt.Blocks, lt.ListCounts, lt.Fates = l.Blocks(), l.ListCounts, l.Fates
		}
		st.Lists = append(st.Lists, lt)
	}
	t.Segments = append(t.Segments, st)
}

// risen records a rise of the threshold, if there was one, at document doc.
func (r *Run) risen(doc uint32) {
	if r.Trace != nil && r.Top.Theta >= 0 {
		r.Trace.threshold(r.Part.Seg.Base()+doc, r.Top.Theta)
	}
}

// findDense sets l.Dense if l, a list of the current segment, is cached.
func (r *Run) findDense(l *posting.List) {
	l.Dense, l.Asked = nil, true
	if uint64(l.Entry.DF)*posting.DenseShare >= uint64(r.Part.Seg.Docs()) && l.Entry.Kind == segment.KindExtent {
		l.Dense = r.Part.Dense.Get(l.Entry.Offset)
		l.Asked = l.Dense != nil
	}
}

// sift makes all documents of the current segment that are in the filter the ones to consider. It
// returns false if there is none.
func (r *Run) sift() bool {
	r.filter.sifted = false
	some := r.Within(0, posting.End)
	r.filter.docs = r.filter.count
	return some
}

// passing returns the greatest partial score from the first n lists with which a document cannot
// pass the threshold, whatever the other lists add. It is negative if there is none.
func (r *Run) passing(n int) float32 {
	if r.Top.Prune < 0 {
		return -1
	}
	return float32Below(float64(r.Top.Prune) - float64(r.suffix[n]))
}

// float32Below returns the greatest float32 that is not above v.
func float32Below(v float64) float32 {
	f := float32(v)
	if float64(f) > v {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}

// essential returns the least number of lists such that the bounds of the others together do not
// pass the threshold, given that it is at most n.
func (r *Run) essential(n int) int {
	for n > 0 && r.suffix[n-1] <= r.Top.Prune {
		n--
	}
	return n
}

// scoreAt returns the score of a document. Every list that holds it must be at it.
func (r stepwise) scoreAt(doc uint32) float32 {
	score := float32(0)
	for _, l := range r.Lists {
		if l.Doc() == doc {
			score += r.score(l, doc)
		}
	}
	return score
}

// What a Run of usual size has at most: lists, and elements of its longest slices.
const (
	usualLists    = 1 << 8
	UsualElements = 1 << 16
)

// Large reports whether r has had an unusual query and holds much memory since.
func (r *Run) Large() bool {
	if r.tree != nil && len(r.tree.spare) > usualLists {
		return true
	}
	for _, x := range r.phrases {
		if x.size() > UsualElements {
			return true
		}
	}
	return len(r.spare) > usualLists || r.Top.Size() > UsualElements || r.Partial.Size() > UsualElements ||
		max(cap(r.cand.docs), cap(r.other.docs), cap(r.match.own), r.matcher.size(), cap(r.scores), cap(r.freqs), cap(r.kth)) > UsualElements
}
