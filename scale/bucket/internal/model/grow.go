package model

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// growth says how the bytes of a section that a query or an opening reads grow with the documents of the segment: as their
// power with that exponent. What is read of other sections stays as it is: a block of the dictionary or of ids.
var growth = map[string]float64{
	"doc-lengths": 1,
	"id-index":    1,
	"page-sums":   1,
	"term-index":  0.5, // the dictionary, by Heaps' law
	"lists":       0.5,
}

const (
	readUnit  = 4 << 10 // to which the reader rounds reads
	early     = 1 << 20 // a list up to this is read together with the dictionary
	leastList = 128     // documents of a list that has a place of its own, not in the dictionary
)

// Grow returns the trace as it would be of a segment with that many documents in which words are in the same shares of them. Lists are read
// whole, each by requests of its own, long ones a round later; other reads grow as growth says, and those that the reader has joined since they lay close
// together stay joined, but are further apart from others. So it is one for a trace of a million documents or more, and for a larger segment.
func (t *Trace) Grow(docs int) *Trace {
	if docs == t.Docs {
		return t
	}
	g := &Trace{Index: t.Index}
	times := float64(docs) / float64(t.Docs)
	g.Docs = docs
	g.Bytes = int64(float64(t.Bytes) * times)
	g.Postings = int64(float64(t.Postings) * times)
	g.Opening = t.grow(t.Opening, times)
	g.Sections = slices.Clone(t.Sections)
	for i := range g.Sections {
		s := &g.Sections[i]
		s.N = int64(float64(s.N) * math.Pow(times, cmp.Or(growth[s.Name], 1)))
	}
	at, each := map[string]int64{}, t.posting()
	for _, q := range t.Queries {
		q.Lists = slices.Clone(q.Lists)
		for i := range q.Lists {
			q.Lists[i].DF = int(float64(q.Lists[i].DF) * times)
		}
		q.Reads, q.IDs = append(t.grow(without([]string{"postings"}, q.Reads), times), lists(q.Lists, each, at)...), t.grow(q.IDs, times)
		q.CPU = time.Duration(float64(q.CPU) * math.Pow(times, cpuGrowth))
		q.Blocks, q.Decoded = int64(float64(q.Blocks)*times), int64(float64(q.Decoded)*times)
		g.Queries = append(g.Queries, q)
	}
	return g
}

// cpuGrowth is the exponent of the time that a search takes with all in memory. It was 0.5 up to a million documents, and 0.96
// from there to ten.
const cpuGrowth = 1

// elsewhere is where the lists of a grown trace begin, and how far they are apart: no two are in one place.
const elsewhere = 1 << 40

// posting returns the mean bytes of a posting. Those of long lists have somewhat less.
func (t *Trace) posting() float64 {
	for _, s := range t.Sections {
		if s.Name == "postings" {
			return float64(s.N) / float64(t.Postings)
		}
	}
	return 0
}

// lists returns the reads of lists, by their documents and the bytes of a posting. at tells where each is.
func lists(lists []List, each float64, at map[string]int64) (reads []Read) {
	for _, l := range lists {
		if l.DF < leastList {
			continue
		}
		if at[l.Term] == 0 {
			at[l.Term] = elsewhere * int64(len(at)+1)
		}
		n, round := int64(math.Ceil(float64(l.DF)*each/readUnit+0.5))*readUnit, 1 // it begins within a unit
		if n > early {
			round = 2
		}
		reads = append(reads, trips(Read{round, at[l.Term], n, "postings"})...)
	}
	return reads
}

func (t *Trace) grow(reads []Read, times float64) (grown []Read) {
	for _, r := range reads {
		n := float64(r.N)
		for name, exponent := range growth {
			n += float64(t.In(name, []Read{r})) * (math.Pow(times, exponent) - 1)
		}
		r.N = int64(math.Round(n))
		r.Off = int64(float64(r.Off)*times) / readUnit * readUnit // what was apart stays so
		grown = append(grown, trips(r)...)
	}
	return grown
}

// trips returns the requests that the reader makes of one read.
func trips(r Read) (parts []Read) {
	for ; r.N > maxTrip; r.N, r.Off = r.N-maxTrip, r.Off+maxTrip {
		parts = append(parts, Read{r.Round, r.Off, maxTrip, r.Section})
	}
	return append(parts, r)
}

// tables are the sections that stay in memory once they were read.
var tables = []string{"term-index", "lists", "doc-lengths", "id-index", "page-sums"}

// without returns the reads but those of sections.
func without(sections []string, reads []Read) (left []Read) {
	for _, r := range reads {
		if !slices.Contains(sections, r.Section) {
			left = append(left, r)
		}
	}
	return left
}

// Searching returns what the search of a query reads if the tables are in memory.
func (q *Query) Searching() []Read { return without(tables, q.Reads) }

// Hits returns what the ids of its hits take then.
func (q *Query) Hits() []Read { return without(tables, q.IDs) }

// Means are what a query reads on average of an open segment of which the tables alone are in memory.
type Means struct {
	Docs                  float64
	Requests, Rounds      float64 // until the hits are known
	Bytes                 float64
	Dictionary, Lists     float64 // of the bytes
	IDRequests, IDBytes   float64 // for the ids of hits
	CPU                   float64 // seconds
	Decoded               float64 // share of the blocks of its lists that a search decodes
	Opening, OpeningBytes float64
	Kept                  float64 // bytes in memory while the segment is open: its tables
}

// Means returns the means of a trace.
func (t *Trace) Means() Means {
	m := Means{Docs: float64(t.Docs)}
	blocks, decoded, n := 0.0, 0.0, float64(len(t.Queries))
	for _, q := range t.Queries {
		requests, rounds, bytes := Total(q.Searching())
		m.Requests += float64(requests) / n
		m.Rounds += float64(rounds) / n
		m.Bytes += float64(bytes) / n
		for _, r := range q.Searching() {
			switch r.Section {
			case "terms":
				m.Dictionary += float64(r.N) / n
			case "postings":
				m.Lists += float64(r.N) / n
			}
		}
		requests, _, bytes = Total(q.Hits())
		m.IDRequests += float64(requests) / n
		m.IDBytes += float64(bytes) / n
		m.CPU += q.CPU.Seconds() / n
		blocks += float64(q.Blocks)
		decoded += float64(q.Decoded)
	}
	m.Decoded = decoded / blocks
	requests, _, bytes := Total(t.Opening)
	m.Opening, m.OpeningBytes = float64(requests), float64(bytes)
	for _, s := range t.Sections {
		if slices.Contains(tables, s.Name) {
			m.Kept += float64(s.N)
		}
	}
	return m
}

// Exponent returns the exponent of the power of x that fits y best, by least squares of the logarithms, and what it predicts
// for a further x.
func Exponent(x, y []float64, further float64) (exponent, predicted float64) {
	var mx, my, xx, xy float64
	n := float64(len(x))
	for i := range x {
		mx += math.Log(x[i]) / n
		my += math.Log(y[i]) / n
	}
	for i := range x {
		dx := math.Log(x[i]) - mx
		xx += dx * dx
		xy += dx * (math.Log(y[i]) - my)
	}
	exponent = xy / xx
	return exponent, math.Exp(my + exponent*(math.Log(further)-mx))
}
