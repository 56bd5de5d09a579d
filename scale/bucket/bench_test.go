package bucket

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gocloud.dev/blob/memblob"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/bucket/internal/lag"
)

// benchIndex is the environment variable with an index directory, and benchQueries that with a file of queries, by lines of id, tab and
// text. BenchmarkCold measures over them, by lag.S3:
//
//	PINION_BENCH_INDEX=large.idx PINION_BENCH_QUERIES=q.tsv go test -run '^$' -bench Cold -benchtime 40x ./scale/bucket
const (
	benchIndex   = "PINION_BENCH_INDEX"
	benchQueries = "PINION_BENCH_QUERIES"
)

// benchLog returns n queries of 2 to 4 words.
func benchLog(b *testing.B, n int) (log []string) {
	text, err := os.ReadFile(os.Getenv(benchQueries))
	if err != nil {
		b.Skip("no queries: ", err)
	}
	for line := range strings.Lines(string(text)) {
		_, q, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if w := len(strings.Fields(q)); w >= 2 && w <= 4 {
			log = append(log, q)
		}
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(log), func(i, j int) { log[i], log[j] = log[j], log[i] })
	return log[:min(n, len(log))]
}

// trial is an index that is open, for one query.
type trial struct {
	x *Index
	s *reader.Snapshot
	q *search.Searcher
}

func (t trial) close() {
	t.q.Close()
	t.s.Close()
	t.x.Close()
}

func begin(b *testing.B, open func() (*Index, error)) trial {
	x, err := open()
	if err != nil {
		b.Fatal(err)
	}
	s, err := x.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	q, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return trial{x, s, q}
}

// ask answers a query up to the ids of its hits. It returns how many requests were sent for it before these.
func (t trial) ask(ctx context.Context, b *testing.B, text string) int {
	res, err := t.q.Search(ctx, search.Query{Text: text, K: 10})
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	if m := reader.MeterOf(ctx); m != nil {
		n = m.Usage().Requests
	}
	t.ids(ctx, b, res.Hits)
	return n
}

func (t trial) ids(ctx context.Context, b *testing.B, hits []search.Hit) {
	if _, err := idsOf(t.s.WithContext(ctx), hits); err != nil {
		b.Fatal(err)
	}
}

func median[T int | int64 | time.Duration](x []T) T {
	slices.Sort(x)
	return x[len(x)/2]
}

func BenchmarkCold(b *testing.B) {
	dir := os.Getenv(benchIndex)
	if dir == "" {
		b.Skip("no index")
	}
	mem := memblob.OpenBucket(nil)
	m := upload(b, dir, mem)
	slow := lag.New(lag.S3, 1).Bucket(mem)
	open := func() (*Index, error) { return Open(b.Context(), slow, ReadOptions{}) }
	known := func() (*Index, error) { return Open(b.Context(), slow, ReadOptions{Generation: m.Generation()}) }
	static := httptest.NewServer(lag.New(lag.S3, 1).Handler(http.FileServer(http.Dir(dir))))
	defer static.Close()
	host := func() (*Index, error) { return OpenIndex(b.Context(), static.URL, ReadOptions{}) }
	for _, c := range []struct {
		name      string
		open      func() (*Index, error)
		during    bool // opening is measured
		dict, hot bool // the dictionary and ids are cached, or all
	}{
		{"started", open, true, false, false},
		{"known", known, true, false, false},
		{"opened", known, false, false, false},
		{"dictionary", known, false, true, false},
		{"warm", known, false, false, true},
		{"host-started", host, true, false, false},
		{"host-opened", host, false, false, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			var took []time.Duration
			var perSegment, perTerm, all, rounds []int
			var bytes []int64
			over := 0
			for _, text := range benchLog(b, b.N) {
				start := time.Now()
				t := begin(b, func() (*Index, error) { return c.open() })
				opened := time.Since(start)
				switch {
				case c.hot:
					t.ask(b.Context(), b, text)
				case c.dict:
					t.dictionary(b, dir, text)
				}
				meter := reader.NewMeter(reader.Budget{})
				ctx := reader.WithMeter(b.Context(), meter)
				start = time.Now()
				search := t.ask(ctx, b, text)
				d := time.Since(start)
				if c.during {
					d += opened
				}
				u, terms := meter.Usage(), len(strings.Fields(text))
				took, bytes, rounds = append(took, d), append(bytes, u.Bytes), append(rounds, u.Rounds)
				perSegment, perTerm = append(perSegment, search/segmentsOf(m)), append(perTerm, 10*u.Requests/terms)
				all = append(all, u.Requests)
				if u.Requests > segmentsOf(m)*(2+2*terms) {
					over++
				}
				t.close()
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(median(took).Microseconds())/1000, "ms")
			b.ReportMetric(float64(median(bytes))/1e3, "kB")
			b.ReportMetric(float64(median(perSegment)), "requests/segment")
			b.ReportMetric(float64(median(all)), "requests")
			b.ReportMetric(float64(median(perTerm))/10, "requests/term")
			b.ReportMetric(float64(slices.Max(rounds)), "rounds-at-most")
			b.ReportMetric(float64(over), "over")
		})
	}
}

// dictionary reads the entries of the words of text, the lengths and the ids of its hits, and no list.
func (t trial) dictionary(b *testing.B, dir, text string) {
	x, err := reader.Open(b.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	q, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer q.Close()
	res, err := q.Search(b.Context(), search.Query{Text: text, K: 10})
	if err != nil {
		b.Fatal(err)
	}
	t.ids(b.Context(), b, res.Hits)
	terms, _, err := t.q.Terms(&search.Query{Text: text})
	if err != nil {
		b.Fatal(err)
	}
	f, ok := t.s.Field("")
	if !ok {
		b.Fatal(fmt.Errorf("no field"))
	}
	for _, w := range terms {
		if _, err := f.DF([]byte(w.Text)); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := t.q.Search(b.Context(), search.Query{Text: "qqzzxx", K: 10}); err != nil { // a word without documents
		b.Fatal(err)
	}
	for _, h := range res.Hits {
		if _, err := t.s.DocLen(h.Doc); err != nil {
			b.Fatal(err)
		}
	}
}
