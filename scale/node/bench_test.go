package node

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/testdata"
	"github.com/pinion-index/pinion/writer"
)

// buildKJV builds shards of the King James Bible, and returns words of it by which to search.
func buildKJV(b *testing.B, shards int) (paths, words []string) {
	b.Helper()
	do := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	ctx, dir := context.Background(), b.TempDir()
	var all []*writer.Writer
	for i := range shards {
		paths = append(paths, filepath.Join(dir, ShardName(i, shards)))
		w, err := writer.Open(ctx, paths[i], writer.Options{Schema: schema.Implicit("", "", true)})
		do(err)
		all = append(all, w)
	}
	in, err := gzip.NewReader(bytes.NewReader(testdata.KJV))
	do(err)
	for d, n := json.NewDecoder(in), 0; d.More(); n++ {
		var x struct{ ID, Contents string }
		do(d.Decode(&x))
		do(all[ShardOf([]byte(x.ID), shards)].Add(ctx, writer.Text([]byte(x.ID), []byte(x.Contents))))
		if n%10 == 0 {
			words = append(words, strings.Fields(strings.Map(func(r rune) rune {
				if r < 'A' {
					return ' '
				}
				return r
			}, x.Contents))...)
		}
	}
	for _, w := range all {
		do(w.Commit(ctx))
		do(w.Close())
	}
	return paths, words
}

// BenchmarkRouter measures what a router adds to the time in which the slowest of three shards searches, each served by two
// nodes, over an embedded NATS server: within the process, or by TCP. Queries of two to four words of the King James Bible come
// at random times, as many a second as is 30 % of what is answered at most. With two phases nobody remembers how many documents
// words are in.
func BenchmarkRouter(b *testing.B) {
	s, err := StartServer("127.0.0.1:0", b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	paths, words := buildKJV(b, 3)
	r := rand.New(rand.NewPCG(38, 23))
	queries := make([]*httpapi.Request, 500)
	for i := range queries {
		var text []string
		for range 2 + r.IntN(3) {
			text = append(text, words[r.IntN(len(words))])
		}
		queries[i] = &httpapi.Request{Text: strings.Join(text, " ")}
	}
	for _, way := range []string{"process", "tcp"} {
		connect := func() *nats.Conn {
			var options []nats.Option
			if way == "process" {
				options = append(options, nats.InProcessServer(s))
			}
			nc, err := Connect(s.ClientURL(), "bench", options...)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(nc.Close)
			return nc
		}
		var times observed
		router, _ := startOver(b, connect, paths, 2, time.Hour, RouterOptions{Collection: way, Observe: times.add})
		for _, phases := range []int{1, 2} {
			search := func(i int) {
				if v := router.view.Load(); phases == 2 {
					v.mu.Lock()
					clear(v.known)
					v.mu.Unlock()
				}
				if _, err := router.Search(context.Background(), queries[i%len(queries)]); err != nil {
					b.Error(err)
				}
			}
			for i := range queries {
				search(i)
			}
			rate := 0.3 * saturate(search)
			b.Run(fmt.Sprint("phases=", phases, "/", way), func(b *testing.B) {
				times = observed{}
				var running sync.WaitGroup
				for i := range b.N {
					time.Sleep(time.Duration(r.ExpFloat64() / rate * 1e9))
					running.Go(func() { search(i) })
				}
				running.Wait()
				times.report(b)
				b.ReportMetric(rate, "queries/s")
			})
		}
	}
}

// observed are the times of requests, in microseconds.
type observed struct {
	mu         sync.Mutex
	added, own []float64
	rounds     int
}

func (t *observed) add(o Observation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.added, t.own = append(t.added, float64(o.Took-o.Nodes)/1e3), append(t.own, float64(o.Nodes)/1e3)
	t.rounds += o.Rounds
}

func (t *observed) report(b *testing.B) {
	for _, x := range []struct {
		name string
		all  []float64
	}{{"added-us", t.added}, {"shard-us", t.own}} {
		slices.Sort(x.all)
		for _, p := range []int{10, 50, 99} {
			b.ReportMetric(x.all[p*(len(x.all)-1)/100], fmt.Sprint(x.name, "/p", p))
		}
	}
	b.ReportMetric(float64(t.rounds)/float64(b.N), "rounds/op")
}

// saturate returns how many calls a second are made when there is always one to make.
func saturate(f func(i int)) float64 {
	const clients, each = 8, 250
	began := time.Now()
	var running sync.WaitGroup
	for c := range clients {
		running.Go(func() {
			for i := range each {
				f(c*each + i)
			}
		})
	}
	running.Wait()
	return clients * each / time.Since(began).Seconds()
}
