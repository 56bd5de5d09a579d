package node

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// What is similar to documents of several shards, with ids that are no UTF-8 among them, is what one index finds. A document that is not there
// is named, and one that may be in a shard that is missing is not said to be gone.
func TestLike(t *testing.T) {
	rng := rand.New(rand.NewPCG(56, 4))
	url, _ := startNATS(t)
	paths := writeShards(t, rng, t.TempDir(), 3, 0, 200)
	odd := []byte("\xff\"\\ odd")
	w, err := writer.Open(t.Context(), paths[ShardOf(odd, 3)], writer.Options{Schema: testSchema()})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(t.Context(), writer.Doc{ID: odd, Values: []schema.Value{schema.TextValue(0, []byte("w3 w50 \xfe w3"))}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	router, nodes := startAll(t, url, paths, 1, time.Second, RouterOptions{Collection: "like", Cache: 10, Absence: 50 * time.Millisecond})
	whole := wholeOf(t, paths)
	for _, l := range []httpapi.Like{
		{IDs: []httpapi.Text{httpapi.Text(odd)}}, {IDs: []httpapi.Text{"doc1", "doc2", "doc3", "doc1"}}, {IDs: []httpapi.Text{"doc5"}, Fields: []string{"brand"}},
		{Text: "w3 w3 w50 nothing", Terms: 1}, {Text: "nothing has this"}, {IDs: []httpapi.Text{"doc1"}, Text: "w3", Terms: 500},
	} {
		x := &httpapi.Request{Like: &l, K: 50, Total: true, Filter: []string{"", "price < 30"}[rng.IntN(2)]}
		for range 2 { // the second answer is remembered
			want, wantErr := whole.Search(t.Context(), x)
			got, err := router.Search(t.Context(), x)
			if same(t, 3, x, got, want, err, wantErr); err != nil {
				t.Errorf("%+v: %v", l, err)
			}
		}
	}
	for _, l := range []httpapi.Like{{IDs: []httpapi.Text{"doc1", "none"}}, {IDs: []httpapi.Text{"doc1"}, Fields: []string{"vector"}}, {}, {Text: "w1", Terms: -1}} {
		x := &httpapi.Request{Like: &l}
		_, wantErr := whole.Search(t.Context(), x)
		_, err := router.Search(t.Context(), x)
		a, _ := json.Marshal(httpapi.ErrorOf(err))
		b, _ := json.Marshal(httpapi.ErrorOf(wantErr))
		if err == nil || string(a) != string(b) {
			t.Errorf("%+v: %s, want %s", l, a, b)
		}
	}
	nodes[1][0].Close()
	there, gone := 0, 0
	for i := range 30 {
		x := &httpapi.Request{Like: &httpapi.Like{IDs: []httpapi.Text{httpapi.Text(fmt.Sprint("doc", 7*i/6+1))}, Terms: 3}, Partial: true}
		id := []byte(x.Like.IDs[0])
		if int(7*i/6+1)%7 == 0 { // it is deleted
			continue
		}
		a, err := router.Search(t.Context(), x)
		status, code := codeOf(err)
		switch missing := ShardOf(id, 3) == 1; {
		case missing && (status != http.StatusServiceUnavailable || code != httpapi.CodeUnavailable):
			t.Errorf("%s, whose shard is missing: %+v, %v", id, a, err)
		case !missing && (err != nil || !a.Partial):
			t.Errorf("%s, whose shard is there: %+v, %v", id, a, err)
		case missing:
			gone++
		default:
			there++
		}
	}
	if there == 0 || gone == 0 {
		t.Errorf("%d documents are there, %d are not", there, gone)
	}
}
