package gpubench

import (
	"context"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/search"
)

// recorder answers with the number of a query, which is its K, and records what it is asked. wrong is the query
// that it answers otherwise.
type recorder struct {
	asked *[][2]int
	way   int
	wrong int
}

func (r recorder) Search(_ context.Context, q search.Query) (search.Result, error) {
	*r.asked = append(*r.asked, [2]int{r.way, q.K})
	hit := search.Hit{Doc: uint32(q.K)}
	if q.K == r.wrong {
		hit.Doc++
	}
	return search.Result{Hits: []search.Hit{hit}}, nil
}

// TestMeasure answers logs in several ways: each query as often in each, in the same number of counted passes, each
// pass before the next, and a way that answers otherwise is found.
func TestMeasure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, count := rapid.IntRange(1, 700).Draw(t, "queries"), rapid.IntRange(2, 13).Draw(t, "ways")
		var asked [][2]int
		w := make(ways, count)
		for j := range w {
			w[j] = way{name: "way", searcher: recorder{&asked, j, -1}}
		}
		queries, answers := make([]search.Query, n), make([]search.Result, n)
		for i := range queries {
			queries[i].K, answers[i].Hits = i, []search.Hit{{Doc: uint32(i)}}
		}
		passes := 0
		over := func(t []time.Duration) time.Duration { passes += len(t); return time.Duration(len(t)) }
		if err := w.measure(t.Context(), queries, answers, over); err != nil {
			t.Fatal(err)
		}
		if passes != count*n*countedPasses || len(asked) != count*n*(firstPasses+countedPasses) {
			t.Fatalf("%d queries, %d counted", len(asked), passes)
		}
		times := map[[2]int]int{}
		for at, a := range asked {
			if times[a]++; times[a] > 1+at/(count*n) {
				t.Fatalf("way %d is asked query %d %d times in pass %d", a[0], a[1], times[a], at/(count*n))
			}
		}
		for j := range w {
			if len(w[j].took) != n || w[j].took[n-1] != countedPasses {
				t.Fatalf("way %d took %v", j, w[j].took)
			}
		}
		wrong := rapid.IntRange(0, count-1).Draw(t, "wrong way")
		w[wrong].name, w[wrong].searcher = "wrong", recorder{&asked, wrong, n / 2}
		if err := w.measure(t.Context(), queries, answers, over); err == nil || !strings.HasPrefix(err.Error(), "wrong: ") {
			t.Fatalf("error %v", err)
		}
	})
}
