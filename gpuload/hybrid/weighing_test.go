package hybrid

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pinion-index/pinion/query"
)

// TestWeighing weighs every query while that gains more than it takes, then one in weighSome, and all again soon
// after it gains.
func TestWeighing(t *testing.T) {
	var w weighing
	w.init()
	const core, took = 40 * micro, 2 * micro
	weighedOf := func(mode query.Mode, n int, gain func(int) time.Duration) (weighed int) {
		for i := range n {
			if w.due(mode) {
				weighed++
				w.observe(mode, core, took, gain(i))
			}
		}
		return weighed
	}
	rare := func(i int) time.Duration { // 8 us a query
		if i%25 == 0 {
			return 200 * micro
		}
		return 0
	}
	often := func(int) time.Duration { return 300 * micro }
	if n := weighedOf(query.Or, 500, rare); n != 500 {
		t.Errorf("%d of the first 500 queries are weighed", n)
	}
	weighedOf(query.Or, 10_000, rare)
	if n := weighedOf(query.Or, 16_000, rare); n > 1500 {
		t.Errorf("%d of 16000 queries are weighed, which gains two thirds of what it costs", n)
	}
	if each := time.Duration(w.each[query.Or].Load()); each < core*9/10 || each > core*11/10 {
		t.Errorf("a query takes %v on average, not %v", each, core)
	}
	if each := time.Duration(w.each[query.And].Load()); each != firstEach {
		t.Errorf("a query of another mode takes %v", each)
	}
	if n := weighedOf(query.And, 1000, often); n != 1000 {
		t.Errorf("%d of 1000 queries of another mode are weighed", n)
	}
	if n := weighedOf(query.Or, 1000, often); n < 800 {
		t.Errorf("%d of 1000 queries are weighed that gain much", n)
	}
	if !w.most[query.And].Load() || w.most[query.AndOr].Load() {
		t.Errorf("most queries are the GPU's: %v and %v", w.most[query.And].Load(), w.most[query.AndOr].Load())
	}
	for range weighTimes {
		w.count(query.And, 0)
	}
	if w.most[query.And].Load() {
		t.Error("most queries are the GPU's, though the last were not")
	}
	if each := time.Duration(w.each[query.And].Load()); each > core/10 {
		t.Errorf("a query takes %v on average, though all were the GPU's", each)
	}
}

// TestCorrect lets cores take other times than the Model says: predictions follow those of long queries, but not of
// the few that a stop of the host makes slow, and they return while cores get no queries.
func TestCorrect(t *testing.T) {
	var w weighing
	w.init()
	rng := rand.New(rand.NewPCG(61, 62))
	answer := func(n int, typical, spread float64) {
		for range n {
			model := time.Duration(20+rng.IntN(100)) * micro
			w.answered(query.Or, model, time.Duration(float64(model)*typical*math.Exp2(spread*rng.NormFloat64())))
		}
	}
	check := func(when string, want float64) {
		t.Helper()
		if got := float64(w.correct(query.Or, 1000*micro)) / float64(1000*micro); got < 0.8*want || got > 1.25*want {
			t.Errorf("%s: predictions are multiplied by %v, not %v", when, got, want)
		}
		if got := w.correct(query.And, 1000*micro); got != 1000*micro {
			t.Errorf("%s: %v for a mode that is right", when, got)
		}
	}
	check("at first", 1)
	w.each[query.Or].Store(int64(100 * micro))
	for range 1000 { // on cold caches
		w.answered(query.Or, 5*micro, 20*micro)
		w.answered(query.Or, 200*micro, 205*micro)
	}
	check("short queries take 15 us longer", 1)
	w.each[query.Or].Store(int64(70 * micro))
	answer(2000, 1, 0.5)
	answer(8, 300, 0)
	check("after a stop", 1)
	answer(2000, 0.5, 0.5)
	check("a Model that says twice as much", 0.5)
	answer(2000, 8, 0.5)
	check("a Model that says an eighth", 8)
	for range 30_000 {
		w.count(query.Or, time.Millisecond)
	}
	check("after many queries of the GPU", 1)
	answer(2000, 0.1, 0)
	for range 30_000 {
		w.count(query.Or, time.Millisecond)
	}
	check("after many others", 1)
}

// TestFarOffCores answers queries on cores by a Model that says far too little for these: predictions follow.
func TestFarOffCores(t *testing.T) {
	s, qs, _ := answeredQueries(t, 1000, 23)
	cost := Cost{CPU: 100, GPU: micro}
	m := constantModel(t, 400, map[query.Mode]Cost{query.And: cost, query.Or: cost, query.AndOr: cost})
	x := newHybridOn(t, manyCores, s, instantly{s}, Options{Model: m})
	q, infos := query.Query{K: 10, RawTerms: [][]byte{[]byte("w1"), []byte("w2")}}, []*query.TermInfo(nil)
	predicted := func() (least time.Duration) { // of the modes
		for q.Mode = range query.Mode(3) {
			c, err := x.predict(x.gpu.Load(), &q, &infos)
			if err != nil {
				t.Fatal(err)
			}
			if q.Mode == 0 || c.CPU < least {
				least = c.CPU
			}
		}
		return least
	}
	if p := predicted(); p > cost.CPU*5/4 {
		t.Fatalf("at first a core is predicted to take %v", p)
	}
	for range 16 { // one query in weighSome is weighed
		for i := range qs {
			if _, err := x.Search(t.Context(), qs[i]); err != nil {
				t.Fatal(err)
			}
		}
		if predicted() >= 2*cost.CPU {
			return
		}
	}
	t.Errorf("a core is predicted to take %v; %+v", predicted(), x.Stats())
}

// instantly is a GPU that answers at once, though what it says is wrong.
type instantly struct{ query.Executor }

func (instantly) Execute(_ context.Context, queries []query.Query) ([]query.Result, error) {
	return make([]query.Result, len(queries)), nil
}
