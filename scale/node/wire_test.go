package node

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// message is anything that travels.
type message interface {
	encode() []byte
	decode(b []byte) error
}

// kinds are all of them, empty.
func kinds() []message {
	return []message{new(ask), new(answer), new(page), new(counted), new(suggested), new(found), new(completed)}
}

// again checks that what b decodes to, if anything, encodes to what decodes to the same.
func again(t *testing.T, kind int, b []byte) {
	t.Helper()
	x, y := kinds()[kind], kinds()[kind]
	if x.decode(b) != nil {
		return
	}
	e := x.encode()
	if err := y.decode(e); err != nil {
		t.Fatalf("%T: %x becomes %x: %v", x, b, e, err)
	}
	if f := y.encode(); !bytes.Equal(e, f) { // values have NaNs, which do not equal themselves
		t.Fatalf("%T: %x becomes %x, then %x", x, b, e, f)
	}
}

// drawBytes draws some; none is nil or empty, which are the same in a message.
func drawBytes(r *rand.Rand) []byte {
	b := make([]byte, r.IntN(5))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func drawInt(r *rand.Rand) uint64 { return r.Uint64() >> r.IntN(64) }

func drawList[T any](r *rand.Rand, draw func() T) (all []T) {
	for range r.IntN(4) {
		all = append(all, draw())
	}
	return all
}

func drawValue(r *rand.Rand) schema.Value {
	field := r.IntN(1000)
	switch r.IntN(6) {
	case 0:
		return schema.TextValue(field, drawBytes(r))
	case 1:
		return schema.KeywordValue(field, drawBytes(r))
	case 2:
		return schema.IntegerValue(field, int64(drawInt(r)))
	case 3:
		return schema.FloatValue(field, math.Float64frombits(r.Uint64()))
	case 4:
		return schema.NanosValue(field, int64(drawInt(r)))
	}
	return schema.Value{}
}

// drawCounted draws the value of a count.
func drawCounted(r *rand.Rand) any {
	switch v := drawValue(r); v.Kind {
	case schema.Keyword, schema.Integer, schema.Float:
		return v.Any()
	case schema.Time:
		return v.Time()
	}
	return pinion.Range{}
}

func drawStatistics(r *rand.Rand) (s statistics) {
	text := func() string { return string(drawBytes(r)) }
	s.Terms = drawList(r, func() query.TermFrequency {
		return query.TermFrequency{Field: text(), Term: text(), DF: drawInt(r)}
	})
	s.Expansions = drawList(r, func() query.Expansion {
		terms := drawList(r, func() query.FieldTerm { return query.FieldTerm{Field: text(), Term: text(), Far: r.Uint32()} })
		return query.Expansion{Name: text(), Most: r.IntN(query.MaxConstant), Constant: r.IntN(2) == 0, Closest: r.IntN(2) == 0, Cut: r.IntN(2) == 0, Terms: terms}
	})
	return s
}

func drawNeighbors(r *rand.Rand) neighbors {
	return drawList(r, func() query.Neighbors {
		doc := r.Uint32() / 2
		return query.Neighbors{K: r.IntN(query.MaxNearest), Approximate: r.IntN(2) == 0, Docs: drawList(r, func() query.Neighbor {
			doc += r.Uint32() >> (3 + r.IntN(28))
			return query.Neighbor{Doc: doc, Near: math.Float32frombits(r.Uint32())}
		})}
	})
}

func drawCounts(r *rand.Rand, top bool) pinion.FacetCounts {
	return pinion.FacetCounts{Missing: drawInt(r), Stats: drawList(r, func() pinion.Stats { return drawStats(r) }), Counts: drawList(r, func() pinion.FacetCount {
		c := pinion.FacetCount{Value: drawCounted(r), Count: drawInt(r), Stats: drawList(r, func() pinion.Stats { return drawStats(r) })}
		if top {
			c.Facets = drawList(r, func() pinion.FacetCounts { return drawCounts(r, false) })
		}
		return c
	})}
}

// drawStats draws the figures of some integers: a count, kind and unit, the least and greatest, a sum of one word, and three empty lists.
func drawStats(r *rand.Rand) (s pinion.Stats) {
	b := []byte{0}
	if n := byte(r.IntN(100)); n > 0 {
		b = append([]byte{n, 3, 0, 2, 4, 0, 1, byte(1 + r.IntN(255))}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	if err := s.UnmarshalBinary(b); err != nil {
		panic(err)
	}
	return s
}

// drawMessage draws a message of a kind.
func drawMessage(r *rand.Rand, kind int) message {
	text := func() string { return string(drawBytes(r)) }
	flag := func() bool { return r.IntN(2) == 0 }
	values := func() []schema.Value { return drawList(r, func() schema.Value { return drawValue(r) }) }
	switch kind {
	case 0:
		a := &ask{kind: byte(1 + r.IntN(6)), shard: r.IntN(MaxShards), commit: text(), timeout: drawInt(r), request: drawBytes(r)}
		if a.kind == askSearch {
			a.place, a.afterDoc = byte(r.IntN(4)), r.Uint32()
		}
		if a.kind == askSearch || a.kind == askCount {
			a.neighbors = drawNeighbors(r)
		}
		if a.kind == askSearch || a.kind == askNeighbors || len(a.neighbors) > 0 {
			a.statistics = drawStatistics(r)
			a.collection = collection{Docs: drawInt(r), Fields: drawList(r, func() query.FieldTotals {
				return query.FieldTotals{Field: text(), Docs: drawInt(r), Tokens: drawInt(r)}
			})}
		}
		if flag() && a.kind != askShow {
			a.kind |= rescoring
		}
		if a.kind == askShow || a.kind&rescoring != 0 {
			a.docs = drawList(r, r.Uint32)
		}
		return a
	case 1:
		if flag() {
			return &answer{kind: answered, shard: r.IntN(MaxShards), node: text(), took: drawInt(r), body: drawBytes(r)}
		}
		return &answer{kind: refused, shard: r.IntN(MaxShards), status: r.IntN(999), code: text(), message: text(), field: text()}
	case 2:
		var p pinion.PartPage
		if flag() {
			p.Ordered, p.Desc, p.Values = true, flag(), values()
		}
		p.Page = pinion.Page{Total: drawInt(r), Hits: drawList(r, func() pinion.Hit {
			return pinion.Hit{Doc: r.Uint32(), Score: math.Float32frombits(r.Uint32()), ID: string(drawBytes(r)), Sort: values(), Values: values(), Passages: []pinion.Passage{{Text: "a" + string(drawBytes(r)), Before: flag(), Behind: flag(),
				Spans: drawList(r, func() pinion.Span { return pinion.Span{Start: r.IntN(1 << 20), End: r.IntN(1 << 20)} })}}}
		}), Facets: drawList(r, func() pinion.FacetCounts {
			return drawCounts(r, true)
		})}
		p.Approximate = flag()
		return &page{p}
	case 3:
		return &counted{statistics: drawStatistics(r), found: flag(), doc: r.Uint32()}
	case 5:
		return &found{drawNeighbors(r)}
	case 6:
		return &completed{string(drawBytes(r)), drawList(r, func() pinion.Completion {
			value := []any{nil, int64(drawInt(r)), r.NormFloat64(), time.UnixMilli(r.Int64N(1e12)).UTC()}[r.IntN(4)]
			return pinion.Completion{Word: string(drawBytes(r)), Docs: int(drawInt(r) >> 1), Slip: flag(), Value: value}
		})}
	}
	s := suggested(drawList(r, func() pinion.Suggestion {
		return pinion.Suggestion{Text: string(drawBytes(r)), Docs: int(drawInt(r) >> 1)}
	}))
	return &s
}

// What is encoded decodes to the same; a part of it, or one with another byte, to an error or to what encodes and decodes
// to itself.
func TestWire(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 20))
	for range 2000 {
		kind := r.IntN(len(kinds()))
		x, y := drawMessage(r, kind), kinds()[kind]
		b := x.encode()
		if err := y.decode(b); err != nil {
			t.Fatalf("%+v: %v", x, err)
		}
		if c := y.encode(); !bytes.Equal(b, c) {
			t.Fatalf("%+v becomes %+v", x, y)
		}
		if a, ok := x.(*ask); ok && len(a.request) > 0 && !reflect.DeepEqual(a.request, y.(*ask).request) {
			t.Fatalf("%+v becomes %+v", x, y)
		}
		again(t, kind, b[:r.IntN(len(b)+1)])
		b[r.IntN(len(b))] = byte(r.Uint32())
		again(t, kind, b)
	}
}

// A message that promises more than it holds takes no more memory than what it holds.
func TestWireShort(t *testing.T) {
	e := encoder{}
	e.uint(0)
	e.uint(1 << 20)
	e.b = append(e.b, make([]byte, 1<<20)...)
	e.b[len(e.b)-1<<20+5] = 0xff // the id of the first hit is longer than the message
	e.b[len(e.b)-1<<20+6] = 0xff
	e.b[len(e.b)-1<<20+7] = 0xff
	e.b[len(e.b)-1<<20+8] = 0x7f
	var p page
	if err := p.decode(e.b); err == nil || len(p.Hits) > 1 {
		t.Errorf("%d hits, %v", len(p.Hits), err)
	}
}

// Bytes never panic a decoder.
func FuzzWire(f *testing.F) {
	r := rand.New(rand.NewPCG(38, 21))
	for range 50 {
		kind := r.IntN(len(kinds()))
		f.Add(byte(kind), drawMessage(r, kind).encode())
	}
	f.Fuzz(func(t *testing.T, kind byte, b []byte) { again(t, int(kind)%len(kinds()), b) })
}
