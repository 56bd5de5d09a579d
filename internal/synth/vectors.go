package synth

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// VectorSpec describes a collection of sparse vectors, as learned encoders make them of documents: lists that are
// all long, of weights. Documents are alike.
type VectorSpec struct {
	Docs     int     // documents, 1 to 2^31-1
	Terms    int     // distinct terms, 1 to 2^25
	Postings float64 // mean terms of a document, above Most and below Most * Terms
	Most     float64 // share of the documents that have the most frequent term, above 0 and at most 0.5
	Seed     uint64
}

// DefaultVectors has as many documents as the passages of MS MARCO, and 1.06 G postings.
var DefaultVectors = VectorSpec{Docs: 8_841_823, Terms: 30_000, Postings: 120, Most: 0.3, Seed: 1}

// The shape of a collection of vectors, in addition to its VectorSpec.
const (
	meanWeight = 25 // weights are 1 + floor(-25 ln u), but at most segment.MaxWeight

	// Terms of odd ranks come by turns in runs of documents, of which every second has the term, and between them:
	// about as many postings each time.
	runPostings = 32
	runGap      = 2

	// Tenants is the number of values of the column "tenant", by which queries are filtered.
	Tenants = 10
)

// Check returns an error unless s is in range.
func (s VectorSpec) Check() error {
	if err := (Spec{Docs: s.Docs, Terms: s.Terms, Length: 1, Topics: 1}).Check(); err != nil {
		return err
	}
	if !(s.Most > 0 && s.Most <= 0.5) {
		return fmt.Errorf("the most frequent term in a share of %g: above 0 and up to 0.5 can be made", s.Most)
	}
	if !(s.Postings > s.Most && s.Postings < s.Most*float64(s.Terms)) {
		return fmt.Errorf("%g postings of a document: above %g and below %g can be made of %d terms", s.Postings, s.Most, s.Most*float64(s.Terms), s.Terms)
	}
	return nil
}

// Vectors is a collection of sparse vectors, of which lists are drawn on demand. Rank r is in a share of the documents
// in proportion to 1/(r + shift), as by Zipf's law. It is immutable and safe for concurrent use.
type Vectors struct {
	spec  VectorSpec
	names naming
	shift float64
}

// NewVectors returns the collection of a specification.
func NewVectors(s VectorSpec) (*Vectors, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	v := &Vectors{spec: s, names: newNaming(s.Terms)}
	lo, hi := 0.0, 1.0
	for v.sum(hi) < s.Postings {
		hi *= 2
	}
	for range 60 {
		if m := (lo + hi) / 2; v.sum(m) < s.Postings {
			lo = m
		} else {
			hi = m
		}
	}
	v.shift = hi
	return v, nil
}

// sum returns the mean terms of a document with a shift.
func (v *Vectors) sum(shift float64) float64 {
	sum := 0.0
	for r := range v.spec.Terms {
		sum += v.spec.Most * (shift / (float64(r) + shift))
	}
	return sum
}

// Share returns about what share of the documents has the term of a rank, from 0 on.
func (v *Vectors) Share(rank int) float64 {
	return v.spec.Most * (v.shift / (float64(rank) + v.shift))
}

// Spec returns what the collection was made from.
func (v *Vectors) Spec() VectorSpec { return v.spec }

// Term appends the term of a rank: up to 5 letters and digits.
func (v *Vectors) Term(dst []byte, rank int) []byte { return v.names.append(dst, rank) }

// Schema returns the fields of the documents: "vector" of kind impacts, and "tenant", a column of integers
// from 0 to Tenants-1.
func (v *Vectors) Schema() *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: "vector", Kind: schema.Impacts},
		{Name: "tenant", Kind: schema.Integer, Column: true},
	}}
}

// Parts cuts the collection into n parts with about the same number of documents, n from 1 to Slabs. Together they
// hold the same documents and postings for every n. Documents are those of the Schema.
func (v *Vectors) Parts(n int) []Part { return cut(v, n) }

func (v *Vectors) first(slab int) int { return v.spec.Docs * slab / Slabs }

func (v *Vectors) dictionary() (naming, int) { return v.names, v.spec.Terms }

func (v *Vectors) inverted() writer.Inverted {
	return writer.Inverted{Fields: []string{"tenant", "vector"}}
}

func (v *Vectors) describe(d *writer.InvertedDoc, doc int) {
	if d.Lens == nil {
		d.Lens, d.Values = make([]uint32, 2), make([]schema.Value, 1)
	}
	h := (uint64(doc) + v.spec.Seed) * 0x9e3779b97f4a7c15
	h = (h ^ h>>32) * 0xbf58476d1ce4e5b9
	d.Values[0] = schema.IntegerValue(0, int64((h>>32)%Tenants))
}

// drawer draws lists by the gaps between their documents, which are distributed geometrically.
func (v *Vectors) drawer() func(rank, from, to int, dst format.Postings) format.Postings {
	var pcg rand.PCG
	rng := rand.New(&pcg)
	return func(rank, from, to int, dst format.Postings) format.Postings {
		mean := 1 / v.Share(rank)
		for s := from; s < to; s++ {
			pcg.Seed(v.spec.Seed+1, uint64(rank)<<8|uint64(s))
			base, end := v.first(from), v.first(s+1)
			if rank&1 == 0 {
				dst, _ = v.run(rng, dst, v.first(s), end, base, mean, math.MaxInt)
				continue
			}
			// Within a run and between two, so many documents have a posting on average that their shares of the
			// postings are the same.
			doc, in := v.first(s), rng.Float64() < runGap/(2*mean)
			for doc < end {
				gap := 2*mean - runGap
				if in {
					gap = runGap
				}
				dst, doc = v.run(rng, dst, doc, end, base, gap, 1+int(float64(runPostings*rng.ExpFloat64())))
				in = !in
			}
		}
		return dst
	}
}

// run appends up to n postings of documents from doc to end, as so many from base on, with a mean gap between them, and
// returns the document after the last.
func (v *Vectors) run(rng *rand.Rand, dst format.Postings, doc, end, base int, gap float64, n int) (format.Postings, int) {
	scale := -1 / math.Log1p(-1/gap) // the whole part of an exponential variable is geometric
	for ; n > 0; n-- {
		if doc += int(min(float64(rng.ExpFloat64()*scale), math.MaxInt32)); doc >= end {
			break
		}
		dst = dst.AppendPosting(uint32(doc-base), weight(rng))
		doc++
	}
	return dst, doc
}

// weight draws the weight of a term.
func weight(rng *rand.Rand) uint32 { return 1 + uint32(min(meanWeight*rng.ExpFloat64(), 254)) }
