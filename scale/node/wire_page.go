package node

import (
	"math"
	"slices"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/schema"
)

// page is the answer to askSearch: hits with local docIDs, and what is shown of them.
type page struct{ pinion.PartPage }

// Parts of a page that a request asks for. Routers of earlier versions do not ask.
const (
	partNearest byte = iota + 1
	partGroups
	partFigures
	partApproximate
)

func (p *page) encode() []byte {
	e := encoder{make([]byte, 0, 64+48*len(p.Hits))}
	e.uint(p.Total)
	e.uint(uint64(len(p.Hits)))
	for i := range p.Hits {
		h := &p.Hits[i]
		e.uint(uint64(h.Doc))
		e.float(h.Score)
		e.bytes([]byte(h.ID))
		encodeValues(&e, h.Sort)
		encodeValues(&e, h.Values)
		p := h.Passage() // a request over HTTP has one at most
		e.bytes([]byte(p.Text))
		e.bool(p.Before)
		e.bool(p.Behind)
		e.uint(uint64(len(p.Spans)))
		for _, s := range p.Spans {
			e.uint(uint64(s.Start))
			e.uint(uint64(s.End))
		}
	}
	if e.bool(p.Ordered); p.Ordered {
		e.bool(p.Desc)
		encodeValues(&e, p.PartPage.Values)
	}
	encodeCounts(&e, p.Facets)
	if slices.ContainsFunc(p.Hits, func(h pinion.Hit) bool { return len(h.Nearest) > 0 }) {
		e.byte(partNearest)
		for i := range p.Hits {
			encodeNearest(&e, p.Hits[i].Nearest)
		}
	}
	if len(p.Groups) > 0 {
		e.byte(partGroups)
		encodeValues(&e, p.Groups)
	}
	if deep(p.Facets) {
		e.byte(partFigures)
		encodeFigures(&e, p.Facets)
	}
	if p.Approximate {
		e.byte(partApproximate)
	}
	return e.b
}

func (p *page) decode(b []byte) error {
	d := decoder{b: b}
	p.Total = d.uint()
	for range d.each {
		h := pinion.Hit{Doc: uint32(d.uint()), Score: d.float(), ID: string(d.bytes()), Sort: decodeValues(&d), Values: decodeValues(&d)}
		passage := pinion.Passage{Text: string(d.bytes()), Before: d.bool(), Behind: d.bool()}
		for range d.each {
			passage.Spans = append(passage.Spans, pinion.Span{Start: int(d.uint()), End: int(d.uint())})
		}
		if passage.Text != "" {
			h.Passages = []pinion.Passage{passage}
		}
		p.Hits = append(p.Hits, h)
	}
	if p.Ordered = d.bool(); p.Ordered {
		p.Desc, p.PartPage.Values = d.bool(), decodeValues(&d)
	}
	p.Facets = decodeCounts(&d)
	for d.err == nil && len(d.b) > 0 {
		switch d.byte() {
		case partNearest:
			for i := range p.Hits {
				p.Hits[i].Nearest = decodeNearest(&d)
			}
		case partGroups:
			p.Groups = decodeValues(&d)
		case partFigures:
			decodeFigures(&d, p.Facets, false)
		case partApproximate:
			p.Approximate = true
		default:
			d.err = errWire
		}
	}
	return d.end()
}

func encodeCounts(e *encoder, all []pinion.FacetCounts) {
	e.uint(uint64(len(all)))
	for i := range all {
		f := &all[i]
		e.uint(f.Missing)
		e.uint(uint64(len(f.Counts)))
		for _, c := range f.Counts {
			encodeCounted(e, c.Value)
			e.uint(c.Count)
		}
	}
}

func decodeCounts(d *decoder) (all []pinion.FacetCounts) {
	for range d.each {
		f := pinion.FacetCounts{Missing: d.uint()}
		for range d.each {
			f.Counts = append(f.Counts, pinion.FacetCount{Value: decodeCounted(d), Count: d.uint()})
		}
		all = append(all, f)
	}
	return all
}

// deep reports whether there are figures, or facets within others.
func deep(all []pinion.FacetCounts) bool {
	return slices.ContainsFunc(all, func(f pinion.FacetCounts) bool {
		return len(f.Stats) > 0 || slices.ContainsFunc(f.Counts, func(c pinion.FacetCount) bool { return len(c.Stats)+len(c.Facets) > 0 })
	})
}

