package node

import (
	"math"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
)

// collection is a query.Collection in a message.
type collection query.Collection

func (c *collection) encode(e *encoder) {
	e.uint(c.Docs)
	e.uint(uint64(len(c.Fields)))
	for _, f := range c.Fields {
		e.string(f.Field)
		e.uint(f.Docs)
		e.uint(f.Tokens)
		for _, x := range [...]float64{f.K1, f.B, f.Boost} {
			e.uint(math.Float64bits(x))
		}
	}
}

func (c *collection) decode(d *decoder) {
	c.Docs = d.uint()
	for range d.each {
		c.Fields = append(c.Fields, query.FieldTotals{Field: d.string(), Docs: d.uint(), Tokens: d.uint(),
			K1: math.Float64frombits(d.uint()), B: math.Float64frombits(d.uint()), Boost: math.Float64frombits(d.uint())})
	}
}

// statistics are query.Frequencies in a message.
type statistics query.Frequencies

func (s *statistics) encode(e *encoder) {
	e.uint(uint64(len(s.Terms)))
	for _, t := range s.Terms {
		e.string(t.Field)
		e.string(t.Term)
		e.uint(t.DF)
	}
	e.uint(uint64(len(s.Expansions)))
	for i := range s.Expansions {
		x := &s.Expansions[i]
		e.string(x.Name)
		e.uint(uint64(x.Most))
		e.bool(x.Constant)
		e.bool(x.Closest)
		e.bool(x.Cut)
		e.uint(uint64(len(x.Terms)))
		for _, t := range x.Terms {
			e.string(t.Field)
			e.string(t.Term)
			e.uint(uint64(t.Far))
		}
	}
}

func (s *statistics) decode(d *decoder) {
	for range d.each {
		s.Terms = append(s.Terms, query.TermFrequency{Field: d.string(), Term: d.string(), DF: d.uint()})
	}
	for range d.each {
		x := query.Expansion{Name: d.string(), Most: int(min(d.uint(), query.MaxConstant)), Constant: d.bool(), Closest: d.bool(), Cut: d.bool()}
		for range d.each {
			x.Terms = append(x.Terms, query.FieldTerm{Field: d.string(), Term: d.string(), Far: uint32(d.uint())})
		}
		s.Expansions = append(s.Expansions, x)
	}
}

// counted is the answer to askFrequencies.
type counted struct {
	statistics statistics
	found      bool   // the shard has the document that the page begins after
	doc        uint32 // its docID
}

func (c *counted) encode() []byte {
	var e encoder
	c.statistics.encode(&e)
	e.bool(c.found)
	e.uint(uint64(c.doc))
	return e.b
}

func (c *counted) decode(b []byte) error {
	d := decoder{b: b}
	c.statistics.decode(&d)
	c.found, c.doc = d.bool(), uint32(d.uint())
	return d.end()
}

// approximate is a bit beside K of neighbors that are; nodes of earlier versions refuse it.
const approximate = query.MaxNearest << 1

// neighbors are query.Neighbors in a message, one for each query.Nearest.
type neighbors []query.Neighbors

func (all neighbors) encode(e *encoder) {
	e.uint(uint64(len(all)))
	for _, n := range all {
		k := uint64(n.K)
		if n.Approximate {
			k |= approximate
		}
		e.uint(k)
		e.uint(uint64(len(n.Docs)))
		last := uint32(0)
		for _, d := range n.Docs {
			e.uint(uint64(d.Doc - last))
			e.float(d.Near)
			last = d.Doc
		}
	}
}

func (all *neighbors) decode(d *decoder) {
	for range d.each {
		k := d.uint()
		n, last := query.Neighbors{K: int(min(k&^approximate, query.MaxNearest+1)), Approximate: k&approximate != 0}, uint64(0)
		for range d.each {
			if last += d.uint(); last > math.MaxUint32 {
				d.err = errWire
			}
			n.Docs = append(n.Docs, query.Neighbor{Doc: uint32(last), Near: d.float()})
		}
		*all = append(*all, n)
	}
}

// found is the answer to askNeighbors.
type found struct{ neighbors }

func (f *found) encode() []byte {
	var e encoder
	f.neighbors.encode(&e)
	return e.b
}

func (f *found) decode(b []byte) error {
	d := decoder{b: b}
	f.neighbors = neighbors{}
	f.neighbors.decode(&d)
	return d.end()
}

// suggested is the answer to askSuggest.
type suggested []pinion.Suggestion

func (s suggested) encode() []byte {
	var e encoder
	e.uint(uint64(len(s)))
	for _, x := range s {
		e.string(x.Text)
		e.uint(uint64(x.Docs))
	}
	return e.b
}

func (s *suggested) decode(b []byte) error {
	d := decoder{b: b}
	for range d.each {
		*s = append(*s, pinion.Suggestion{Text: d.string(), Docs: int(min(d.uint(), math.MaxInt))})
	}
	return d.end()
}

// completed is the answer to askSuggest of a text: what of it is not completed, and words.
type completed struct {
	before string
	words  []pinion.Completion // but for their Text
}

func (c *completed) encode() []byte {
	var e encoder
	e.string(c.before)
	e.uint(uint64(len(c.words)))
	for _, x := range c.words {
		e.string(x.Word)
		e.uint(uint64(x.Docs))
		e.bool(x.Slip)
		encodeCounted(&e, x.Value)
	}
	return e.b
}

func (c *completed) decode(b []byte) error {
	d := decoder{b: b}
	c.before = d.string()
	for range d.each {
		x := pinion.Completion{Word: d.string(), Docs: int(min(d.uint(), math.MaxInt)), Slip: d.bool()}
		if v := decodeValue(&d); v.Kind != 0 {
			x.Value = v.Any()
		}
		c.words = append(c.words, x)
	}
	return d.end()
}
