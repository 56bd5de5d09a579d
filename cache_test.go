package pinion

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
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
					c.put(state, key, Page{Hits: []Hit{{Doc: doc, Passages: []Passage{{Text: strings.Repeat("a", rapid.IntRange(0, 1500).Draw(t, "bytes"))}}}}})
					given[key] = doc
				}
			default:
				if p, ok := c.get(state, key); ok && p.Hits[0].Doc != given[key] {
					t.Fatalf("%q is %v, expected %d", key, p, given[key])
				}
			}
			once, often := 0, 0
			for e := c.once.Front(); e != nil; e = e.Next() {
				once += e.Value.(*cached).size
			}
			for e := c.again.Front(); e != nil; e = e.Next() {
				often += e.Value.(*cached).size
			}
			if once+often != c.taken || often != c.often || c.taken > room || c.once.Len()+c.again.Len() != len(c.pages) {
				t.Fatalf("%d and %d bytes in %d pages, counted %d and %d, room for %d", once, often, len(c.pages), c.taken, c.often, room)
			}
		}
	})
}

// Pages that were asked for twice stay while any number of others come and go, until pages that
// are asked for twice since take their place.
func TestCacheAgain(t *testing.T) {
	c := newCache(10 * (overhead + 2))
	c.forget(1)
	ask := func(key string) bool {
		if _, ok := c.get(1, key); ok {
			return true
		}
		c.put(1, key, Page{})
		return false
	}
	for _, key := range "abcdefgh" { // four fifths of the room
		ask(string(key))
		ask(string(key))
	}
	for i := range 100 {
		ask(string(rune(200 + i)))
	}
	for _, key := range "abcdefgh" {
		if _, ok := c.get(1, string(key)); !ok {
			t.Errorf("page %c is gone", key)
		}
	}
	for _, key := range "ijklmnop" {
		ask(string(key))
		ask(string(key))
	}
	if ask("b") || !ask("p") {
		t.Error("pages that were asked for again stay for ever")
	}
}

