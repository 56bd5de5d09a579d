package hybrid

import (
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/choose"
	"github.com/pinion-index/pinion/query"
)

// Features are what a Model knows of a query: the four of Ding 2009, section 9, what the
// query asks for, and what follows from the bounds and codecs of its lists. Lengths are
// document frequencies in the snapshot, in postings. The counts of work are predictions.
type Features struct {
	Shortest, Second uint64 // lengths of the two shortest lists; Second is 0 for one term
	Sum              uint64 // of the lengths of all lists
	Terms            int    // distinct ones; of a disjunction those that are not empty
	K                int
	Mode             query.Mode

	// Decode is the time to decode a posting by the table of package choose, in
	// nanoseconds: the mean over all postings.
	Decode float64
	// Missing is how many bytes of the query's lists are not in device memory.
	Missing uint64

	// Of conjunctions, if terms occur independently of each other.
	Probes  float64 // documents that are looked up in the second and later lists
	Touched float64 // blocks of these lists that are decoded for that
	Matches float64 // documents that hold all terms

	// Of disjunctions. The first threshold is what the k-th impacts of the lists prove, or
	// would if short lists had them.
	Essential int        // lists without which a document cannot pass the first threshold
	Postings  [2]float64 // of the lists that are essential at the first threshold, and at 1.3 times that
	Passing   float64    // blocks of the latter whose bounds can pass 1.3 times the first threshold
	Read      float64    // postings of other lists that are read rather than probed
	Reached   float64    // score that K documents of the shortest list reach, over the sum of all bounds
	Shared    float64    // postings of documents that a longer list holds too, counted for each of these
}

const (
	// Scores of short lists, whose bounds are not in the index, over their terms' weights.
	shortBound, shortKth = 0.65, 0.5
	// higher is how far thresholds rise above the first one while a query runs.
	higher = 1.3
	// What package query does with long lists: those of denseShare of the documents are
	// bitmaps, those of readAlways postings more than the essential ones are not read.
	denseShare = 1.0 / 64
	readAlways = 16000
	blockLen   = 128
	// smallDecode is Decode of lists without a codec.
	smallDecode = 0.5
	// Terms of a query occur together about so many times as often as if they were independent,
	// and the best of many postings of a list score so much of its bound.
	together, ofBound = 16, 0.5
)

// decodeTimes is the time to decode a posting's docID and frequency, by codecs.
var decodeTimes = func() (t [32]choose.Nanos) {
	for id := range t {
		t[id] = choose.Decode(codec.ID(id))
	}
	return t
}()

// FeaturesOf returns the features of a query whose terms are known by infos, of
// query.Searcher.AppendTermInfo. It sorts infos. It leaves Missing at 0.
func FeaturesOf(q *query.Query, infos []*query.TermInfo) Features {
	f := Features{K: q.K, Mode: q.Mode}
	infos = distinct(infos)
	if q.Mode == query.Or {
		for len(infos) > 0 && infos[0].Docs == 0 {
			infos = infos[1:]
		}
	}
	f.Terms = len(infos)
	if f.Terms == 0 {
		return f
	}
	f.Shortest = infos[0].Docs
	if f.Terms > 1 {
		f.Second = infos[1].Docs
	}
	for _, t := range infos {
		f.Sum += t.Docs
		each := smallDecode
		if t.Blocks > 0 {
			each = decodeTimes[t.DocsCodec%32].Docs + decodeTimes[t.FreqsCodec%32].Freqs
		}
		f.Decode += float64(t.Docs) * each
	}
	f.Decode /= float64(max(f.Sum, 1))
	if q.Mode != query.Or {
		f.conjunction(infos)
	}
	if q.Mode != query.And {
		f.disjunction(infos)
	}
	return f
}

// distinct sorts infos by length and drops those that are there before.
func distinct(infos []*query.TermInfo) []*query.TermInfo {
	n := 0
	for _, t := range infos {
		at := n
		for at > 0 && infos[at-1].Docs > t.Docs {
			at--
		}
		again := false
		for k := at; k > 0 && infos[k-1].Docs == t.Docs; k-- {
			again = again || infos[k-1] == t
		}
		if again {
			continue
		}
		copy(infos[at+1:n+1], infos[at:n])
		infos[at] = t
		n++
	}
	return infos[:n]
}

