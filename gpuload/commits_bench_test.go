package gpuload

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

var (
	benchDocs   = flag.Int("docs", 20_000, "documents of BenchmarkCommits")
	benchFor    = flag.Duration("for", 2*time.Second, "how long BenchmarkCommits searches each kind")
	benchEvery  = flag.Duration("every", time.Second, "time from a commit to the next; 0 for none")
	benchAtOnce = flag.Int("callers", 64, "goroutines that search")
)

// world is a generated collection: sparse vectors over a vocabulary of Zipf's law, texts of the same words, a hundred tenants.
type world struct {
	index *pinion.Index
	words *rand.Zipf
	r     *rand.Rand
	docs  int
}

func newWorld(b *testing.B, x pinion.Executor) *world {
	s := &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Impacts, Scale: 0.01}, {Name: "tenant", Kind: schema.Keyword, Column: true}, {Name: "body", Kind: schema.Text}}}
	index, err := pinion.Open(b.Context(), b.TempDir(), pinion.Options{Schema: s, Executor: x, NoCache: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { index.Close() })
	w := &world{index: index, r: rand.New(rand.NewPCG(1, 2))}
	w.words = rand.NewZipf(w.r, 1.1, 20, 30_000)
	begun := time.Now()
	const atOnce = 100_000
	for at := 0; at < *benchDocs; at += atOnce {
		w.add(b, min(atOnce, *benchDocs-at))
	}
	b.Logf("%d documents in %.1f s", *benchDocs, time.Since(begun).Seconds())
	return w
}

// add adds documents as one batch.
func (w *world) add(b *testing.B, n int) {
	docs := make([]pinion.Doc, n)
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = w.r.Uint64()
	}
	var all sync.WaitGroup
	var next atomic.Int64
	first := w.docs
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				docs[i] = document(first+i, seeds[i])
			}
		})
	}
	all.Wait()
	w.docs += n
	if err := errors.Join(w.index.Add(b.Context(), docs...), w.index.Sync(b.Context())); err != nil {
		b.Fatal(err)
	}
}

func document(id int, seed uint64) pinion.Doc {
	r := rand.New(rand.NewPCG(seed, 3))
	z := rand.NewZipf(r, 1.1, 20, 30_000)
	v := map[string]uint8{}
	var body []byte
	for i := range 60 {
		word := fmt.Sprint("w", z.Uint64())
		v[word] = uint8(1 + r.IntN(255))
		if i < 20 {
			body = append(append(body, word...), ' ')
		}
	}
	impacts := make([]schema.Impact, 0, len(v))
	for t, weight := range v {
		impacts = append(impacts, schema.Impact{Term: t, Weight: weight})
	}
	slices.SortFunc(impacts, func(a, b schema.Impact) int {
		if a.Term < b.Term {
			return -1
		}
		return 1
	})
	return pinion.Doc{ID: fmt.Sprint(id), Values: []schema.Value{schema.ImpactsValue(0, impacts), schema.KeywordValue(1, fmt.Append(nil, "t", r.IntN(100))), schema.TextValue(2, body)}}
}

// draw returns requests of a kind.
func (w *world) draw(kind string, n int) []pinion.Request {
	out := make([]pinion.Request, n)
	for i := range out {
		d := query.Dot{Field: "v"}
		for range 30 {
			d.Terms = append(d.Terms, query.WeightedTerm{Term: fmt.Sprint("w", w.words.Uint64()), Weight: 1 + w.r.Uint32N(200)})
		}
		text := ""
		for range 3 {
			text += fmt.Sprintf("w%d ", w.words.Uint64())
		}
		r := pinion.Request{Query: d, Limit: 10}
		switch kind {
		case "words":
			r.Query = query.Match{Field: "body", Text: text}
		case "dot+words":
			r.Query = query.Bool{Should: []query.Node{d, query.Match{Field: "body", Text: text}}}
		case "dot+tenant":
			r.Filter = query.Equal("tenant", fmt.Sprint("t", w.r.IntN(100)))
		}
		out[i] = r
	}
	return out
}

// BenchmarkCommits searches an index while it changes: by words, sparse vectors, vectors of a tenant, and vectors and words. It
// says how many searches a second are answered, how long they take, and how many of them the devices answered; a hundred answers of each
// kind are compared with those of the CPU. The collection is generated.
func BenchmarkCommits(b *testing.B) {
	x, err := Open(Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	w := newWorld(b, x)
	for _, kind := range []string{"words", "dot", "dot+tenant", "dot+words"} {
		b.Run(kind, func(b *testing.B) { w.run(b, x, kind) })
	}
}

func (w *world) run(b *testing.B, x *Executor, kind string) {
	requests := w.draw(kind, 4096)
	end := time.Now().Add(*benchFor)
	stop := make(chan struct{})
	var all sync.WaitGroup
	var commits int
	if *benchEvery > 0 {
		all.Go(func() {
			for tick := time.Tick(*benchEvery); ; {
				select {
				case <-tick:
					w.add(b, 1000)
					commits++
				case <-stop:
					return
				}
			}
		})
	}
	before := x.counts.all()
	took := make([][]time.Duration, *benchAtOnce)
	var searching sync.WaitGroup
	for i := range took {
		searching.Go(func() {
			for n := i; time.Now().Before(end); n += len(took) {
				begun := time.Now()
				if _, err := w.index.Search(b.Context(), requests[n%len(requests)]); err != nil {
					b.Error(err)
					return
				}
				took[i] = append(took[i], time.Since(begun))
			}
		})
	}
	searching.Wait()
	close(stop)
	all.Wait()
	after := x.counts.all()
	sorted := slices.Concat(took...)
	slices.Sort(sorted)
	n := len(sorted)
	b.ReportMetric(float64(n)/benchFor.Seconds(), "searches/s")
	b.ReportMetric(float64(sorted[n/2].Microseconds()), "us-median")
	b.ReportMetric(float64(sorted[n*99/100].Microseconds()), "us-p99")
	b.ReportMetric(float64(sorted[n-1].Microseconds()), "us-max")
	b.ReportMetric(float64(commits), "commits")
	x.mu.Lock()
	b.ReportMetric(float64(x.took.Microseconds()), "us-follow")
	x.mu.Unlock()
	for why, n := range after.OnCPU {
		if n -= before.OnCPU[why]; n > 0 {
			b.Logf("%d on the CPU: %v", n, gpu.Reason(why))
		}
	}
	b.ReportMetric(float64(after.GPU-before.GPU)/float64(n), "on-devices")
	b.ReportMetric(w.differ(b, requests[:100]), "differ")
	b.ReportMetric(0, "ns/op")
}

// differ returns how many answers are not those of the CPU.
func (w *world) differ(b *testing.B, requests []pinion.Request) (n float64) {
	err := w.index.View(b.Context(), func(v *pinion.View) error {
		plain, err := pinion.NewView(v.Snapshot(), nil)
		if err != nil {
			return err
		}
		defer plain.Close()
		for _, r := range requests {
			got, err := v.Search(b.Context(), r)
			if err != nil {
				return err
			}
			want, err := plain.Search(b.Context(), r)
			if err != nil {
				return err
			}
			if !reflect.DeepEqual(got.Hits, want.Hits) {
				n++
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}
