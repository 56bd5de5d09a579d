package node

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// lie returns what makes another body of that of an answer to a kind of requests; the decoder and the encoder are those of the kind.
func pageLie(change func(p *page)) func(body []byte) []byte {
	return func(body []byte) []byte {
		var p page
		if p.decode(body) != nil || len(p.Hits) < 2 {
			return body
		}
		change(&p)
		return p.encode()
	}
}

func nearLie(change func(n *query.Neighbors)) func(body []byte) []byte {
	return func(body []byte) []byte {
		var f found
		if f.decode(body) != nil || len(f.neighbors) == 0 || len(f.neighbors[0].Docs) < 2 {
			return body
		}
		change(&f.neighbors[0])
		return f.encode()
	}
}

func countedLie(change func(c *counted)) func(body []byte) []byte {
	return func(body []byte) []byte {
		var c counted
		if c.decode(body) != nil || len(c.statistics.Terms) < 2 {
			return body
		}
		change(&c)
		return c.encode()
	}
}

// A node whose answers make no sense is passed over, whatever it is asked: the answer is that of the others, and there is none if it is
// the only one.
func TestNonsense(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 53))
	url, _ := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 2, 0, 300)
	router, nodes := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "liars", Absence: 100 * time.Millisecond})
	whole, honest := wholeOf(t, paths), nodes[0][0]
	near := &httpapi.Nearest{Field: "dense", Vector: []float32{1, 1, 1}, K: 20}
	words := func() string { return "w1 w2 " + drawText(rng, 3) + " x" + drawText(rng, 1) } // such that frequencies are asked
	count := func(e *encoder, n uint64) []byte { e.uint(n); return e.b }
	for name, c := range map[string]struct {
		kind byte
		x    httpapi.Request
		lie  func(body []byte) []byte
	}{
		"cut":            {askSearch, httpapi.Request{}, func(b []byte) []byte { return b[:len(b)/2] }},
		"longer":         {askSearch, httpapi.Request{}, func(b []byte) []byte { return append(slices.Clip(b), 1) }},
		"hit":            {askSearch, httpapi.Request{}, pageLie(func(p *page) { p.Hits[0].Doc = 1 << 20 })},
		"hits":           {askSearch, httpapi.Request{K: 2}, pageLie(func(p *page) { p.Hits = append(p.Hits, p.Hits...) })},
		"twice":          {askSearch, httpapi.Request{}, pageLie(func(p *page) { p.Hits[1] = p.Hits[0] })},
		"score":          {askSearch, httpapi.Request{}, pageLie(func(p *page) { p.Hits[0].Score = float32(math.NaN()) })},
		"order":          {askSearch, httpapi.Request{}, pageLie(func(p *page) { slices.Reverse(p.Hits) })},
		"kept order":     {askSearch, httpapi.Request{}, pageLie(func(p *page) { p.Ordered = true })},
		"total":          {askSearch, httpapi.Request{Total: true}, pageLie(func(p *page) { p.Total = 1 << 40 })},
		"sort":           {askSearch, httpapi.Request{Sort: []string{"price"}}, pageLie(func(p *page) { p.Hits[0].Sort = nil })},
		"sorted score":   {askSearch, httpapi.Request{Sort: []string{"_score"}}, pageLie(func(p *page) { p.Hits[0].Sort[0] = schema.FloatValue(0, 99) })},
		"field":          {askSearch, httpapi.Request{Values: true}, pageLie(func(p *page) { p.Hits[0].Values = []schema.Value{schema.IntegerValue(99, 1)} })},
		"facets":         {askSearch, httpapi.Request{Facets: []httpapi.Facet{{Field: "brand"}}}, pageLie(func(p *page) { p.Facets = nil })},
		"counts":         {askSearch, httpapi.Request{Facets: []httpapi.Facet{{Field: "brand"}}}, pageLie(func(p *page) { p.Facets[0].Counts[0].Value = int64(7) })},
		"figures":        {askSearch, httpapi.Request{Facets: []httpapi.Facet{{Field: "brand", Stats: []httpapi.Stat{{Field: "price"}}}}}, pageLie(func(p *page) { p.Facets[0].Counts[0].Stats = nil })},
		"ranges":         {askSearch, httpapi.Request{Facets: []httpapi.Facet{{Field: "price", Ranges: []string{"<10", ">5"}}}}, pageLie(func(p *page) { p.Facets[0].Counts = p.Facets[0].Counts[:1] })},
		"list":           {askSearch, httpapi.Request{Fuse: &httpapi.Fuse{}}, pageLie(func(p *page) { p.Hits[1] = p.Hits[0] })},
		"groups":         {askSearch, httpapi.Request{Fuse: &httpapi.Fuse{}, Collapse: "brand"}, pageLie(func(p *page) { p.Groups = p.Groups[1:] })},
		"values":         {askSearch, httpapi.Request{Collapse: "brand"}, pageLie(func(p *page) { p.Groups = append(p.Groups, p.Groups...) })},
		"kind of value":  {askSearch, httpapi.Request{Collapse: "brand"}, pageLie(func(p *page) { p.Groups[0] = schema.IntegerValue(0, 3) })},
		"rescored":       {askSearch | rescoring, httpapi.Request{Rescore: &httpapi.Rescore{Text: "w3"}}, pageLie(func(p *page) { p.Hits[1].Doc = 1 << 31 })},
		"shown":          {askShow, httpapi.Request{Fuse: &httpapi.Fuse{}}, pageLie(func(p *page) { p.Hits[1].Doc = p.Hits[0].Doc })},
		"few shown":      {askShow, httpapi.Request{Fuse: &httpapi.Fuse{}}, pageLie(func(p *page) { p.Hits = p.Hits[1:] })},
		"nearest k":      {askNeighbors, httpapi.Request{Nearest: near}, nearLie(func(n *query.Neighbors) { n.K++ })},
		"nearest":        {askNeighbors, httpapi.Request{Nearest: near}, nearLie(func(n *query.Neighbors) { n.Docs[len(n.Docs)-1].Doc = 1 << 20 })},
		"nearest twice":  {askNeighbors, httpapi.Request{Nearest: near}, nearLie(func(n *query.Neighbors) { n.Docs[1].Doc = n.Docs[0].Doc })},
		"as near as NaN": {askNeighbors, httpapi.Request{Nearest: near}, nearLie(func(n *query.Neighbors) { n.Docs[0].Near = float32(math.NaN()) })},
		"many nearest": {askNeighbors, httpapi.Request{Nearest: near}, nearLie(func(n *query.Neighbors) {
			for i := range uint32(n.K) {
				n.Docs = append(n.Docs, query.Neighbor{Doc: n.Docs[len(n.Docs)-1].Doc + 1 + i})
			}
		})},
		"frequency":    {askFrequencies, httpapi.Request{}, countedLie(func(c *counted) { c.statistics.Terms[0].DF = 1 << 40 })},
		"words":        {askFrequencies, httpapi.Request{}, countedLie(func(c *counted) { slices.Reverse(c.statistics.Terms) })},
		"words twice":  {askFrequencies, httpapi.Request{}, func(b []byte) []byte { return append(slices.Clip(b), b...) }},
		"count":        {askCount, httpapi.Request{}, func([]byte) []byte { return count(new(encoder), 1<<40) }},
		"cut count":    {askCount, httpapi.Request{}, func([]byte) []byte { return append(count(new(encoder), 1), 1) }},
		"cut suggests": {askSuggest, httpapi.Request{}, func(b []byte) []byte { return append(slices.Clip(b), 0) }},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			var lies atomic.Int64
			sub, err := connect(t, url).QueueSubscribe(subjectOf("liars", 0), "replicas", func(m *nats.Msg) {
				var asked ask
				if asked.decode(m.Data) != nil {
					return
				}
				a, err := honest.answer(t.Context(), m.Data)
				if err != nil {
					a = &answer{kind: absent, message: err.Error()}
				} else if asked.kind == c.kind {
					if said := c.lie(slices.Clone(a.body)); string(said) != string(a.body) {
						a.body = said
						lies.Add(1)
					}
				}
				a.node = "liar" // which nobody is
				m.Respond(a.encode())
			})
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Unsubscribe()
			sub.SetPendingLimits(-1, -1)
			for i := 0; i < 4 || lies.Load() < 2 && i < 200; i++ {
				x := c.x
				if x.Nearest == nil && x.Fuse == nil {
					x.Text = words()
				}
				if x.Fuse != nil {
					x.Fuse = &httpapi.Fuse{Lists: []httpapi.FuseList{{Text: words()}, {Nearest: near}}}
				}
				switch c.kind {
				case askCount:
					want, wantErr := whole.Count(t.Context(), &httpapi.CountRequest{Text: x.Text})
					got, err := router.Count(t.Context(), &httpapi.CountRequest{Text: x.Text})
					if err != nil || wantErr != nil || *got != *want {
						t.Fatalf("%v, %v; want %v, %v", got, err, want, wantErr)
					}
				case askSuggest:
					want, wantErr := whole.Suggest(t.Context(), &httpapi.SuggestRequest{Field: "body", Prefix: "w1"})
					got, err := router.Suggest(t.Context(), &httpapi.SuggestRequest{Field: "body", Prefix: "w1"})
					if err != nil || wantErr != nil || !slices.Equal(got.Terms, want.Terms) {
						t.Fatalf("%v, %v; want %v, %v", got, err, want, wantErr)
					}
				default:
					want, wantErr := whole.Search(t.Context(), &x)
					got, err := router.Search(t.Context(), &x)
					same(t, 2, &x, got, want, err, wantErr)
				}
			}
			if lies.Load() == 0 {
				t.Error("nobody has lied")
			}
		})
	}
	honest.Close()
	sub, err := connect(t, url).QueueSubscribe(subjectOf("liars", 0), "replicas", func(m *nats.Msg) {
		m.Respond((&answer{kind: answered, body: (&page{pinion.PartPage{Page: pinion.Page{Hits: []pinion.Hit{{Doc: 1 << 30}}}}}).encode()}).encode())
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	_, err = router.Search(t.Context(), &httpapi.Request{Text: "w1"})
	if _, code := codeOf(err); code != httpapi.CodeUnavailable || !strings.Contains(err.Error(), errWire.Error()) {
		t.Errorf("nobody answers but with nonsense: %v", err)
	}
}
