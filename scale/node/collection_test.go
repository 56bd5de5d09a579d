package node

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// testSchema has a field of each kind that queries treat in a way of its own.
func testSchema() *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Stored: true, Boost: 2},
		{Name: "body", Kind: schema.Text, Stored: true, Positions: true},
		{Name: "brand", Kind: schema.Keyword, Column: true},
		{Name: "price", Kind: schema.Integer, Column: true},
		{Name: "vector", Kind: schema.Impacts, Scale: 0.3},
		{Name: "dense", Kind: schema.Vector, Dims: 3, Similarity: schema.SimilarityL2},
	}}
}

// drawDense draws a vector of few, so that many documents are equally near.
func drawDense(r *rand.Rand) []float32 {
	return []float32{float32(r.IntN(4)), float32(r.IntN(3)), float32(r.IntN(2))}
}

// drawWord draws a word, most likely a frequent one.
func drawWord(r *rand.Rand) string { return fmt.Sprint("w", int(120*r.Float64()*r.Float64())) }

func drawText(r *rand.Rand, most int) string {
	var words []string
	for range 1 + r.IntN(most) {
		words = append(words, drawWord(r))
	}
	return strings.Join(words, " ")
}

// drawVector draws the impacts of a document.
func drawVector(r *rand.Rand) (all []schema.Impact) {
	for i := range 15 {
		if r.IntN(2+i) == 0 {
			all = append(all, schema.Impact{Term: fmt.Sprint("v", i), Weight: uint8(1 + r.IntN(1+r.IntN(255)))})
		}
	}
	return all
}

// writeShards writes documents to indexes in folders of dir, one for each shard, with several segments and deletes. Of
// extra they get as many more on each further call.
func writeShards(t testing.TB, r *rand.Rand, dir string, shards, first, docs int) (paths []string) {
	t.Helper()
	return writeOrdered(t, r, dir, "", shards, first, docs)
}

// writeOrdered is writeShards for shards that keep an order.
func writeOrdered(t testing.TB, r *rand.Rand, dir string, order writer.Order, shards, first, docs int) (paths []string) {
	t.Helper()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	var all []*writer.Writer
	for i := range shards {
		paths = append(paths, filepath.Join(dir, fmt.Sprint("shard", i)))
		w, err := writer.Open(ctx, paths[i], writer.Options{Schema: testSchema(), Order: order})
		do(err)
		all = append(all, w)
	}
	for d := first; d < first+docs; d++ {
		id := fmt.Append(nil, "doc", d)
		values := []schema.Value{schema.TextValue(0, []byte(drawText(r, 5))), schema.TextValue(1, []byte(drawText(r, 30))),
			schema.KeywordValue(2, fmt.Append(nil, "brand", r.IntN(12))), schema.IntegerValue(3, int64(r.IntN(50)))}
		if r.IntN(8) == 0 {
			values = values[:2]
		}
		if v := drawVector(r); len(v) > 0 {
			values = append(values, schema.ImpactsValue(4, v))
		}
		for range []int{0, 1, 1, 2}[r.IntN(4)] {
			values = append(values, schema.VectorValue(5, drawDense(r)))
		}
		w := all[ShardOf(id, shards)]
		do(w.Add(ctx, writer.Doc{ID: id, Values: values}))
		if d%97 == 96 {
			do(w.Commit(ctx))
		}
	}
	for d := first; d < first+docs; d += 7 {
		id := fmt.Append(nil, "doc", d)
		do(all[ShardOf(id, shards)].Delete(ctx, id))
	}
	for _, w := range all {
		do(w.Commit(ctx))
		do(w.Close())
	}
	return paths
}

