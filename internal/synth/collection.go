// Package synth makes collections of any size for benchmarks: posting lists with Zipf
// lengths over clustered documents, sparse vectors, and queries over them. The result depends on the
// Spec alone, not on the machine or the number of goroutines.
//
// Documents follow each other in a space of tokens. Consecutive documents form sites,
// and every site and every term has a topic. A term occurs at random in the space (a
// Poisson process), much more often in sites of its topic than elsewhere, and in
// bursts. So the docIDs of a list are clustered at two scales, lists of one topic have
// more documents in common than random ones, long documents contain more terms, and
// frequencies grow with lengths.
package synth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
)

// Spec describes a collection.
type Spec struct {
	Docs   int     // documents, 1 to 2^31-1
	Terms  int     // distinct terms, about; 1 to 2^25
	Length float64 // mean tokens of a document, 1 to 10000
	Topics int     // 1 to 1000
	Seed   uint64

	// Boost is how much more often a term occurs in sites of its topic, and SiteDocs the
	// mean number of documents of a site. Together they make lists local. 0 means 12 and
	// 1000.
	Boost, SiteDocs float64

	// RegionDocs is the mean number of documents of a region: a part of the crawl in which
	// a term is as frequent everywhere. 0 means that there are none.
	RegionDocs float64
	// The logarithm of a term's frequency has, between regions, the standard deviation
	// Drift + Lean * ln(1/p), where p is the share of the documents that the term is in:
	// rare terms keep to fewer regions than common ones.
	Drift, Lean float64
	// The crawl has Phases parts of like size, 1, 2, 4, 8 or 16; 0 means 1. Even is how far a
	// term's frequency is evened out between them, from 0, not at all, to 1, where each has
	// its share of the term.
	Phases int
	Even   float64
	// Burst is how much closer together the postings of a burst are, from 1 on. 0 means 10.
	Burst float64
}

// DefaultSpec has the number of documents of GOV2's part in Ao 2011.
var DefaultSpec = Spec{Docs: 5_000_000, Terms: 2_000_000, Length: 250, Topics: 32, Seed: 1}

// Scaled returns a collection of a share of a number of documents, but at least 2,000, with as
// large a share of the terms, at least 20,000. Regions shrink with the documents, so that there are
// as many, and so do large sites.
func (s Spec) Scaled(docs int, share float64) Spec {
	s.Docs = max(int(float64(docs)*share), 2000)
	share = float64(s.Docs) / float64(docs)
	s.Terms = max(int(float64(s.Terms)*share), 20000)
	s.RegionDocs *= share
	if s.SiteDocs == 0 {
		s.SiteDocs = 1000
	}
	s.SiteDocs = max(s.SiteDocs*share, min(s.SiteDocs, 20))
	return s
}

// Check returns an error unless s is in range.
func (s Spec) Check() error {
	switch {
	case s.Docs < 1 || s.Docs > math.MaxInt32:
		return fmt.Errorf("%d documents: 1 to %d can be made", s.Docs, math.MaxInt32)
	case s.Terms < 1 || s.Terms > 1<<maxNameBits:
		return fmt.Errorf("%d terms: 1 to %d can be made", s.Terms, 1<<maxNameBits)
	case !(s.Length >= 1 && s.Length <= 10000):
		return fmt.Errorf("mean length %g: 1 to 10000 can be made", s.Length)
	case s.Topics < 1 || s.Topics > 1000:
		return fmt.Errorf("%d topics: 1 to 1000 can be made", s.Topics)
	case !(s.Boost >= 0 && s.Boost <= 1e6):
		return fmt.Errorf("boost %g: 0 to 1000000 can be made", s.Boost)
	case !(s.SiteDocs >= 0 && s.SiteDocs <= 1e9):
		return fmt.Errorf("%g documents of a site: 0 to 1000000000 can be made", s.SiteDocs)
	case !(s.RegionDocs >= 0 && s.RegionDocs <= 1e9):
		return fmt.Errorf("%g documents of a region: 0 to 1000000000 can be made", s.RegionDocs)
	case !(s.Drift >= 0 && s.Drift <= 5) || !(s.Lean >= 0 && s.Lean <= 1):
		return fmt.Errorf("drift %g, lean %g: 0 to 5 and 0 to 1 can be made", s.Drift, s.Lean)
	case s.Phases < 0 || s.Phases > Slabs || s.Phases&(s.Phases-1) != 0:
		return fmt.Errorf("%d phases: 1, 2, 4, 8 and 16 can be made", s.Phases)
	case !(s.Even >= 0 && s.Even <= 1):
		return fmt.Errorf("evenness %g: 0 to 1 can be made", s.Even)
	case !(s.Burst == 0 || s.Burst >= 1 && s.Burst <= 1e6):
		return fmt.Errorf("burst %g: 1 to 1000000 can be made", s.Burst)
	}
	return nil
}

// The shape of a collection, in addition to its Spec.
const (
	// Slabs is the number of parts of consecutive documents for which lists are drawn
	// independently: a collection can be cut between slabs and stays the same.
	Slabs = 16

	lengthSpread = 0.8 // standard deviation of the logarithm of lengths
	maxLength    = 65535
	siteSpread   = 1.0

	burstEvery = 64 // postings between two bursts, on average
	burstLen   = 12 // postings of a burst, on average

	ZipfShift = 2.7 // Mandelbrot's: rank r has frequency in proportion to 1/(r + ZipfShift)
)