// Requests that differ have different keys.
func TestKey(t *testing.T) {
	node := rapid.Custom(func(t *rapid.T) query.Node {
		text := rapid.StringOf(rapid.SampledFrom([]rune{'a', 'm', 't', 0, 1, 2}))
		leaf := func() query.Node {
			field, words, boost := text.Draw(t, "field"), text.Draw(t, "text"), rapid.SampledFrom([]float64{0, 1, 2}).Draw(t, "boost")
			set, edits := rapid.Bool().Draw(t, "set"), rapid.IntRange(0, 2)
			var terms []string
			for range rapid.IntRange(0, 2).Draw(t, "terms") {
				terms = append(terms, text.Draw(t, "term"))
			}
			switch rapid.IntRange(0, 8).Draw(t, "kind") {
			case 0:
				return query.Term{Field: field, Text: words, Boost: boost}
			case 1:
				return query.Prefix{Field: field, Text: words, Boost: boost, Scored: set}
			case 2:
				return query.Wildcard{Field: field, Pattern: words, Boost: boost, Scored: set}
			case 3:
				return query.Regexp{Field: field, Pattern: words, Boost: boost, Scored: set}
			case 4:
				return query.Fuzzy{Field: field, Text: words, Boost: boost, Edits: edits.Draw(t, "edits"), FixedPrefix: edits.Draw(t, "fixed")}
			case 5:
				return query.Phrase{Field: field, Text: words, Terms: terms, Slop: edits.Draw(t, "slop"), Prefix: set, Boost: boost}
			case 7:
				d := query.Dot{Field: field, Boost: boost}
				for _, term := range terms {
					d.Terms = append(d.Terms, query.WeightedTerm{Term: term, Weight: rapid.Uint32Range(0, 1).Draw(t, "weight")})
				}
				return d
			case 6:
				return query.Near{Field: field, Text: words, Terms: terms, Distance: edits.Draw(t, "distance"), Ordered: set, Boost: boost}
			}
			return query.Match{Field: field, Text: words, Boost: boost, Mode: rapid.SampledFrom([]query.Mode{query.ModeOr, query.ModeAnd}).Draw(t, "mode")}
		}
		var nodes []query.Node
		for range rapid.IntRange(0, 2).Draw(t, "nodes") {
			nodes = append(nodes, leaf())
		}
		number := rapid.SampledFrom([]float64{0, 1, 2})
		filters := rapid.SampledFrom([][]query.Node{nil, {leaf()}, {query.IDs{"a", ""}}, {query.IDs{""}, query.IDs{""}},
			{query.DocsOf(slices.Values([]uint32{3, 5})), query.DocsOf(slices.Values([]uint32(nil)))}, {query.Equal("a", 1)}, {query.Equal("a", "1")}, {query.Equal("a", 1.0)},
			{query.And{leaf(), leaf()}}, {query.Or{leaf(), leaf()}}, {query.Not{Node: leaf()}}, {query.AtLeast("a", 1)}, {query.Above("a", 1)}, {query.AtMost("a", 1)}, {query.Exists{Field: "a"}}})
		return rapid.SampledFrom([]query.Node{leaf(), query.Best{Of: nodes, Tie: number.Draw(t, "tie"), Boost: number.Draw(t, "boost")},
			query.Const{Node: leaf(), Score: number.Draw(t, "score")}, query.All{Score: number.Draw(t, "all")},
			query.Bool{Must: nodes, Filter: filters.Draw(t, "filter"), AtLeast: rapid.IntRange(0, 2).Draw(t, "least"), Boost: number.Draw(t, "boost")}, query.Bool{Should: nodes}, query.Bool{MustNot: nodes}}).Draw(t, "node")
	})
	request := rapid.Custom(func(t *rapid.T) *Request {
		r := &Request{Query: node.Draw(t, "query"), Limit: rapid.IntRange(0, 2).Draw(t, "k"), Total: rapid.Bool().Draw(t, "total")}
		parameter := rapid.SampledFrom([]float64{0, 1, query.Zero})
		number := rapid.SampledFrom([]float64{0, 1, 2})
		r.K1, r.B = parameter.Draw(t, "k1"), parameter.Draw(t, "b")
		r.Fields = rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "f"}), 0, 2).Draw(t, "fields")
		if rapid.Bool().Draw(t, "snippet") {
			r.Snippet = &Snippet{Length: rapid.IntRange(0, 1).Draw(t, "length")}
		}
		if rapid.Bool().Draw(t, "after") {
			r.After = &After{Score: float32(rapid.IntRange(0, 1).Draw(t, "score")), ID: rapid.SampledFrom([]string{"", "s", "f"}).Draw(t, "id")}
			values := []schema.Value{{}, schema.IntegerValue(0, 1), schema.FloatValue(0, 1), schema.KeywordValue(0, []byte("g"))}
			r.After.Sort = rapid.SampledFrom([][]schema.Value{nil, values[:1], values[:2], values[2:], values[3:]}).Draw(t, "values")
		}
		r.Sort = rapid.SampledFrom([][]Sort{nil, {{Field: "a"}}, {{Field: "a", Desc: true}}, {{Field: "a"}, {Field: ""}}, {{Field: "a"}, {Score: true}}}).Draw(t, "sort")
		r.Collapse = rapid.SampledFrom([]string{"", "a", "f"}).Draw(t, "collapse")
		r.Group = rapid.SampledFrom([]*Group{nil, {}, {Limit: 1}, {Sort: []Sort{{Field: "a"}}}, {Sort: []Sort{{Field: "a", Desc: true}}}}).Draw(t, "group")
		r.Static = rapid.SampledFrom([]*Static{nil, {Field: "a"}, {Field: "a", Boost: 1}, {Field: "a", Multiply: true}, {Field: "g"}, {Field: "a", Saturation: 1}, {Field: "a", Logarithm: 1},
			{Field: "a", Decay: 1}, {Field: "a", Decay: 1, From: 1}, {Field: "a", Decay: 1, From: int64(2)}, {Field: "a", DecayOver: 1}}).Draw(t, "static")
		count := rapid.IntRange(0, 1)
		if rapid.Bool().Draw(t, "fused") {
			r.Query = nil
			r.Fuse = &Fuse{By: FuseBy(count.Draw(t, "by")), RankConstant: parameter.Draw(t, "constant")}
			for range rapid.IntRange(0, 2).Draw(t, "lists") {
				r.Fuse.Lists = append(r.Fuse.Lists, FuseList{Query: node.Draw(t, "list"), K: count.Draw(t, "k"), Weight: number.Draw(t, "weight")})
			}
		}
		if rapid.Bool().Draw(t, "rescored") {
			r.Rescore = &Rescore{Query: node.Draw(t, "rescore"), N: count.Draw(t, "n"), Weight: number.Draw(t, "weight")}
		}
		one := schema.IntegerValue(0, 1)
		r.Facets = rapid.SampledFrom([][]Facet{nil, {{Field: "a"}}, {{Field: "a", Limit: 1}}, {{Field: "a", Every: 1}}, {{Field: "a", Width: 1}}, {{Field: "a"}, {Field: "a"}},
			{{Field: "a", Ranges: []Range{{Min: one}}}}, {{Field: "a", Ranges: []Range{{Max: one}}}}, {{Field: "a", Ranges: []Range{{Max: one, WithMax: true}}}},
			{{Field: "a", Ranges: []Range{{}, {}}}}}).Draw(t, "facets")
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := request.Draw(t, "a"), request.Draw(t, "b")
		if (key(a) == key(b)) != reflect.DeepEqual(a, b) {
			t.Fatalf("%+v has key %q, %+v %q", a, key(a), b, key(b))
		}
	})
}

// A limit is not taken for the beginning of a filter, whatever it is.
func TestKeyOfFilter(t *testing.T) {
	node := query.Match{Text: "rose"}
	own := len(query.AppendKey(nil, node))
	with := key(&Request{Query: node, Filter: query.Equal("tag", "a")})
	for limit := range 1 << 10 {
		if without := key(&Request{Query: node, Limit: limit}); without[own] == with[own] {
			t.Fatalf("behind a query, limit %d begins as a filter does", limit)
		}
	}
}

// A page is that of its own phrase and static scores, not of others that were asked for before.
func TestCachedPhrases(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text, Positions: true}, {Name: "rank", Kind: schema.Float, Column: true}}}
	x, err := OpenFS(t.Context(), memfs.New(), Options{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for i, text := range []string{"red rose", "rose red", "red red"} {
		if err := x.Add(t.Context(), Doc{ID: text, Values: []schema.Value{schema.TextValue(0, []byte(text)), schema.FloatValue(1, float64(i))}}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time from the cache
		for _, text := range []string{"red rose", "rose red", "red red"} {
			for _, n := range []query.Node{query.Phrase{Text: text}, query.Near{Text: text, Ordered: true}} {
				page, err := x.Search(t.Context(), Request{Query: n})
				if err != nil || len(page.Hits) != 1 || string(page.Hits[0].ID) != text {
					t.Errorf("%+v: %v, %v", n, page.Hits, err)
				}
			}
		}
		for weight, want := range map[float64]float32{1: 3, 10: 21} {
			page, err := x.Search(t.Context(), Request{Query: query.All{}, Static: &Static{Field: "rank", Boost: weight}})
			if err != nil || page.Hits[0].Score != want {
				t.Errorf("rank times %v: %v, %v", weight, page.Hits, err)
			}
		}
	}
}
