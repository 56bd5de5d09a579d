package query

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// part is one segment of the snapshot.
type part struct {
	seg     *segment.Segment
	base    uint32 // global docID of its first document
	docs    uint32
	deletes *roaring.Bitmap // local docIDs, nil for none
	lens    segment.LengthTable
}

// term is one distinct term of a query.
type term struct {
	bytes  []byte
	qtf    int
	df     uint64 // over the snapshot
	weight float32
}

// run is everything that executing one query needs. Searchers pool them, so that
// a query allocates next to nothing.
type run struct {
	s *Searcher
	q *Query
	stop
	top topK

	terms   []term          // canonical order: ascending df, then bytes
	entries []segment.Entry // of term i in part p: i*parts+p; DF is 0 where it does not occur
	sorted  [][]byte

	// Of the segment at hand.
	part   *part
	vet    bool    // hits must be checked against deletes or the filter
	lists  []*list // those that occur here, in canonical order
	spare  []*list // all that were ever made
	suffix []float32
	order  []*list // scratch of the WAND family
	win    window
	kth    []float32 // scratch
	cand   candidates
	match  matches
	Counts
}

// resolve looks the query's terms up and puts them in canonical order.
func (r *run) resolve() error {
	r.sorted = append(r.sorted[:0], r.q.Terms...)
	slices.SortFunc(r.sorted, bytes.Compare)
	r.terms, r.entries = r.terms[:0], r.entries[:0]
	parts := r.s.parts
	for _, t := range r.sorted {
		if n := len(r.terms); n > 0 && bytes.Equal(r.terms[n-1].bytes, t) {
			r.terms[n-1].qtf++
			continue
		}
		r.terms = append(r.terms, term{bytes: t, qtf: 1})
	}
	if len(r.terms) > MaxTerms {
		return fmt.Errorf("%w: %d distinct terms, at most %d", ErrTooManyTerms, len(r.terms), MaxTerms)
	}
	if len(r.terms)*len(parts) > cap(r.entries) {
		r.entries = make([]segment.Entry, 0, len(r.terms)*len(parts))
	}
	for i := range r.terms {
		t := &r.terms[i]
		for p := range parts {
			e, ok, err := parts[p].seg.Lookup(t.bytes)
			if err != nil {
				return err
			}
			if !ok {
				e = segment.Entry{}
			}
			t.df += uint64(e.DF)
			r.entries = append(r.entries, e)
		}
		t.weight = r.s.scorer.Weight(t.df, t.qtf)
	}
	r.canonical()
	return nil
}

// canonical sorts terms, which are in bytewise order, by ascending df, and their
// entries with them. An insertion sort: queries are short and few rows move.
func (r *run) canonical() {
	n := len(r.s.parts)
	for i := 1; i < len(r.terms); i++ {
		for j := i; j > 0 && r.terms[j].df < r.terms[j-1].df; j-- {
			r.terms[j], r.terms[j-1] = r.terms[j-1], r.terms[j]
			for p := range n {
				a, b := &r.entries[j*n+p], &r.entries[(j-1)*n+p]
				*a, *b = *b, *a
			}
		}
	}
}

// unknown reports whether some term occurs nowhere.
func (r *run) unknown() bool { return len(r.terms) > 0 && r.terms[0].df == 0 }

// enter makes p the segment at hand. It reports false when the segment has no
// matches; failures are in r.err.
func (r *run) enter(p int, conjunctive bool) bool {
	r.part = &r.s.parts[p]
	r.vet = r.part.deletes != nil || r.q.Filter != nil
	r.lists = r.lists[:0]
	n := len(r.s.parts)
	for i := range r.terms {
		e := r.entries[i*n+p]
		if e.DF == 0 {
			if conjunctive {
				return false
			}
			continue
		}
		if len(r.lists) == len(r.spare) {
			r.spare = append(r.spare, new(list))
		}
		l := r.spare[len(r.lists)]
		if err := l.init(r.part.seg, e, r.s.scorer, &r.stop, r.terms[i].weight, r.s.options.Seek); err != nil {
			r.fail(format.Locate(err, format.Place{List: string(r.terms[i].bytes), Block: format.NoBlock}))
			return false
		}
		l.term = i
		if l.bound < 0 {
			r.boundSmall(l)
		}
		r.lists = append(r.lists, l)
	}
	return len(r.lists) > 0
}

