package idxbench

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestEval compares with values worked out by hand from the definitions of trec_eval 9.0.
func TestEval(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	qrels := write("qrels", "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 x 1\n3 0 y 0\n4 0 z 1\n")
	// Query 1 ranks d (a tie: d after c in ids, so first), c, b, a. Ranks are not used.
	run := write("run", "1 Q0 c 1 2.0 t\n1 Q0 d 9 2.0 t\n1 Q0 b 3 1.5 t\n1 Q0 a 4 1 t\n2 Q0 x 1 7 t\n3 Q0 y 1 1 t\n9 Q0 a 1 1 t\n")
	judged, err := readQrels(qrels)
	if err != nil {
		t.Fatal(err)
	}
	ranked, err := readRun(run)
	if err != nil {
		t.Fatal(err)
	}
	e := evaluate(judged, ranked, false)
	ndcg := (2/math.Log2(3) + 1/math.Log2(5)) / (2/math.Log2(2) + 1/math.Log2(3))
	for _, m := range []struct {
		name      string
		got, want float64
	}{
		{"queries", float64(e.Queries), 3}, {"missing", float64(e.Missing), 1},
		{"map", e.MAP, ((0.5+2.0/4)/2 + 1 + 0) / 3}, {"ndcg", e.NDCG10, (ndcg + 1 + 0) / 3},
		{"p30", e.P30, (2.0/30 + 1.0/30 + 0) / 3}, {"recall", e.Recall, 2.0 / 3}, {"mrr", e.MRR, (0.5 + 1 + 0) / 3},
		{"complete", evaluate(judged, ranked, true).Recall, 2.0 / 4},
	} {
		if math.Abs(m.got-m.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", m.name, m.got, m.want)
		}
	}
	for _, bad := range []string{"1 Q0 a 1 x t\n", "1 Q0 a 1 2\n", "1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n"} {
		if _, err := readRun(write("bad", bad)); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// TestEvalAsTrecEval compares with what trec_eval 9.0.8 prints for a run with
// many equal scores, a judged query without relevant documents, a judged query that the run
// lacks, and relevance levels from -1 to 3.
func TestEvalAsTrecEval(t *testing.T) {
	judged, err := readQrels(filepath.Join("testdata", "eval.qrels"))
	if err != nil {
		t.Fatal(err)
	}
	ranked, err := readRun(filepath.Join("testdata", "eval.run"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []Eval{
		{Queries: 4, MAP: 0.2190, MRR: 0.1875, P30: 0.2750, Recall: 0.6089, NDCG10: 0.0887},
		{Queries: 5, MAP: 0.1752, MRR: 0.1500, P30: 0.2200, Recall: 0.4871, NDCG10: 0.0710},
	} {
		got := evaluate(judged, ranked, want.Queries == 5) // 5 with trec_eval -c
		if got.Queries != want.Queries {
			t.Errorf("%d queries, want %d", got.Queries, want.Queries)
		}
		for _, m := range [][2]float64{{got.MAP, want.MAP}, {got.MRR, want.MRR}, {got.P30, want.P30}, {got.Recall, want.Recall}, {got.NDCG10, want.NDCG10}} {
			if math.Abs(m[0]-m[1]) > 0.5e-4 {
				t.Errorf("%d queries: %v, want %v", want.Queries, m[0], m[1])
			}
		}
	}
}
