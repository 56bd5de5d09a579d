package idxbench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/tools/idxquery"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Queries is what `idxbench query` and `idxbench intersect` print.
type Queries struct {
	Index   string     `json:"index"`
	Queries int        `json:"queries"`
	Repeats int        `json:"repeats"`
	K       int        `json:"k"`
	Rows    []QueryRow `json:"rows"`
}

// QueryRow is one mode and algorithm. Times are those of the fastest run of each
// query, in microseconds.
type QueryRow struct {
	Mode      string  `json:"mode"`
	Algorithm string  `json:"algorithm"`
	Mean      float64 `json:"mean_us"`
	P50       float64 `json:"p50_us"`
	P95       float64 `json:"p95_us"`
	P99       float64 `json:"p99_us"`
	Max       float64 `json:"max_us"`
	Hits      int     `json:"hits"`
	Answer    string  `json:"answer"` // hash of all docIDs and scores
	times     times
}

type queryFlags struct {
	index, queries string
	timesFile      string
	k, repeats     int
	dense, every   int
	modes          []string
	algos          []string
	params, own    query.Params // as the flags have them, and as queries do
}

func queryCommand() *cobra.Command {
	f := &queryFlags{params: query.DefaultParams()}
	cmd := &cobra.Command{
		Use:   "query --index DIR --queries FILE",
		Short: "Measure the time that queries take",
		Long: `Measure the time of each query, one after the other, with caches warm. The fastest of
the repeats counts. An algorithm is measured in those of the modes that it is for. It
is an error if algorithms give different answers.`,
		Example: `  idxbench query --index kjv.idx --queries topics.tsv
  idxbench query --index kjv.idx --queries topics.tsv --algo maxscore,bmw`,
		Args: cli.Want(),
		RunE: cli.Shows(f.runE),
	}
	f.register(cmd)
	cmd.Flags().StringSliceVar(&f.modes, "mode", []string{"and", "or"}, "modes, as `MODE,...`")
	cmd.Flags().StringSliceVar(&f.algos, "algo", []string{"auto"}, "algorithms, as `NAME,...`, or all")
	var algos []string
	for _, a := range search.Algorithms() {
		algos = append(algos, a.String())
	}
	cli.CompleteList(cmd, "mode", []string{query.ModeOr.String(), query.ModeAnd.String(), query.ModeAndOr.String()})
	cli.CompleteList(cmd, "algo", append(algos, "all"))
	return cmd
}

func intersectCommand() *cobra.Command {
	f := &queryFlags{params: query.DefaultParams(), modes: []string{"and"}, algos: []string{"all"}}
	cmd := &cobra.Command{
		Use:     "intersect --index DIR --queries FILE",
		Short:   "Measure the algorithms for conjunctions",
		Long:    "Measure idxbench query --mode and with every algorithm for conjunctions.",
		Args:    cli.Want(),
		RunE:    cli.Shows(f.runE),
		Example: "  idxbench intersect --index kjv.idx --queries topics.tsv\n  idxbench intersect --index kjv.idx --queries topics.tsv --k 1000",
	}
	f.register(cmd)
	return cmd
}

func (f *queryFlags) runE(cmd *cobra.Command, _ []string) (*Queries, error) {
	f.own = idxquery.GivenParams(cmd, f.params)
	return f.run(cmd.Context(), cmd.ErrOrStderr())
}

func (f *queryFlags) register(cmd *cobra.Command) {
	cli.JSONFlag(cmd.Flags())
	fl := cmd.Flags()
	fl.StringVar(&f.index, "index", "", "index `DIR` (required)")
	fl.StringVar(&f.queries, "queries", "", cli.QueriesUsage+" (required)")
	cli.Int(fl, &f.k, "k", 10, 1, cli.Any, "how many documents are wanted")
	cli.Int(fl, &f.dense, "dense-bytes", search.DefaultDenseBytes, 0, cli.Any, "keep long lists in at most `N` bytes a document")
	cli.Int(fl, &f.every, "filter", 1, 1, cli.Any, "let only every `N`-th document be a hit")
	cli.Int(fl, &f.repeats, "repeat", 3, 1, cli.Any, "run each query `N` times")
	cli.Output(fl, &f.timesFile, "times", "", "write `FILE`: mode, algorithm, number of the query from 0, its nanoseconds, between tabs")
	paramFlags(fl, &f.params)
}

