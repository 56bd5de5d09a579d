// Package corpus makes stand-ins for the collections and query logs of the papers: the
// lists of the queries' terms only.
//
//	corpus.go    the collections by name, and sets of given lists
//	terms.go     terms by the lengths of their lists
package corpus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/listset"
	"github.com/pinion-index/pinion/internal/order"
	"github.com/pinion-index/pinion/internal/synth"
)

// Set is a collection, reduced to the lists of a query log.
type Set struct {
	listset.Set
	Scale float64 // share of the paper's documents
	// Sample are lists of the whole collection, from the longest down, each with the number
	// of lists that it stands for.
	Sample []Weighted
	base   *synth.Collection
}

// Weighted is a list that stands for others.
type Weighted struct {
	Docs   []uint32
	Freqs  []uint8
	Weight float64
}

// kind describes a stand-in.
type kind struct {
	docs  int // of the paper
	spec  synth.Spec
	log   LogSpec
	terms terms
	order string // "", random, static
}

// t06 has the shares of Ao 2011, table 4, for 2 to 6 terms; the rest is divided over 7 to
// 10. The tables of the paper imply a mean shortest list of 8.0 to 8.7 K on GOV.
var t06 = []float64{0, 16.1, 24.5, 22.8, 14.8, 8.24, 6, 4, 2.5, 1.06}

// griffin11 are the shares of Griffin 2018, section 4.2; the text has those of 2, 3 and 4
// terms.
var griffin11 = []float64{0, 27, 33, 24, 9, 4, 2, 1}

func log(lengths []float64, first float64) LogSpec {
	return LogSpec{Queries: 1000, Lengths: lengths, First: first, Spread: 1, Skew: 0.75, Own: 0.75, Seed: 6}
}

// ao is a log of Ao's: its other lists and topics give the ratios of table 4.
func ao(first float64) LogSpec {
	return LogSpec{Queries: 1000, Lengths: t06, First: first, Spread: 0.8, Skew: 1.25, Floor: 0.15, Own: 0.95, Seed: 6}
}