// conjunction sets what depends on the lengths of lists, which ascend.
func (f *Features) conjunction(infos []*query.TermInfo) {
	left := float64(infos[0].Docs)
	for _, t := range infos[1:] {
		f.Probes += left
		if t.Share < denseShare {
			f.Touched += min(left, float64(t.Docs/blockLen+1))
		}
		left *= float64(t.Share)
	}
	f.Matches = left
}

// disjunction sets what depends on bounds. Lists are in canonical order, as in package
// query: the essential ones come first.
func (f *Features) disjunction(infos []*query.TermInfo) {
	first := firstThreshold(infos, f.K)
	after, shares := 0.0, 0.0 // bound and shares of the lists behind the current one
	for i := len(infos) - 1; i >= 0; i-- {
		t := infos[i]
		bound := boundOf(t)
		if after+bound > first {
			f.Essential = max(f.Essential, i+1)
			f.Postings[0] += float64(t.Docs)
		}
		if after+bound > higher*first {
			f.Postings[1] += float64(t.Docs)
			f.Passing += passing(t, (higher*first-after)/bound)
		}
		f.Shared += float64(t.Docs) * shares
		after += bound
		shares += float64(t.Share)
	}
	f.Reached = reached(infos, f.K) / max(after, 1e-30)
	for _, t := range infos[f.Essential:] {
		if float64(t.Docs) > readAlways+f.Postings[0] {
			break
		}
		f.Read += float64(t.Docs)
	}
}

// boundOf returns a bound of the scores of a term's postings; for short lists a guess.
func boundOf(t *query.TermInfo) float64 {
	if t.Blocks == 0 {
		return shortBound * float64(t.Weight)
	}
	return float64(t.Bound)
}

// firstThreshold returns a score that k documents probably reach.
func firstThreshold(infos []*query.TermInfo, k int) (score float64) {
	seen := uint64(0)
	for _, t := range infos { // the rarest term weighs most
		score = max(score, kthOf(t, k))
		if seen += t.Docs; seen >= uint64(k) && seen-t.Docs < uint64(k) {
			score = max(score, shortKth*float64(t.Weight))
		}
	}
	return score
}

// kthOf returns a score that k postings of a term reach, or 0.
func kthOf(t *query.TermInfo, k int) float64 {
	for at, n := range format.KthValues() {
		if k <= n {
			return float64(t.Kth[at])
		}
	}
	return 0
}

// reached estimates the score that k documents of the first of infos, the shortest list, reach: what the
// GPU knows when it comes to the others. The other terms of these documents count as
// independent draws, whose sum is normal.
func reached(infos []*query.TermInfo, k int) float64 {
	if infos[0].Docs < uint64(k) {
		return 0
	}
	own := kthOf(infos[0], k)
	if own == 0 {
		own = shortKth * float64(infos[0].Weight)
	}
	mean, variance, most := 0.0, 0.0, 0.0
	for _, t := range infos[1:] {
		p, score := min(together*float64(t.Share), 1), ofBound*boundOf(t)
		mean += p * score
		variance += p * (1 - p) * score * score
		most += score
	}
	best := math.Sqrt(2 * math.Ln2 * log2(float64(infos[0].Docs)/float64(k)) * variance)
	return own + min(mean+best, most)
}

// passing returns the number of blocks of a term whose bounds are at least share of the
// greatest.
func passing(t *query.TermInfo, share float64) float64 {
	if t.Blocks == 0 {
		return float64(t.Docs)/blockLen + 1
	}
	part := 1.0
	if share > 0.5 {
		at := (min(share, 1) - 0.5) * 16
		i := int(min(at, 7))
		next := 0.0
		if i < 7 {
			next = float64(t.Above[i+1])
		}
		part = (float64(t.Above[i]) + (next-float64(t.Above[i]))*min(at-float64(i), 1)) / 255
	}
	return part * float64(t.Blocks)
}

// The polynomials in Model have inputs variables, and those of disjunctions two more. Basis is the
// number of terms of these: 1, the variables, and the products of the first squared of them and of
// the two more. AndBasis is that of conjunctions, and of all modes in files of versions 2 and 3.
const (
	inputs   = 9
	squared  = 6
	AndBasis = 1 + inputs + squared*(squared+1)/2
	Basis    = AndBasis + 2 + 2*squared + 3
)

