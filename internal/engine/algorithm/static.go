package algorithm

import (
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/columns"
	"github.com/pinion-index/pinion/internal/engine/topk"
)

// Static is what a query adds to scores by a column.
type Static struct {
	Columns  []columns.Column // by segment; nil where no document has a value
	Ranks    []*columns.Ranks // by segment; nil where none are kept
	Curve    columns.Curve
	Weight   float64
	Multiply bool // the whole score is multiplied by 1 plus what would be added
}

// statics is a Run that adds static scores, or multiplies by them, if the query has any.
type statics struct{ *Run }

// rise returns what a static score does to a score.
func (r statics) rise(by float32) topk.Rise { return topk.Rise{By: by, Multiply: r.Static.Multiply} }

// enter makes the static scores of the current segment known.
func (r statics) enter() {
	if r.Static == nil {
		return
	}
	r.static.Begin(r.Static.Columns[r.segment], r.Static.Ranks[r.segment], r.Static.Curve, r.Static.Weight)
	r.most()
}

// most makes r prune what cannot pass with any static score of the segment.
func (r statics) most() {
	if r.Static != nil {
		r.Top.Leave(r.rise(r.static.Most()))
	}
}

// mostIn makes r prune what cannot pass with a static score of documents from lo up to hi, until the next call. Only
// documents from there may be considered meanwhile.
func (r statics) mostIn(lo, hi uint32) {
	if r.Static != nil {
		r.Top.Leave(r.rise(r.static.MostIn(lo, hi)))
	}
}

// with returns the score of a document with its static score, unless it cannot reach the threshold. It returns false for
// a document that was considered before.
func (r statics) with(doc uint32, score float32) (float32, bool) {
	if r.static.LeftOut(doc) {
		return 0, false
	}
	if r.rise(r.static.MostOf(doc)).Of(score) < r.Top.Theta {
		return score, true
	}
	s, err := r.static.Of(doc)
	if err != nil {
		r.fail(err)
	}
	return r.rise(s).Of(score), true
}

// topShare is how many postings are read in the time that looking up a document with a great static score takes.
const topShare = 16

// tops considers the documents with the greatest static scores before the others, as long as that saves more than it
// costs: the threshold that they give and the bound of the others prune the others. r.Lists must be open.
func (r disjunction) tops() {
	tops := r.static.Tops()
	if len(tops) == 0 {
		return
	}
	r.SumBounds()
	thresholds(r).raise()
	for i, t := range tops {
		if r.Stopped() || !r.worthLookingUp(tops[i:]) {
			return
		}
		r.lookUp(t.Docs)
		r.static.LeaveOut(t)
		statics(r).most()
		if !r.rewind() {
			return
		}
	}
}

// worthLookingUp reports whether considering the documents in some of tops, from the first on, saves more than it costs.
// Where twice as many of them as hits are wanted match, if they are like the others, it counts on a threshold that they give by their static
// scores alone; products give none.
func (r disjunction) worthLookingUp(tops []columns.Top) bool {
	most := uint64(0)
	for _, l := range r.Lists {
		most = max(most, uint64(l.Entry.DF))
	}
	docs, theta := uint64(0), float64(r.Top.Theta)
	rise := statics(r).rise
	now := r.essentialPostings(rise(r.static.Most()).Without(theta))
	for _, t := range tops {
		docs += uint64(t.Docs.Len())
		rest := rise(r.static.Rest(t))
		if !rest.Multiply && docs*most >= 2*uint64(r.Top.K)*uint64(r.Part.Seg.Docs()) {
			theta = max(theta, float64(rest.By))
		}
		if now-r.essentialPostings(rest.Without(theta)) > topShare*int(docs) {
			return true
		}
	}
	return false
}

// essentialPostings returns how many postings the essential lists have if partial scores up to pass do not pass.
func (r disjunction) essentialPostings(pass float64) (postings int) {
	n := len(r.Lists)
	for n > 0 && float64(r.suffix[n-1]) <= pass {
		n--
	}
	for _, l := range r.Lists[:n] {
		postings += l.List().N
	}
	return postings
}

// lookUp considers documents that are in the filter.
func (r disjunction) lookUp(docs *docset.Set) {
	f, lo, hi := &r.filter, r.lo, r.hi
	all, count, sifted, own := f.docs, f.count, f.sifted, f.own
	some := docs.AppendDocs(nil, lo, hi)
	if r.filter.some() && len(some) > 0 {
		some = r.filter.keep(some)
	}
	if f.own = docset.FromDocs(some); r.Within(lo, hi) {
		f.docs = f.count
		lookups(r).filterFirst(false)
	}
	f.docs, f.count, r.lo, r.hi, f.sifted, f.own = all, count, lo, hi, sifted, own
}

// drop drops the candidates that were considered before, and those that cannot pass the threshold with their own static
// scores if what is left adds at most rest.
func (r statics) drop(rest float64) {
	codes, most := r.static.Codes()
	if codes == nil {
		return
	}
	pass := float64(r.Top.Proven())
	c, n := &r.cand, 0
	for j, doc := range c.docs {
		s := c.sums[j]
		if code := codes[doc]; code <= most && r.rise(r.static.CodeBound(code)).Bound(float64(s)+rest) > pass {
			c.docs[n], c.sums[n] = doc, s
			n++
		}
	}
	c.docs, c.sums = c.docs[:n], c.sums[:n]
}

// addStatic makes the static scores of the matches part of their scores, and drops matches that cannot pass the threshold if
// constants add at most rest.
func (t *tree) addStatic(rest float64) {
	r := t.run
	if r.Static == nil {
		return
	}
	rise, pass := statics{r}.rise, float32Below(float64(r.Top.Proven())-rest)
	match := t.root.match
	each(match, func(i int) {
		doc := t.docs[i]
		if rise(r.static.MostOf(doc)).Of(t.sums[i]) <= pass {
			match[i/64] &^= 1 << (i % 64)
			return
		}
		s, err := r.static.Of(doc)
		if err != nil {
			r.fail(err)
		}
		t.sums[i] = rise(s).Of(t.sums[i])
	})
}
