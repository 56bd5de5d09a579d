package eval_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/eval"
)

// near reports whether two values are the same but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// TestByHand compares with values worked out by hand. The ranking is d c u b n a: d is not
// judged, u is in the pool and not judged, n is judged not relevant, as is z, which is not
// found; c has the gain 2, b and a have 1, and e, not found, has 3.
func TestByHand(t *testing.T) {
	judgments := map[string]int{"a": 1, "b": 1, "c": 2, "e": 3, "n": 0, "z": 0, "u": -1}
	ranking := []eval.Doc{{"d", 6}, {"c", 5}, {"u", 4}, {"b", 3}, {"n", 2}, {"a", 1}}
	log := math.Log2
	dcg3 := 2 / log(3)
	ideal3 := 3/log(2) + 2/log(3) + 1/log(4)
	ideal := ideal3 + 1/log(5)
	for name, want := range map[string]float64{
		"P_1": 0, "P_2": 1.0 / 2, "P_5": 2.0 / 5, "P_10": 3.0 / 10,
		"recall_1": 0, "recall_4": 2.0 / 4, "recall_1000": 3.0 / 4,
		"success_1": 0, "success_2": 1, "success_10": 1,
		"map":       (1.0/2 + 2.0/4 + 3.0/6) / 4,
		"map_cut_4": (1.0/2 + 2.0/4) / 4,
		"map_cut_1": 0, "map_cut_100": (1.0/2 + 2.0/4 + 3.0/6) / 4,
		"recip_rank": 1.0 / 2, "recip_rank_1": 0, "recip_rank_2": 1.0 / 2,
		"ndcg":        (2/log(3) + 1/log(5) + 1/log(7)) / ideal,
		"ndcg_cut_3":  dcg3 / ideal3,
		"ndcg_cut_5":  (dcg3 + 1/log(5)) / ideal,
		"ndcg_cut_20": (dcg3 + 1/log(5) + 1/log(7)) / ideal,
		"Rprec":       2.0 / 4,
		"bpref":       (1 + 1 + (1 - 1.0/2)) / 4, // one of two documents judged not relevant precedes a
		"judged_1":    0, "judged_2": 1.0 / 2, "judged_6": 4.0 / 6, "judged_10": 4.0 / 10,
	} {
		var m eval.Measure
		if err := m.UnmarshalText([]byte(name)); err != nil {
			t.Fatal(err)
		}
		if got := m.Of(ranking, judgments); !near(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestNothingRelevant: without relevant documents every measure is 0, but for judged_K.
func TestNothingRelevant(t *testing.T) {
	for _, name := range eval.Names() {
		var m eval.Measure
		if err := m.UnmarshalText([]byte(strings.Replace(name, "_K", "_4", 1))); err != nil {
			t.Fatal(err)
		}
		want := 0.0
		if m == eval.Judged(4) {
			want = 0.25
		}
		if got := m.Of([]eval.Doc{{"x", 2}, {"y", 1}}, map[string]int{"x": 0, "y": -1}); got != want {
			t.Errorf("%s: %v, want %v", m, got, want)
		}
		if got := m.Of(nil, map[string]int{"x": 1}); got != 0 {
			t.Errorf("%s of nothing: %v", m, got)
		}
	}
}

func TestParseMeasure(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"map", "map"}, {"MAP", "map"}, {"AP@100", "map_cut_100"}, {"map_cut_100", "map_cut_100"}, {"map_cut.100", "map_cut_100"},
		{"P@10", "P_10"}, {"P.10", "P_10"}, {"p_10", "P_10"}, {"R@1000", "recall_1000"}, {"recall.5", "recall_5"},
		{"nDCG@10", "ndcg_cut_10"}, {"ndcg_cut_10", "ndcg_cut_10"}, {"nDCG", "ndcg"},
		{"MRR", "recip_rank"}, {"MRR@10", "recip_rank_10"}, {"recip_rank", "recip_rank"},
		{"rprec", "Rprec"}, {"BPREF", "bpref"}, {"Judged@10", "judged_10"}, {"success_5", "success_5"},
	} {
		var m eval.Measure
		err := m.UnmarshalText([]byte(test.name))
		if err != nil || m.String() != test.want {
			t.Errorf("%s: %v, %v; want %s", test.name, m, err, test.want)
		}
	}
	for _, name := range []string{"", "P", "P@0", "P@-1", "P@+1", "P@x", "map_cut", "bpref_10", "Rprec@5", "err@20", "_10", "ndcg_cut"} {
		var m eval.Measure
		if err := m.UnmarshalText([]byte(name)); !errors.Is(err, eval.ErrInvalid) {
			t.Errorf("%q: %v, %v", name, m, err)
		}
	}
	if ms, err := eval.ParseMeasures("map, P@5,nDCG@10"); err != nil || len(ms) != 3 {
		t.Errorf("%v, %v", ms, err)
	}
	for _, names := range []string{"", "map,", "map,MAP"} {
		if _, err := eval.ParseMeasures(names); !errors.Is(err, eval.ErrInvalid) {
			t.Errorf("%q: %v", names, err)
		}
	}
}

// read reads a run and judgments of testdata.
func read(t *testing.T, name string) (eval.Run, eval.Qrels) {
	t.Helper()
	open := func(ext string) *os.File {
		f, err := os.Open("testdata/" + name + ext)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	run, err := eval.ReadRun(name+".run", open(".run"))
	if err != nil {
		t.Fatal(err)
	}
	qrels, err := eval.ReadQrels(name+".qrels", open(".qrels"))
	if err != nil {
		t.Fatal(err)
	}
	return run, qrels
}

// TestAsTrecEval compares with what trec_eval 10.0-rc3 prints, with -q and with -c, of a run
// with many equal scores, a judged query without relevant documents, a judged query
// that the run lacks, and judgments from -1 to 3.
func TestAsTrecEval(t *testing.T) {
	run, qrels := read(t, "eval")
	for file, o := range map[string]eval.Options{"trec_eval.txt": {}, "trec_eval_c.txt": {Complete: true}} {
		b, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			f := strings.Fields(line)
			want, err := strconv.ParseFloat(f[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			name, unj := strings.CutPrefix(f[0], "unj_")
			if unj {
				name, want = "judged_"+name, 1-want
			}
			if got := value(t, run, qrels, o, name, f[1]); math.Abs(got-want) > 0.5001e-4 {
				t.Errorf("%s: %s of query %s: %v, want %v", file, name, f[1], got, want)
			}
		}
	}
}

// value returns a measure of a query, or the mean for "all".
func value(t *testing.T, run eval.Run, qrels eval.Qrels, o eval.Options, name, query string) float64 {
	t.Helper()
	var m eval.Measure
	if err := m.UnmarshalText([]byte(name)); err != nil {
		t.Fatal(err)
	}
	r, err := eval.Evaluate(run, qrels, []eval.Measure{m}, o)
	if err != nil {
		t.Fatal(err)
	}
	if query == "all" {
		return r.Means[0]
	}
	for _, q := range r.Queries {
		if q.ID == query {
			return q.Values[0]
		}
	}
	t.Fatalf("no query %s", query)
	return 0
}

func TestEvaluate(t *testing.T) {
	qrels := eval.Qrels{"10": {"a": 1}, "9": {"a": 1}, "8": {"b": 1}}
	run := eval.Run{"10": {{"x", 1}, {"a", 2}}, "9": {{"a", 1}, {"b", 1}}, "7": {{"a", 1}}}
	ms := []eval.Measure{eval.ReciprocalRank(0), eval.Precision(1)}
	r, err := eval.Evaluate(run, qrels, ms, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Of query 9, b comes first: ids descend where scores are equal.
	if got, want := fmt.Sprint(*r), "{[recip_rank P_1] [{9 [0.5 0]} {10 [1 1]}] [0.75 0.5] [8] [7]}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if r, err = eval.Evaluate(run, qrels, ms, eval.Options{Complete: true}); err != nil || !near(r.Means[0], 0.5) || len(r.Queries) != 3 {
		t.Errorf("complete: %v, %v", r, err)
	}
	if run["10"][0].ID != "x" {
		t.Error("the run was changed")
	}
	run["9"] = append(run["9"], eval.Doc{ID: "a", Score: 0})
	if _, err := eval.Evaluate(run, qrels, ms, eval.Options{}); !errors.Is(err, eval.ErrInvalid) {
		t.Errorf("a document twice: %v", err)
	}
	for _, m := range []eval.Measure{{}, eval.Precision(0), eval.Judged(0), eval.Recall(-1), eval.NDCG(-1)} {
		if _, err := eval.Evaluate(run, qrels, []eval.Measure{m}, eval.Options{}); !errors.Is(err, eval.ErrInvalid) || m.Of(nil, nil) != 0 {
			t.Errorf("%v: %v", m, err)
		}
	}
	if r, err := eval.Evaluate(nil, nil, ms, eval.Options{}); err != nil || !math.IsNaN(r.Means[0]) {
		t.Errorf("nothing: %v, %v", r, err)
	}
}

// TestBounds: measures are within 0 and 1, and 1 for the best ranking of at least K relevant
// documents.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		judgments, run := map[string]int{}, []eval.Doc{}
		for i := range rapid.IntRange(1, 12).Draw(t, "docs") {
			id := string(rune('a' + i))
			if rapid.Bool().Draw(t, "judged") {
				judgments[id] = rapid.IntRange(-1, 3).Draw(t, "relevance")
			}
			run = append(run, eval.Doc{ID: id, Score: float64(rapid.IntRange(0, 3).Draw(t, "score"))})
		}
		relevant := 0
		best := make([]eval.Doc, len(run))
		for i, d := range run {
			best[i] = eval.Doc{ID: d.ID, Score: float64(judgments[d.ID])}
			if judgments[d.ID] > 0 {
				relevant++
			}
		}
		eval.Sort(run)
		eval.Sort(best)
		k := rapid.IntRange(1, 12).Draw(t, "k")
		for _, name := range eval.Names() {
			var m eval.Measure
			if err := m.UnmarshalText([]byte(strings.Replace(name, "_K", fmt.Sprintf("_%d", k), 1))); err != nil {
				t.Fatal(err)
			}
			if v := m.Of(run, judgments); v < 0 || v > 1+1e-12 {
				t.Fatalf("%s is %v", m, v)
			}
			short := (m == eval.Recall(k) || m == eval.AveragePrecision(k)) && k < relevant || m == eval.Precision(k) && k > relevant
			if v := m.Of(best, judgments); relevant > 0 && !short && m != eval.Judged(k) && !near(v, 1) {
				t.Fatalf("%s of the best ranking is %v", m, v)
			}
		}
	})
}