// paramFlags adds the parameters of BM25.
func paramFlags(fl *pflag.FlagSet, p *query.Params) {
	fl.Float64Var(&p.K1, "k1", p.K1, "BM25's k1")
	fl.Float64Var(&p.B, "b", p.B, "BM25's b")
}

// plan returns the modes, and for each those of the algorithms that are for it.
func (f *queryFlags) plan() (modes []query.Mode, algos map[query.Mode][]search.Algorithm, err error) {
	for _, name := range f.modes {
		var m query.Mode
		if err := m.UnmarshalText([]byte(name)); err != nil {
			return nil, nil, cli.Usage("%w", err)
		}
		modes = append(modes, m)
	}
	algos = map[query.Mode][]search.Algorithm{}
	for _, name := range f.algos {
		if name == "all" {
			for _, m := range modes {
				algos[m] = append(algos[m], f.allFor(m)...)
			}
			continue
		}
		var a search.Algorithm
		if err := a.UnmarshalText([]byte(name)); err != nil {
			return nil, nil, cli.Usage("%w", err)
		}
		if a == search.FilterFirst && f.every == 1 {
			return nil, nil, errUnfiltered
		}
		fits := false
		for _, m := range modes {
			if err = idxquery.CheckAlgorithm(name, m.String()); err == nil {
				fits = true
				algos[m] = append(algos[m], a)
			}
		}
		if !fits && err != nil {
			return nil, nil, err
		}
	}
	return modes, algos, nil
}

// errUnfiltered is the error for an algorithm that would be auto.
var errUnfiltered = cli.Usage("--algo %v is for queries with a filter", search.FilterFirst)

// allFor returns all algorithms for a mode.
func (f *queryFlags) allFor(m query.Mode) (all []search.Algorithm) {
	for _, a := range search.Algorithms() {
		switch {
		case a == search.FilterFirst && f.every == 1:
		case a == search.Auto, a == search.FilterFirst, m == query.ModeAndOr, a.Conjunctive() == (m == query.ModeAnd):
			all = append(all, a)
		}
	}
	return all
}

func (f *queryFlags) run(ctx context.Context, stderr io.Writer) (out *Queries, err error) {
	switch {
	case f.index == "":
		return nil, cli.Usage("--index is missing")
	case f.queries == "":
		return nil, cli.Usage("--queries is missing")
	case f.own.Check() != nil:
		return nil, cli.Usage("%w", f.own.Check())
	}
	modes, algos, err := f.plan()
	if err != nil {
		return nil, err
	}
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	s, end, err := cli.Snapshot(f.index)
	if err != nil {
		return nil, err
	}
	defer end()
	searcher, err := search.NewSearcher(s, search.Options{Params: f.own, DenseBytes: denseBytes(f.dense)})
	if err != nil {
		return nil, cli.Opening(err)
	}
	defer searcher.Close()
	log, err := readQueries(f.queries, s)
	if err != nil {
		return nil, err
	}
	out = &Queries{Index: f.index, Queries: len(log), Repeats: f.repeats, K: f.k}
	total := int64(0)
	for _, m := range modes {
		total += int64(len(algos[m]) * len(log) * f.repeats)
	}
	p := cli.NewProgress(stderr, "query", total, cli.ItemRate("queries"))
	defer p.Stop()
	done := int64(0)
	filter := f.filter(s.Stats().Docs)
	for _, m := range modes {
		for _, a := range algos[m] {
			r, err := f.measure(ctx, searcher, filter, log, m, a)
			if err != nil {
				return nil, err
			}
			out.Rows = append(out.Rows, r)
			done += int64(len(log) * f.repeats)
			p.Set(done)
		}
	}
	if err := f.writeTimes(out.Rows); err != nil {
		return nil, err
	}
	return out, out.check()
}

// writeTimes writes the time of every query to the file of --times, if any.
func (f *queryFlags) writeTimes(rows []QueryRow) error {
	if f.timesFile == "" {
		return nil
	}
	return cli.WriteFile(f.timesFile, false, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		for _, r := range rows {
			for i, t := range r.times {
				fmt.Fprintf(b, "%s\t%s\t%d\t%d\n", r.Mode, r.Algorithm, i, t.Nanoseconds())
			}
		}
		return b.Flush()
	})
}

