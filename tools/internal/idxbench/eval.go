package idxbench

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/tools/internal/cli"
)

// Eval is what `idxbench eval` prints: means over the queries that are in both files.
type Eval struct {
	Run     string  `json:"run"`
	Queries int     `json:"queries"`
	Missing int     `json:"judged_queries_missing_in_run"`
	MAP     float64 `json:"map"`
	NDCG10  float64 `json:"ndcg_cut_10"`
	P30     float64 `json:"p_30"`
	Recall  float64 `json:"recall_1000"`
	MRR     float64 `json:"recip_rank"`
}

func evalCommand() *cobra.Command {
	var run, qrels string
	var complete bool
	cmd := &cobra.Command{
		Use:   "eval --run FILE --qrels FILE",
		Short: "Judge a run by relevance assessments",
		Long: `Print MAP, nDCG@10, P@30, recall@1000 and MRR of a run file, as trec_eval does:
documents in descending order of their scores, equal scores in descending order of
ids; ranks of the file are not used. Means are over the judged queries of the run,
with --complete over all judged queries.`,
		Example: `  idxquery --index cacm.idx --queries topics.tsv --k 1000 --run bm25.run
  idxbench eval --run bm25.run --qrels cacm.qrels
  idxbench eval --run bm25.run --qrels cacm.qrels --json`,
		Args: cli.Want(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case run == "":
				return cli.Usage("--run is missing")
			case qrels == "":
				return cli.Usage("--qrels is missing")
			}
			judged, err := readQrels(qrels)
			if err != nil {
				return err
			}
			ranked, err := readRun(run)
			if err != nil {
				return err
			}
			e := evaluate(judged, ranked, complete)
			if e.Run = run; e.Queries == 0 {
				return fmt.Errorf("no query is in both %s and %s", run, qrels)
			}
			return show(cmd, e)
		},
	}
	jsonFlag(cmd)
	cmd.Flags().StringVar(&run, "run", "", "run `FILE`: qid Q0 docid rank score tag (required)")
	cmd.Flags().StringVar(&qrels, "qrels", "", "assessments `FILE`: qid 0 docid relevance (required)")
	cmd.Flags().BoolVar(&complete, "complete", false, "count judged queries that the run lacks as failures")
	return cmd
}

// scored is a line of a run.
type scored struct {
	id    string
	score float64
}

// readFields calls f with the fields of each line of a file, which are those of want.
func readFields(path, want string, f func(fields []string) error) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	count := len(strings.Fields(want))
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, 1<<20)
	for line := 1; sc.Scan(); line++ {
		fields := strings.Fields(sc.Text())
		if len(fields) == 0 {
			continue
		}
		if len(fields) != count {
			return fmt.Errorf("%s:%d: the line has %d fields, not those of %q", path, line, len(fields), want)
		}
		if err := f(fields); err != nil {
			return fmt.Errorf("%s:%d: %w", path, line, err)
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readQrels returns the relevance of documents by query.
func readQrels(path string) (map[string]map[string]int, error) {
	all := map[string]map[string]int{}
	err := readFields(path, "qid 0 docid relevance", func(f []string) error {
		rel, err := strconv.Atoi(f[3])
		if err != nil {
			return fmt.Errorf("relevance %q is no integer", f[3])
		}
		if all[f[0]] == nil {
			all[f[0]] = map[string]int{}
		}
		if _, twice := all[f[0]][f[2]]; twice {
			return fmt.Errorf("document %s is judged twice for query %s", f[2], f[0])
		}
		all[f[0]][f[2]] = rel
		return nil
	})
	return all, err
}

// readRun returns the documents of a run by query, in trec_eval's order.
func readRun(path string) (map[string][]scored, error) {
	all, seen := map[string][]scored{}, map[[2]string]bool{}
	err := readFields(path, "qid Q0 docid rank score tag", func(f []string) error {
		score, err := strconv.ParseFloat(f[4], 64)
		if err != nil || math.IsNaN(score) {
			return fmt.Errorf("score %q is no number", f[4])
		}
		if key := [2]string{f[0], f[2]}; seen[key] {
			return fmt.Errorf("document %s comes twice for query %s", f[2], f[0])
		} else {
			seen[key] = true
		}
		all[f[0]] = append(all[f[0]], scored{f[2], score})
		return nil
	})
	for _, docs := range all {
		slices.SortFunc(docs, func(a, b scored) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id))
		})
	}
	return all, err
}

// evaluate returns the mean measures.
func evaluate(judged map[string]map[string]int, ranked map[string][]scored, complete bool) *Eval {
	e := &Eval{}
	for qid, rel := range judged {
		docs, ok := ranked[qid]
		if !ok {
			e.Missing++
			if !complete {
				continue
			}
		}
		e.Queries++
		e.add(rel, docs)
	}
	if n := float64(e.Queries); n > 0 {
		for _, v := range []*float64{&e.MAP, &e.NDCG10, &e.P30, &e.Recall, &e.MRR} {
			*v /= n
		}
	}
	return e
}

// add adds the measures of one query.
func (e *Eval) add(rel map[string]int, docs []scored) {
	relevant := 0
	var ideal []int
	for _, r := range rel {
		if r > 0 {
			relevant++
			ideal = append(ideal, r)
		}
	}
	if relevant == 0 {
		return
	}
	slices.SortFunc(ideal, func(a, b int) int { return b - a })
	best, gain, found, sum := 0.0, 0.0, 0, 0.0
	for i, r := range ideal[:min(10, len(ideal))] {
		best += float64(r) / math.Log2(float64(i)+2)
	}
	for i, d := range docs {
		r := rel[d.id]
		if r <= 0 {
			continue
		}
		found++
		sum += float64(found) / float64(i+1)
		if found == 1 {
			e.MRR += 1 / float64(i+1)
		}
		if i < 10 {
			gain += float64(r) / math.Log2(float64(i)+2)
		}
		if i < 30 {
			e.P30 += 1.0 / 30
		}
		if i < 1000 {
			e.Recall += 1 / float64(relevant)
		}
	}
	e.MAP += sum / float64(relevant)
	e.NDCG10 += gain / best
}

func (e *Eval) text(w io.Writer) {
	t := cli.NewTable("", ">")
	t.Row("queries", e.Queries)
	if e.Missing > 0 {
		t.Row("judged queries missing in the run", e.Missing)
	}
	for _, m := range []struct {
		name  string
		value float64
	}{{"MAP", e.MAP}, {"nDCG@10", e.NDCG10}, {"P@30", e.P30}, {"recall@1000", e.Recall}, {"MRR", e.MRR}} {
		t.Row(m.name, strconv.FormatFloat(m.value, 'f', 4, 64))
	}
	t.WriteTo(w)
}
