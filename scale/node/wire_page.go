package node

import (
	"math"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/search"
)

// page is the answer to askSearch: hits with local docIDs, and what is shown of them.
type page search.Page

func (p *page) encode() []byte {
	e := encoder{make([]byte, 0, 64+48*len(p.Hits))}
	e.uint(p.Total)
	e.uint(uint64(len(p.Hits)))
	for i := range p.Hits {
		h := &p.Hits[i]
		e.uint(uint64(h.Doc))
		e.float(h.Score)
		e.bytes(h.ID)
		encodeValues(&e, h.Sort)
		encodeValues(&e, h.Values)
		e.bytes(h.Text)
		e.bool(h.Before)
		e.bool(h.Behind)
		e.uint(uint64(len(h.Spans)))
		for _, s := range h.Spans {
			e.uint(uint64(s.Start))
			e.uint(uint64(s.End))
		}
	}
	e.uint(uint64(len(p.Facets)))
	for i := range p.Facets {
		f := &p.Facets[i]
		e.uint(f.Missing)
		e.uint(uint64(len(f.Counts)))
		for _, c := range f.Counts {
			encodeValue(&e, c.Value)
			e.uint(c.Count)
		}
	}
	return e.b
}

func (p *page) decode(b []byte) error {
	d := decoder{b: b}
	p.Total = d.uint()
	for range d.each {
		h := search.Hit{Doc: uint32(d.uint()), Score: d.float(), ID: d.bytes(), Sort: decodeValues(&d), Values: decodeValues(&d),
			Text: d.bytes(), Before: d.bool(), Behind: d.bool()}
		for range d.each {
			h.Spans = append(h.Spans, search.Span{Start: int(d.uint()), End: int(d.uint())})
		}
		p.Hits = append(p.Hits, h)
	}
	for range d.each {
		f := query.FacetCounts{Missing: d.uint()}
		for range d.each {
			f.Counts = append(f.Counts, query.FacetCount{Value: decodeValue(&d), Count: d.uint()})
		}
		p.Facets = append(p.Facets, f)
	}
	return d.end()
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
	case schema.KindText, schema.KindKeyword:
		e.bytes(v.Bytes())
	case schema.KindFloat:
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
	case schema.KindText:
		return schema.TextValue(field, d.bytes())
	case schema.KindKeyword:
		return schema.KeywordValue(field, d.bytes())
	case schema.KindInteger:
		return schema.IntegerValue(field, int64(d.uint()))
	case schema.KindFloat:
		return schema.FloatValue(field, math.Float64frombits(d.uint()))
	case schema.KindTime:
		return schema.NanosValue(field, int64(d.uint()))
	}
	d.err = errWire
	return schema.Value{}
}
