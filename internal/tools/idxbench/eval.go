package idxbench

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/eval"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
)

// Eval is what `idxbench eval` prints: means over queries, and with --per-query the
// values of each. Measures have the names that trec_eval prints.
type Eval struct {
	Run      string             `json:"run"`
	Qrels    string             `json:"qrels"`
	Queries  int                `json:"queries"`
	Missing  int                `json:"judged_queries_missing_in_run"`
	Unjudged int                `json:"queries_without_judgments"`
	Measures map[string]float64 `json:"measures"`
	PerQuery []QueryEval        `json:"per_query,omitempty"`
	result   *eval.Result
}

// QueryEval is one query of an Eval.
type QueryEval struct {
	QID      cli.Text           `json:"qid"`
	Measures map[string]float64 `json:"measures"`
}

// usualMeasures are those of idxbench eval without --measures.
const usualMeasures = "map,ndcg_cut_10,P_30,recall_1000,recip_rank"

type evalFlags struct {
	run, qrels, measures string
	complete, perQuery   bool
}

func evalCommand() *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval --run FILE --qrels FILE",
		Short: "Judge a run by relevance assessments",
		Long: `Print measures of a run, as trec_eval defines them: documents in descending order
of their scores, equal scores in descending order of ids; ranks of TREC's lines are not
used. Means are over the judged queries of the run, with --complete over all judged
queries.

Measures, K being a number: P_K, recall_K, success_K, map, map_cut_K, recip_rank,
recip_rank_K, ndcg, ndcg_cut_K, Rprec, bpref, judged_K. P@10, nDCG@10, MRR@10 and the
like are understood too.

A run has lines of qid Q0 docid rank score tag, as TREC's, or of qid docid rank, as MS
MARCO's. Assessments have lines of qid iteration docid relevance, as TREC's, or of query,
document and relevance, separated by tabs, below the line query-id corpus-id score, as
BEIR's. White space is that of ASCII. Files may be compressed.`,
		Example: `  idxquery cacm.idx --queries topics.tsv --k 1000 --run bm25.run
  idxbench eval --run bm25.run --qrels cacm.qrels
  idxbench eval --run bm25.run --qrels test.tsv --measures nDCG@10 --per-query
  idxquery cacm.idx --run - <q.tsv | idxbench eval --run - --qrels q.qrels`,
		Args: cli.Want(),
		RunE: cli.Shows(func(*cobra.Command, []string) (*Eval, error) { return f.evaluate() }),
	}
	cli.JSONFlag(cmd.Flags())
	cmd.Flags().StringVar(&f.run, "run", "", "run `FILE`, - for standard input (required)")
	cmd.Flags().StringVar(&f.qrels, "qrels", "", "assessments `FILE`, - for standard input (required)")
	cmd.Flags().StringVar(&f.measures, "measures", usualMeasures, "print the measures of `LIST`")
	cmd.Flags().BoolVar(&f.perQuery, "per-query", false, "print the values of each query, and then the means")
	cmd.Flags().BoolVar(&f.complete, "complete", false, "count judged queries that the run lacks as failures")
	return cmd
}

func (f *evalFlags) evaluate() (*Eval, error) {
	measures, err := eval.ParseMeasures(f.measures)
	switch {
	case f.run == "":
		return nil, cli.Usage("--run is missing")
	case f.qrels == "":
		return nil, cli.Usage("--qrels is missing")
	case f.run == exchange.Stdin && f.qrels == exchange.Stdin:
		return nil, cli.Usage("--run and --qrels cannot both be standard input")
	case err != nil:
		return nil, cli.Usage("--measures: %w", err)
	}
	qrels, err := readWith(f.qrels, eval.ReadQrels)
	if err != nil {
		return nil, err
	}
	run, err := readWith(f.run, eval.ReadRun)
	if err != nil {
		return nil, err
	}
	r, err := eval.Evaluate(run, qrels, measures, eval.Options{Complete: f.complete})
	if err != nil {
		return nil, err
	}
	if len(qrels) == len(r.Missing) {
		return nil, fmt.Errorf("no query is in both %s and %s", f.run, f.qrels)
	}
	return f.report(r), nil
}

// report returns what is printed.
func (f *evalFlags) report(r *eval.Result) *Eval {
	e := &Eval{Run: f.run, Qrels: f.qrels, Queries: len(r.Queries), Missing: len(r.Missing), Unjudged: len(r.Unjudged),
		Measures: byName(r.Measures, r.Means), result: r}
	if f.perQuery {
		for _, q := range r.Queries {
			e.PerQuery = append(e.PerQuery, QueryEval{cli.Text(q.ID), byName(r.Measures, q.Values)})
		}
	}
	return e
}

func byName(measures []eval.Measure, values []float64) map[string]float64 {
	m := map[string]float64{}
	for i, v := range values {
		m[measures[i].String()] = v
	}
	return m
}

// readWith reads the file at path, which may be compressed or standard input.
func readWith[T any](path string, read func(file string, r io.Reader) (T, error)) (all T, err error) {
	r, name, err := exchange.Open(path)
	if err != nil {
		return all, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return read(name, r)
}

func (e *Eval) Text(w io.Writer) {
	if len(e.PerQuery) > 0 {
		e.table(w)
	}
	t := cli.NewTable("", ">")
	t.Row("queries", e.Queries)
	if e.Missing > 0 {
		t.Row("judged queries missing in the run", e.Missing)
	}
	if e.Unjudged > 0 {
		t.Row("queries of the run without judgments", e.Unjudged)
	}
	for i, m := range e.result.Measures {
		t.Row(m.String(), value(e.result.Means[i]))
	}
	t.WriteTo(w)
}

// table prints the values of each query.
func (e *Eval) table(w io.Writer) {
	heads := []string{"qid"}
	for _, m := range e.result.Measures {
		heads = append(heads, ">"+m.String())
	}
	t := cli.NewTable(heads...)
	for _, q := range e.result.Queries {
		row := []any{cli.Quote(q.ID)}
		for _, v := range q.Values {
			row = append(row, value(v))
		}
		t.Row(row...)
	}
	t.WriteTo(w)
	fmt.Fprintln(w)
}

// value is a measure as trec_eval prints it.
func value(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