// boundSmall scores all postings of a list without an extent: its bound is the
// greatest of them.
func (r *run) boundSmall(l *list) {
	r.scoreBlock(l)
	l.bound = slices.Max(l.scores)
}

// scoreBlock makes l.scores the scores of the current block's postings.
func (r *run) scoreBlock(l *list) bool {
	if l.scoreB == l.block {
		return true
	}
	if !l.loadFreqs() {
		return false
	}
	n := len(l.docs)
	if cap(l.scores) < n {
		l.scores = make([]float32, max(n, l.l.BlockLen))
	}
	l.scores = l.scores[:n]
	scorePostings(l.scores, l.docs, l.freqs, r.part.lens, r.s.scorer, l.weight)
	l.scoreB = l.block
	return true
}

// scorePostings writes the scores of postings of a term of weight w to dst.
func scorePostings(dst []float32, docs, freqs []uint32, lens segment.LengthTable, s *Scorer, w float32) {
	freqs, dst = freqs[:len(docs)], dst[:len(docs)]
	for i, d := range docs {
		dst[i] = Score(w, float32(freqs[i]), s.Norm(lens.Get(d)))
	}
}

// norm returns the norm of a document of the segment at hand.
func (r *run) norm(doc uint32) float32 { return r.s.scorer.Norm(r.part.lens.Get(doc)) }

// accept offers a document of the segment at hand with its full score.
func (r *run) accept(doc uint32, score float32) {
	r.Scored++
	if score < r.top.theta || r.vet && !r.allowed(doc) {
		return
	}
	r.top.offer(r.part.base+doc, score)
}

func (r *run) allowed(doc uint32) bool {
	if d := r.part.deletes; d != nil && d.Contains(doc) {
		return false
	}
	f := r.q.Filter
	return f == nil || f.Contains(r.part.base+doc)
}

// estimate raises the threshold to what the k-th impacts of the lists at hand
// prove: at least k documents reach it, if none may be refused.
func (r *run) estimate() {
	if r.vet {
		return
	}
	for _, l := range r.lists {
		if docs, _ := l.l.Small(); docs != nil {
			if len(l.scores) >= r.top.k {
				r.kth = append(r.kth[:0], l.scores...)
				selectGreatest(r.kth, r.top.k)
				r.top.raise(r.kth[r.top.k-1])
			}
			continue
		}
		for i, k := range format.KthValues {
			if tf, dl, ok := l.l.Kth[i].Pair(); r.top.k <= k && ok {
				r.top.raise(Score(l.weight, float32(tf), r.s.scorer.Norm(dl)))
				break
			}
		}
	}
}

// sumBounds makes suffix[i] the sum of the bounds of lists i and up, and
// suffix[len(lists)] zero.
func (r *run) sumBounds() {
	r.suffix = append(r.suffix[:0], make([]float32, len(r.lists)+1)...)
	for i := len(r.lists) - 1; i >= 0; i-- {
		r.suffix[i] = r.suffix[i+1] + r.lists[i].bound
	}
}

// begin prepares for a query.
func (r *run) begin(ctx context.Context, s *Searcher, q *Query) {
	r.s, r.q = s, q
	r.stop.reset(ctx)
	r.Counts = Counts{}
}

// forget drops what must not be kept alive by the pool.
func (r *run) forget() {
	r.q, r.part = nil, nil
	r.stop.ctx, r.stop.done = nil, nil
	clear(r.sorted)
	clear(r.terms)
}