// wholeOf returns what answers as one index of shards.
func wholeOf(t testing.TB, paths []string) httpapi.Backend {
	t.Helper()
	var parts []*reader.Snapshot
	for _, p := range paths {
		x, err := reader.Open(t.Context(), reader.Dir(p), reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		s, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		parts = append(parts, s)
	}
	all, err := reader.Join(parts...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pinion.NewView(all, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(); all.Close() })
	return httpapi.OfView(p)
}

// startNATS starts a server, and connects to it.
func startNATS(t testing.TB) (url string, nc *nats.Conn) {
	t.Helper()
	s, err := StartServer("127.0.0.1:0", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s.ClientURL(), connect(t, s.ClientURL())
}

func connect(t testing.TB, url string) *nats.Conn {
	t.Helper()
	nc, err := Connect(url, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// startNode serves a shard.
func startNode(t testing.TB, nc *nats.Conn, path string, o Options) (*Node, error) {
	t.Helper()
	x, err := reader.Open(t.Context(), reader.Dir(path), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	n, err := Serve(t.Context(), nc, x, o)
	if err == nil {
		t.Cleanup(func() { n.Close() })
	}
	return n, err
}

// startAll serves all shards, whose nodes look for commits so often, and returns a router over them.
func startAll(t testing.TB, url string, paths []string, replicas int, refresh time.Duration, o RouterOptions) (*Router, [][]*Node) {
	t.Helper()
	return startOver(t, func() *nats.Conn { return connect(t, url) }, paths, replicas, refresh, o)
}

// startOver is startAll with what connects to a server.
func startOver(t testing.TB, connect func() *nats.Conn, paths []string, replicas int, refresh time.Duration, o RouterOptions) (*Router, [][]*Node) {
	t.Helper()
	o.Deadline = time.Minute // of requests without one: a busy machine is none of their faults
	var nodes [][]*Node
	for i, p := range paths {
		nodes = append(nodes, nil)
		for range replicas {
			n, err := startNode(t, connect(), p, Options{Collection: o.Collection, Shard: i, Shards: len(paths), Refresh: refresh})
			if err != nil {
				t.Fatal(err)
			}
			nodes[i] = append(nodes[i], n)
		}
	}
	r, err := NewRouter(t.Context(), connect(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r, nodes
}

// drawQuery draws a query in the query language.
func drawQuery(r *rand.Rand) string {
	var parts []string
	excluded := true // is all, so far
	for range 1 + r.IntN(4) {
		p := drawWord(r)
		switch r.IntN(12) {
		case 0:
			p = fmt.Sprintf("%q", drawText(r, 3))
			p = "body:" + p
		case 1:
			p = p[:2] + "*"
		case 2:
			p = "body:" + p + "~1"
		case 3:
			p = "title:" + p + "^3"
		case 4:
			p = "(" + p + " OR " + drawWord(r) + ")"
		case 5:
			p = fmt.Sprint("brand:brand", r.IntN(14))
		case 6:
			p = fmt.Sprint("price:", r.IntN(50))
		case 7:
			p = "w?" + p[len(p)-1:]
		}
		sign := []string{"", "", "+", "-"}[r.IntN(4)]
		excluded = excluded && sign == "-"
		parts = append(parts, sign+p)
	}
	if excluded {
		parts = append([]string{"*"}, parts...)
	}
	return strings.Join(parts, " ")
}

// drawRequest draws a request.
func drawRequest(r *rand.Rand) *httpapi.Request {
	x := &httpapi.Request{Query: drawQuery(r), K: 1 + r.IntN(30), Total: r.IntN(4) == 0}
	if r.IntN(5) == 0 {
		x.Query, x.Text = "", drawText(r, 4)
	}
	if r.IntN(6) == 0 {
		x.Query, x.Text, x.Like = "", "", drawLike(r)
	}
	if r.IntN(5) == 0 {
		x.Vector = drawSparse(r)
		if r.IntN(2) == 0 {
			x.Query, x.Text = "", ""
		}
	}
	if r.IntN(5) == 0 {
		x.Nearest = &httpapi.Nearest{Field: "dense", Vector: drawDense(r), K: 1 + r.IntN(40), Boost: []float64{0, 3}[r.IntN(2)]}
		if r.IntN(2) == 0 {
			x.Query, x.Text, x.Vector = "", "", nil
		}
	}
	if r.IntN(5) == 0 {
		x.Similarity = &httpapi.Similarity{Field: "dense", Vector: drawDense(r)}
	}
	if r.IntN(5) == 0 {
		x.Sort = [][]string{{"price"}, {"-price", "brand"}, {"-brand"}, {"brand", "_score"}, {"_score", "-price"}}[r.IntN(5)]
	}
	if r.IntN(5) == 0 {
		x.Facets = []httpapi.Facet{{Field: "brand", K: 3}, {Field: "price", Every: "10"}, {Field: "price", Ranges: []string{"0..20", ">20"}},
			{Field: "brand", K: 2, Stats: []httpapi.Stat{{Field: "price", Percentiles: []float64{50}, Distinct: true}},
				Facets: []httpapi.FacetWithin{{Field: "price", Every: "10", Stats: []httpapi.Stat{{Field: "brand", Distinct: true}}}}},
			{Stats: []httpapi.Stat{{Field: "price"}}}}[r.IntN(5):]
	}
	if r.IntN(4) == 0 {
		x.Filter = fmt.Sprint("price < ", r.IntN(50))
	}
	if r.IntN(4) == 0 {
		x.Values = true
	}
	x.NearestVectors = r.IntN(2) == 0
	if r.IntN(8) == 0 {
		x.Offset = r.IntN(20)
	}
	if r.IntN(6) == 0 {
		x.B = new(float64)
	}
	x.Typos = r.IntN(4) == 0
	if r.IntN(6) == 0 {
		k1 := 2 * r.Float64()
		x.K1 = &k1
	}
	if r.IntN(5) == 0 {
		x.Collapse = []string{"brand", "price"}[r.IntN(2)]
	}
	switch r.IntN(6) {
	case 0, 1:
		fuse(r, x)
	case 2:
		x.Sort = nil
		rescore(r, x)
	}
	if x.Fuse == nil && x.Rescore == nil && x.Sort == nil && r.IntN(5) == 0 {
		x.Static = []*httpapi.Static{{Field: "price", Saturation: 20}, {Field: "price", Boost: 3, Decay: "10", From: "25"}, {Field: "price", Logarithm: 2}}[r.IntN(3)]
		x.Static.Multiply = r.IntN(2) == 0
	}
	if x.Collapse != "" && r.IntN(2) == 0 {
		x.K, x.Group = min(x.K, 7), &httpapi.Group{K: r.IntN(4)}
		if x.Fuse == nil && x.Rescore == nil && r.IntN(2) == 0 {
			x.Group.Sort = []string{"-price"}
		}
	}
	for i := range x.Facets {
		x.Facets[i].IgnoreOwn = x.Facets[i].Field == "price" && x.Nearest == nil && x.Fuse == nil
	}
	return x
}

// drawLike draws what documents are similar to. Now and then a document is not there.
func drawLike(r *rand.Rand) *httpapi.Like {
	l := &httpapi.Like{Terms: r.IntN(8), Fields: [][]string{nil, {"title"}, {"brand", "body"}}[r.IntN(3)]}
	for range r.IntN(3) {
		l.IDs = append(l.IDs, httpapi.Text(fmt.Sprint("doc", 1+7*r.IntN(9)+r.IntN(2)*r.IntN(7))))
	}
	if len(l.IDs) == 0 || r.IntN(3) == 0 {
		l.Text = drawText(r, 9)
	}
	return l
}

// drawSparse draws a sparse vector.
func drawSparse(r *rand.Rand) *httpapi.Vector {
	v := &httpapi.Vector{Field: "vector", Terms: map[string]float64{}, Scale: []float64{0, 0.7}[r.IntN(2)]}
	for range 1 + r.IntN(6) {
		v.Terms[fmt.Sprint("v", r.IntN(17))] = 1 + float64(r.IntN(500))
	}
	return v
}

// fuse makes x a request for one list of several.
func fuse(r *rand.Rand, x *httpapi.Request) {
	x.Query, x.Text, x.Like, x.Vector, x.Nearest, x.Similarity, x.Sort = "", "", nil, nil, nil, nil, nil
	weight := func() float64 { return []float64{0, 1, 0.3}[r.IntN(3)] }
	x.Fuse = &httpapi.Fuse{By: []string{"", "ranks", "scores"}[r.IntN(3)]}
	x.Collapse = []string{"", "", "brand", "price"}[r.IntN(4)]
	for range 1 + r.IntN(3) {
		l := httpapi.FuseList{K: []int{0, 3, 10, 60}[r.IntN(4)], Weight: weight()}
		switch r.IntN(4) {
		case 0:
			l.Query = drawQuery(r)
		case 1:
			l.Text = drawText(r, 4)
		case 2:
			l.Vector = drawSparse(r)
		case 3:
			l.Nearest = &httpapi.Nearest{Field: "dense", Vector: drawDense(r), K: r.IntN(40)}
		}
		x.Fuse.Lists = append(x.Fuse.Lists, l)
	}
	if r.IntN(3) == 0 {
		rescore(r, x)
	}
}

// rescore makes x a request with Rescore.
func rescore(r *rand.Rand, x *httpapi.Request) {
	x.Rescore = &httpapi.Rescore{N: []int{0, 1, 5, 30}[r.IntN(4)], Weight: []float64{0, 1, 0.3}[r.IntN(3)]}
	if r.IntN(2) == 0 {
		x.Rescore.Similarity = &httpapi.Similarity{Field: "dense", Vector: drawDense(r)}
	}
	switch r.IntN(4) {
	case 0:
		x.Rescore.Nearest = &httpapi.Nearest{Field: "dense", Vector: drawDense(r), K: r.IntN(4)}
	default:
		x.Rescore.Query = drawQuery(r)
	}
}