// Expand returns the terms of the polynomial, in x. Products of predicted matches or of what is
// nearly the same for all queries would carry single queries far away.
func (f *Features) Expand(x *[Basis]float64) []float64 {
	sum, terms := logOf(float64(f.Sum)), float64(min(f.Terms, 64))/4
	decode, k := log2(16*max(f.Decode, 1.0/16)), logOf(float64(min(f.K, 1<<20)))
	*x = [Basis]float64{}
	if f.Mode == query.And {
		products(x[:], []float64{logOf(float64(f.Shortest)), logOf(float64(f.Second)), sum, terms, logOf(f.Touched), logOf(f.Matches), logOf(f.Probes), decode, k}, squared-1)
		return x[:AndBasis]
	}
	v := [inputs]float64{logOf(f.Postings[0]), logOf(f.Postings[1]), logOf(f.Passing), logOf(f.Read), sum, terms, float64(min(f.Essential, 64)) / 4, decode, k}
	if f.Mode == query.AndOr {
		v[0], v[6] = logOf(float64(f.Shortest)), logOf(f.Matches)
	}
	products(x[:], v[:], squared)
	w := [squared + 2]float64(v[:squared+2])
	at := AndBasis
	for i, more := range [...]float64{8 * f.Reached, logOf(f.Shared)} {
		w[squared+i] = more
		x[at] = more
		for k, b := range w[:squared+i+1] {
			x[at+1+k] = more * b / 16
		}
		at += squared + i + 2
	}
	return x[:]
}

// products sets x to 1, v and the products of its first n.
func products(x, v []float64, n int) {
	x[0] = 1
	copy(x[1:], v)
	at := 1 + len(v)
	for i, a := range v[:n] {
		for _, b := range v[i:n] {
			x[at] = a * b / 16
			at++
		}
	}
}

// DingBasis is Basis of polynomials in Ding's features and k alone, all with each other, as
// files of version 1 and the built-in model have them.
const (
	dingInputs = 5
	DingBasis  = 1 + dingInputs + dingInputs*(dingInputs+1)/2
)

// ExpandDing is Expand for these polynomials.
func (f *Features) ExpandDing(x *[DingBasis]float64) {
	products(x[:], []float64{
		logOf(float64(f.Shortest)),
		logOf(float64(f.Second)),
		logOf(float64(f.Sum)),
		float64(min(f.Terms, 64)) / 4,
		logOf(float64(min(f.K, 1<<20))),
	}, dingInputs)
}

// logOf returns log2(1+v).
func logOf(v float64) float64 { return log2(v + 1) }

// log2 is the logarithm to within 0.009: a straight line between powers of two, bent by a
// parabola. It takes 1 ns.
func log2(v float64) float64 {
	b := math.Float64bits(v)
	e := int(b>>52&0x7ff) - 1023
	m := math.Float64frombits(b&(1<<52-1)|1023<<52) - 1 // 0 to 1
	return float64(e) + m + 0.3431*m*(1-m)
}

// resident is what an executor on a GPU knows of its lists.
type resident interface{ Resident(term []byte) bool }

// worthLoading is how many bytes of a term's lists make it worth a look whether they are
// on the device. Fewer are there in less time than a look takes.
const worthLoading = 16 << 10

// predict returns what q is predicted to cost with a GPU. infos is memory.
func (x *Executor) predict(gpu *device, q *query.Query, infos *[]*query.TermInfo) (Cost, error) {
	all, err := x.cpu.Searcher().AppendTermInfo((*infos)[:0], q.RawTerms)
	if *infos = all; err != nil {
		return Cost{}, err
	}
	missing := uint64(0)
	if gpu.model.Load > 0 {
		missing = MissingOf(gpu.Executor, q, all)
	}
	f := FeaturesOf(q, all)
	f.Missing = missing
	c := gpu.model.Predict(&f)
	c.CPU = x.weighing.correct(q.Mode, c.CPU)
	return c, nil
}

// MissingOf returns Features.Missing of a query for an executor on a GPU, which must be a
// gpuload.Group or gpuload.Executor; for others it is 0. infos are as AppendTermInfo
// returns them.
func MissingOf(gpu query.Executor, q *query.Query, infos []*query.TermInfo) (bytes uint64) {
	g, ok := gpu.(resident)
	if !ok {
		return 0
	}
	for i, t := range infos {
		if t.Bytes >= worthLoading && !g.Resident(q.RawTerms[i]) {
			bytes += t.Bytes
		}
	}
	return bytes
}
