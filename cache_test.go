package pinion

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/query"
)

// The cache gives back what it was given, only to the newest state, and stays within its room.
func TestCache(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		room := rapid.IntRange(1, 4000).Draw(t, "room")
		c := newCache(room)
		state := uint64(1)
		c.forget(state)
		given := map[string]uint32{}
		for range rapid.IntRange(1, 50).Draw(t, "steps") {
			key := rapid.StringMatching(`[a-d]`).Draw(t, "key")
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				state++
				c.forget(state)
				given = map[string]uint32{}
			case 1:
				c.put(state-1, key, Page{Hits: []Hit{{Doc: 1 << 20}}})
			case 2, 3:
				if _, ok := c.get(state, key); !ok {
					doc := rapid.Uint32().Draw(t, "doc")
					c.put(state, key, Page{Hits: []Hit{{Doc: doc, Text: make([]byte, rapid.IntRange(0, 1500).Draw(t, "bytes"))}}})
					given[key] = doc
				}
			default:
				if p, ok := c.get(state, key); ok && p.Hits[0].Doc != given[key] {
					t.Fatalf("%q is %v, expected %d", key, p, given[key])
				}
			}
			sum := 0
			for e := c.recent.Front(); e != nil; e = e.Next() {
				sum += e.Value.(*cached).size
			}
			if sum != c.taken || c.taken > room || c.recent.Len() != len(c.pages) {
				t.Fatalf("%d bytes in %d pages, counted %d, room for %d", sum, len(c.pages), c.taken, room)
			}
		}
	})
}

// Requests that differ have different keys.
func TestKey(t *testing.T) {
	node := rapid.Custom(func(t *rapid.T) Node {
		text := rapid.StringOf(rapid.SampledFrom([]rune{'a', 'm', 't', 0, 1, 2}))
		leaf := func() Node {
			field, words, boost := text.Draw(t, "field"), text.Draw(t, "text"), rapid.SampledFrom([]float64{0, 1, 2}).Draw(t, "boost")
			if rapid.Bool().Draw(t, "term") {
				return Term{Field: field, Term: []byte(words), Boost: boost}
			}
			return Match{Field: field, Text: words, Boost: boost, Mode: rapid.SampledFrom([]query.Mode{query.Or, query.And}).Draw(t, "mode")}
		}
		var nodes []Node
		for range rapid.IntRange(0, 2).Draw(t, "nodes") {
			nodes = append(nodes, leaf())
		}
		return rapid.SampledFrom([]Node{leaf(), Any{Nodes: nodes}, All{Nodes: nodes}}).Draw(t, "node")
	})
	request := rapid.Custom(func(t *rapid.T) *Request {
		r := &Request{Query: node.Draw(t, "query"), K: rapid.IntRange(0, 2).Draw(t, "k")}
		r.Fields = rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "f"}), 0, 2).Draw(t, "fields")
		if rapid.Bool().Draw(t, "snippet") {
			r.Snippet = &Snippet{Length: rapid.IntRange(0, 1).Draw(t, "length")}
		}
		if rapid.Bool().Draw(t, "after") {
			r.After = &After{Score: float32(rapid.IntRange(0, 1).Draw(t, "score")), ID: []byte(rapid.SampledFrom([]string{"", "s", "f"}).Draw(t, "id"))}
		}
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := request.Draw(t, "a"), request.Draw(t, "b")
		if (key(a) == key(b)) != reflect.DeepEqual(a, b) {
			t.Fatalf("%+v has key %q, %+v %q", a, key(a), b, key(b))
		}
	})
}
