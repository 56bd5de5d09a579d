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