// The regions of GOV, GOV2 and BD give the rows of Ao 2011, table 1, that are in crawl
// order. Three of its columns fix them: what the first 100 K docIDs say of Lean, the longest
// lists of Drift, and the ratio of (1 - R²) to the square of the contraction ratio of Phases:
// 0.6 without and a half of that with 16. RegionDocs then is what table 2 leaves over, where
// gaps in crawl order take hardly fewer bits than at random.
var (
	gov = kind{docs: 1053372, log: ao(8600), terms: terms{115, 1.3},
		spec: synth.Spec{Terms: 1 << 22, Length: 300, Topics: 32, Seed: 1, Boost: 24, SiteDocs: 8, RegionDocs: 12000, Drift: 0.33, Lean: 0.33, Phases: 16, Even: 0.75, Burst: 1}}
	gov2 = kind{docs: 5038710, log: ao(20000), terms: terms{170, 1.3},
		spec: synth.Spec{Terms: 1 << 24, Length: 300, Topics: 32, Seed: 2, Boost: 16, SiteDocs: 20, RegionDocs: 150000, Drift: 0.36, Lean: 0.44, Phases: 4, Even: 0.84, Burst: 1}}
	bd = kind{docs: 15749656, log: ao(3600), terms: terms{138, 1.3},
		spec: synth.Spec{Terms: 1 << 25, Length: 200, Topics: 32, Seed: 3, Boost: 12, SiteDocs: 500, RegionDocs: 20000, Drift: 0.95, Lean: 0.25, Phases: 4, Even: 0.6, Burst: 5}}
	// GOV2 as a whole: Ding 2009 says 3.74 million postings a query.
	terabyte = kind{docs: 25_200_000, spec: synth.Spec{Terms: 2_000_000, Length: 300, Topics: 64, Seed: 4}, log: log(t06, 150_000)}
	clueweb  = kind{docs: 50_000_000, spec: synth.Spec{Terms: 2_000_000, Length: 300, Topics: 64, Seed: 5}, log: log(t06, 150_000)}
	clue12   = kind{docs: 13_700_000, spec: synth.Spec{Terms: 2_000_000, Length: 300, Topics: 64, Seed: 7}, log: log(griffin11, 60_000)}
	uk       = kind{docs: 5_000_000, spec: synth.Spec{Terms: 2_000_000, Length: 250, Topics: 32, Seed: 8}, log: log([]float64{0, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 20_000)}
)

func ordered(k kind, how string) kind { k.order = how; return k }

var kinds = map[string]kind{
	"GOV": gov, "GOVPR": ordered(gov, "static"), "GOVR": ordered(gov, "random"),
	"GOV2": gov2, "GOV2R": ordered(gov2, "random"),
	"BD": bd, "BDR": ordered(bd, "random"),
	"Terabyte": terabyte, "ClueWeb09": clueweb, "ClueWeb12": clue12, "UK": uk,
}

// generation is raised when the same kinds come to have other lists.
const generation = 2

// Fingerprint identifies the lists of a collection: it changes when they do.
func Fingerprint(name string) string {
	h := sha256.Sum256(fmt.Appendf(nil, "%d %+v", generation, kinds[name]))
	return hex.EncodeToString(h[:4])
}

// New makes a collection with that share of the paper's documents. First lists shrink
// with it.
func New(name string, scale float64) (*Set, error) {
	s, err := Asked(name, scale, math.MaxInt)
	if err != nil {
		return nil, err
	}
	return s, s.sample()
}

// Asked makes the collection that New makes, but with the lists of the first queries of its
// log alone, at most that many, and without Sample.
func Asked(name string, scale float64, most int) (*Set, error) {
	k, ok := kinds[name]
	if !ok {
		return nil, fmt.Errorf("no collection %q", name)
	}
	k = k.scaled(scale)
	scale = float64(k.spec.Docs) / float64(k.docs)
	k.log = k.log.Scaled(scale)
	k.log.Queries = min(k.log.Queries, most)
	base, err := synth.New(k.spec)
	if err != nil {
		return nil, err
	}
	order, err := k.permutation(base)
	if err != nil {
		return nil, err
	}
	s, err := listset.New(name, base, order, k.log.Ranks(base))
	if err != nil {
		return nil, err
	}
	return &Set{Set: *s, Scale: scale, base: base}, nil
}

// scaled returns the kind with a share of its documents.
func (k kind) scaled(scale float64) kind {
	k.spec = k.spec.Scaled(k.docs, scale)
	return k
}

// Of makes a set of given lists, as listset does.
func Of(name string, docs int, lists [][]uint32) *Set {
	return &Set{Set: *listset.Of(name, docs, lists), Scale: 1}
}

// permutation returns the order of the collection's documents, nil for that of the crawl.
func (k kind) permutation(c *synth.Collection) (order.Permutation, error) {
	switch k.order {
	case "":
		return nil, nil
	case "random":
		return order.Shuffle(uint32(c.Spec().Docs), k.spec.Seed), nil
	case "static":
		return static(c, k.spec.Seed), nil
	}
	return nil, fmt.Errorf("no order %q", k.order)
}

// sample draws every 1.25^i-th list.
func (s *Set) sample() error {
	var ranks []int
	for r := 0; r < s.base.Spec().Terms; r = max(r+1, int(1.25*float64(r))) {
		ranks = append(ranks, r)
	}
	s.Sample = make([]Weighted, len(ranks))
	return s.base.Draw(context.Background(), ranks, 0, func(i int, p format.Postings) {
		docs, small := s.Arrange(p)
		next := s.base.Spec().Terms
		if i+1 < len(ranks) {
			next = ranks[i+1]
		}
		s.Sample[i] = Weighted{docs, small, float64(next - ranks[i])}
	})
}

// static orders documents by a score that stands in for PageRank: alike within a region
// and a site, and higher for long documents and for some topics.
func static(c *synth.Collection, seed uint64) order.Permutation {
	rng := rand.New(rand.NewPCG(seed, 11))
	n := c.Spec().Docs
	score, topics := make([]float64, n), make([]float64, c.Spec().Topics)
	for t := range topics {
		topics[t] = 0.2 * rng.NormFloat64()
	}
	region, site, of, in := 0.0, 0.0, -1, -1
	for d := range score {
		if s := c.Site(d); s != of {
			if r := c.Region(d); r != in {
				region, in = 4*rng.NormFloat64(), r
			}
			site, of = 0.1*rng.NormFloat64()+topics[c.SiteTopic(s)], s
		}
		score[d] = region + site + 1.2*math.Log(float64(c.Length(d))) + 0.25*rng.ExpFloat64()
	}
	best := make([]uint32, n)
	for i := range best {
		best[i] = uint32(i)
	}
	sort.Slice(best, func(i, j int) bool { return score[best[i]] > score[best[j]] })
	p := make(order.Permutation, n)
	for at, d := range best {
		p[d] = uint32(at)
	}
	return p
}

// OfLength returns the queries with n terms.
func (s *Set) OfLength(n int) (out [][]int) {
	for _, q := range s.Queries {
		if len(q) == n {
			out = append(out, q)
		}
	}
	return out
}