// Collection is the layout of the documents; posting lists are drawn on demand. It is
// immutable and safe for concurrent use, and takes 13 bytes a document.
type Collection struct {
	spec    Spec
	starts  []uint64       // docs + 1: where documents begin in the space of tokens
	cells   []uint32       // the document that each cell of 2^cellBits tokens begins in
	sites   []site         // and one past the last
	regions []int          // first site of each, and one past the last
	slabs   [Slabs + 1]int // first site of each slab
	firsts  [Slabs + 1]int // first document of each slab
	parts   [Slabs + 1]int // first region of each slab
	// warps holds, by topic, where sites begin after those of the topic have been
	// stretched by Boost.
	warps [][]float64
	names naming
	zipf  float64 // frequency of rank r is zipf/(r+ZipfShift)
}

type site struct {
	token uint64 // where it begins
	topic int
}

const cellBits = 8

// New draws the layout of a collection.
func New(s Spec) (*Collection, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if s.Boost == 0 {
		s.Boost = 12
	}
	if s.SiteDocs == 0 {
		s.SiteDocs = 1000
	}
	if s.Phases == 0 {
		s.Phases = 1
	}
	if s.Burst == 0 {
		s.Burst = 10
	}
	c := &Collection{spec: s, names: newNaming(s.Terms)}
	sum := 0.0
	for r := range s.Terms {
		sum += 1 / (float64(r) + ZipfShift)
	}
	c.zipf = 1 / sum
	rng := rand.New(rand.NewPCG(s.Seed, 0))
	c.drawLengths(rng)
	c.drawSites(rng)
	c.drawRegions()
	c.warp()
	return c, nil
}

func (c *Collection) drawLengths(rng *rand.Rand) {
	mu := math.Log(c.spec.Length) - lengthSpread*lengthSpread/2
	c.starts = make([]uint64, c.spec.Docs+1)
	at := uint64(0)
	for d := range c.spec.Docs {
		c.starts[d] = at
		at += uint64(min(max(math.Exp(mu+lengthSpread*rng.NormFloat64()), 1), maxLength))
	}
	c.starts[c.spec.Docs] = at
	c.cells = make([]uint32, at>>cellBits+1)
	d := 0
	for i := range c.cells {
		for c.starts[d+1] <= uint64(i)<<cellBits {
			if d++; d == c.spec.Docs {
				d--
				break
			}
		}
		c.cells[i] = uint32(d)
	}
}

func (c *Collection) drawSites(rng *rand.Rand) {
	mu := math.Log(c.spec.SiteDocs) - siteSpread*siteSpread/2
	for i := range Slabs {
		doc, end := c.spec.Docs*i/Slabs, c.spec.Docs*(i+1)/Slabs
		c.firsts[i], c.slabs[i] = doc, len(c.sites)
		for doc < end {
			c.sites = append(c.sites, site{c.starts[doc], rng.IntN(c.spec.Topics)})
			doc += int(max(math.Exp(mu+siteSpread*rng.NormFloat64()), 1))
		}
	}
	c.firsts[Slabs], c.slabs[Slabs] = c.spec.Docs, len(c.sites)
	c.sites = append(c.sites, site{token: c.Tokens(), topic: -1})
}

func (c *Collection) warp() {
	c.warps = make([][]float64, c.spec.Topics)
	for t := range c.warps {
		w := make([]float64, len(c.sites))
		for i := 1; i < len(w); i++ {
			w[i] = w[i-1] + float64(c.sites[i].token-c.sites[i-1].token)*c.stretch(t, i-1)
		}
		c.warps[t] = w
	}
}

func (c *Collection) stretch(topic, site int) float64 {
	if c.sites[site].topic == topic {
		return c.spec.Boost
	}
	return 1
}

func (c *Collection) shrink(topic, site int) float64 {
	if c.sites[site].topic == topic {
		return 1 / c.spec.Boost
	}
	return 1
}

// Spec returns what the collection was made from.
func (c *Collection) Spec() Spec { return c.spec }

// Tokens returns the sum of the documents' lengths.
func (c *Collection) Tokens() uint64 { return c.starts[c.spec.Docs] }

// Length returns the number of tokens of a document.
func (c *Collection) Length(doc int) uint32 { return uint32(c.starts[doc+1] - c.starts[doc]) }

// Site returns the number of the site that a document belongs to.
func (c *Collection) Site(doc int) int {
	return sort.Search(len(c.sites)-1, func(i int) bool { return c.sites[i+1].token > c.starts[doc] })
}

// SiteTopic returns the topic of a site.
func (c *Collection) SiteTopic(site int) int { return c.sites[site].topic }

// Topic returns the topic of the term of a rank.
func (c *Collection) Topic(rank int) int {
	h := uint64(rank)*0x9e3779b97f4a7c15 + c.spec.Seed
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return int((h >> 33) % uint64(c.spec.Topics))
}

// Term appends the term of a rank: up to 5 letters and digits.
func (c *Collection) Term(dst []byte, rank int) []byte { return c.names.append(dst, rank) }

// share returns approximately what share of all tokens the term of a rank has.
func (c *Collection) share(rank int) float64 { return c.zipf / (float64(rank) + ZipfShift) }