// encodeFigures writes what encodeCounts leaves out.
func encodeFigures(e *encoder, all []pinion.FacetCounts) {
	for i := range all {
		f := &all[i]
		encodeStats(e, f.Stats)
		for j := range f.Counts {
			c := &f.Counts[j]
			encodeStats(e, c.Stats)
			encodeCounts(e, c.Facets)
			encodeFigures(e, c.Facets)
		}
	}
}

// decodeFigures reads what encodeFigures has written, of facets that are within others or not.
func decodeFigures(d *decoder, all []pinion.FacetCounts, within bool) {
	for i := range all {
		f := &all[i]
		f.Stats = decodeStats(d)
		for j := range f.Counts {
			c := &f.Counts[j]
			c.Stats = decodeStats(d)
			if c.Facets = decodeCounts(d); within && len(c.Facets) > 0 {
				d.err, d.b = errWire, nil
				return
			}
			decodeFigures(d, c.Facets, true)
		}
	}
}

func encodeStats(e *encoder, all []pinion.Stats) {
	e.uint(uint64(len(all)))
	for i := range all {
		b, _ := all[i].MarshalBinary() // which has no error
		e.bytes(b)
	}
}

func decodeStats(d *decoder) (all []pinion.Stats) {
	for range d.each {
		var s pinion.Stats
		if err := s.UnmarshalBinary(d.bytes()); err != nil {
			d.err, d.b = errWire, nil
		}
		all = append(all, s)
	}
	return all
}

func encodeNearest(e *encoder, all []pinion.NearestVector) {
	e.uint(uint64(len(all)))
	for _, n := range all {
		e.string(n.Field)
		e.uint(uint64(n.Number))
		e.float(n.Score)
		e.float(n.Error)
	}
}

func decodeNearest(d *decoder) (all []pinion.NearestVector) {
	for range d.each {
		all = append(all, pinion.NearestVector{Field: d.string(), Number: int(min(d.uint(), math.MaxInt32)), Score: d.float(), Error: d.float()})
	}
	return all
}

// encodeCounted writes the value of a count. Ranges have none: who asks knows them.
func encodeCounted(e *encoder, x any) {
	switch x := x.(type) {
	case string:
		encodeValue(e, schema.KeywordValue(0, x))
	case int64:
		encodeValue(e, schema.IntegerValue(0, x))
	case float64:
		encodeValue(e, schema.FloatValue(0, x))
	case time.Time:
		encodeValue(e, schema.TimeValue(0, x))
	default:
		encodeValue(e, schema.Value{})
	}
}

func decodeCounted(d *decoder) any {
	if v := decodeValue(d); v.Kind != 0 {
		return v.Any()
	}
	return pinion.Range{}
}

func encodeValues(e *encoder, all []schema.Value) {
	e.uint(uint64(len(all)))
	for _, v := range all {
		encodeValue(e, v)
	}
}

func decodeValues(d *decoder) (all []schema.Value) {
	for range d.each {
		all = append(all, decodeValue(d))
	}
	return all
}

// encodeValue writes a value with its kind; of none the kind alone.
func encodeValue(e *encoder, v schema.Value) {
	if e.byte(byte(v.Kind)); v.Kind == 0 {
		return
	}
	e.uint(uint64(v.Field))
	switch v.Kind {
	case schema.Text, schema.Keyword:
		e.bytes(v.Bytes())
	case schema.Float:
		e.uint(math.Float64bits(v.Float()))
	default:
		e.uint(uint64(v.Int()))
	}
}

func decodeValue(d *decoder) schema.Value {
	kind := schema.Kind(d.byte())
	if kind == 0 {
		return schema.Value{}
	}
	field := int(min(d.uint(), math.MaxInt32))
	switch kind {
	case schema.Text:
		return schema.TextValue(field, d.bytes())
	case schema.Keyword:
		return schema.KeywordValue(field, d.bytes())
	case schema.Integer:
		return schema.IntegerValue(field, int64(d.uint()))
	case schema.Float:
		return schema.FloatValue(field, math.Float64frombits(d.uint()))
	case schema.Time:
		return schema.NanosValue(field, int64(d.uint()))
	}
	d.err = errWire
	return schema.Value{}
}
