package node

import (
	"math"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/schema"
)

// page is the answer to askSearch: hits with local docIDs, and what is shown of them.
type page struct{ pinion.PartPage }

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
	e.uint(uint64(len(p.Facets)))
	for i := range p.Facets {
		f := &p.Facets[i]
		e.uint(f.Missing)
		e.uint(uint64(len(f.Counts)))
		for _, c := range f.Counts {
			encodeCounted(&e, c.Value)
			e.uint(c.Count)
		}
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
	for range d.each {
		f := pinion.FacetCounts{Missing: d.uint()}
		for range d.each {
			f.Counts = append(f.Counts, pinion.FacetCount{Value: decodeCounted(&d), Count: d.uint()})
		}
		p.Facets = append(p.Facets, f)
	}
	return d.end()
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