// question is a query of a log: its terms, or its text if the index has a schema, all of whose fields of text it
// searches.
type question struct {
	terms [][]byte
	text  string
}

// ask returns q as a query.
func (q *question) ask(m query.Mode, k int) search.Query {
	return search.Query{Text: q.text, RawTerms: q.terms, Mode: m, K: k}
}

// empty reports whether q has no terms, as far as that is known.
func (q *question) empty() bool { return len(q.terms) == 0 && q.text == "" }

// name returns what the log has of a query, for errors.
func name(q *search.Query) string {
	if q.Text != "" {
		return q.Text
	}
	return string(bytes.Join(q.RawTerms, []byte(" ")))
}

// readQueries reads the queries of a file, and cuts them into terms if they are of its only field.
func readQueries(path string, s *reader.Snapshot) ([]question, error) {
	src, _, err := exchange.OpenQueries(path, exchange.QueriesAuto)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	cut := func(text []byte) question { return question{text: string(text)} }
	if of := s.Schema(); of.IsImplicit() && !cli.HasParts(s) {
		a, err := analysis.New(of.Fields[0].Analysis())
		if err != nil {
			return nil, err
		}
		tokenizer := a.Tokenizer()
		cut = func(text []byte) question { return question{terms: analysis.Terms(tokenizer, text)} }
	}
	var out []question
	for {
		d, err := src.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, cut(d.Contents))
	}
}

// denseBytes returns n as search.Options has it, where 0 means the default.
func denseBytes(n int) int {
	if n <= 0 {
		return -1
	}
	return n
}

// filter returns every f.every-th of docs documents, nil for all of them.
func (f *queryFlags) filter(docs uint64) *docset.Global {
	if f.every == 1 {
		return nil
	}
	var some []uint32
	for d := uint64(0); d < docs; d += uint64(f.every) {
		some = append(some, uint32(d))
	}
	return docset.GlobalOf(some...)
}

func (f *queryFlags) measure(ctx context.Context, s *search.Searcher, filter *docset.Global, log []question, m query.Mode, a search.Algorithm) (QueryRow, error) {
	r := QueryRow{Mode: m.String(), Algorithm: a.String(), times: make(times, len(log))}
	h := fnv.New64a()
	var hits []search.Hit
	var err error
	for rep := range f.repeats {
		for i := range log {
			q := log[i].ask(m, f.k)
			q.Algorithm, q.Filter = a, filter
			start := time.Now()
			hits, err = s.AppendHits(ctx, hits[:0], &q)
			took := time.Since(start)
			if err != nil {
				return r, err
			}
			if rep == 0 || took < r.times[i] {
				r.times[i] = took
			}
			if rep > 0 {
				continue
			}
			r.Hits += len(hits)
			for _, x := range hits {
				fmt.Fprintf(h, "%d %d %d\n", i, x.Doc, math.Float32bits(x.Score))
			}
		}
	}
	r.Answer = fmt.Sprintf("%016x", h.Sum64())
	sorted := slices.Clone(r.times)
	sorted.sort()
	f64 := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
	r.Mean, r.P50, r.P95, r.P99, r.Max = f64(sorted.mean()), f64(sorted.at(0.5)), f64(sorted.at(0.95)), f64(sorted.at(0.99)), f64(sorted.at(1))
	return r, nil
}

// check compares the answers of the algorithms.
func (q *Queries) check() error {
	first := map[string]QueryRow{}
	for _, r := range q.Rows {
		f, ok := first[r.Mode]
		if !ok {
			first[r.Mode] = r
		} else if f.Answer != r.Answer {
			return fmt.Errorf("mode %s: algorithms %s and %s give different answers", r.Mode, f.Algorithm, r.Algorithm)
		}
	}
	return nil
}

func (q *Queries) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, top %d, fastest of %s each, in microseconds\n\n", q.Index, cli.Number(q.Queries, "query"), q.K, cli.Number(q.Repeats, "run"))
	t := cli.NewTable("mode", "algorithm", ">mean", ">p50", ">p95", ">p99", ">max", ">hits")
	for _, r := range q.Rows {
		t.Row(r.Mode, r.Algorithm, cli.Float(r.Mean, 3), cli.Float(r.P50, 3), cli.Float(r.P95, 3), cli.Float(r.P99, 3), cli.Float(r.Max, 3), r.Hits)
	}
	t.WriteTo(w)
}
