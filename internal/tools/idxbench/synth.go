package idxbench

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/synth"
)

// Synth is what `idxbench synth` prints.
type Synth struct {
	Index     string  `json:"index"`
	Documents int     `json:"documents"`
	Tokens    uint64  `json:"tokens"`
	Segments  int     `json:"segments"`
	Bytes     int64   `json:"index_bytes"`
	Seconds   float64 `json:"seconds"`
	PeakRSS   int64   `json:"peak_rss_bytes,omitempty"`
}

type synthFlags struct {
	madeFlags
	spec        synth.Spec
	queries     string
	longQueries string
	count       int
}

func synthCommand() *cobra.Command {
	f := &synthFlags{spec: synth.DefaultSpec}
	cmd := &cobra.Command{
		Use:   "synth --out DIR",
		Short: "Make an index of a synthetic collection, and queries",
		Long: `Make an index of a synthetic collection: posting lists with Zipf lengths over
documents of lognormal length, clustered by topics and in bursts. The same flags
give the same postings, in any number of segments. The terms of a query are mostly of
one topic; those of --long-queries have only long lists: each term is in 1 to
40 % of the documents.`,
		Example: `  idxbench synth --out big.idx --docs 5000000 --queries big.tsv
  idxbench synth --out parts.idx --docs 5000000 --segments 16`,
		Args: cli.Want(),
		RunE: cli.Shows(func(cmd *cobra.Command, _ []string) (*Synth, error) { return f.run(cmd.Context(), cmd.ErrOrStderr()) }),
	}
	cli.JSONFlag(cmd.Flags())
	fl := cmd.Flags()
	f.outFlag(fl)
	cli.Int(fl, &f.spec.Docs, "docs", f.spec.Docs, 1, cli.Any, "number of documents")
	cli.Int(fl, &f.spec.Terms, "terms", f.spec.Terms, 1, cli.Any, "number of distinct terms, about")
	fl.Float64Var(&f.spec.Length, "length", f.spec.Length, "mean number of tokens of a document")
	cli.Int(fl, &f.spec.Topics, "topics", f.spec.Topics, 1, cli.Any, "number of topics")
	fl.Uint64Var(&f.spec.Seed, "seed", f.spec.Seed, "another `N` gives another collection of the same kind")
	f.otherFlags(fl)
	cli.Output(fl, &f.queries, "queries", "", "write queries to `FILE`")
	cli.Output(fl, &f.longQueries, "long-queries", "", "write queries over long lists to `FILE`")
	cli.Int(fl, &f.count, "query-count", synth.DefaultQueries.Queries, 1, cli.Any, "how many queries to write")
	return cmd
}

func (f *synthFlags) run(ctx context.Context, stderr io.Writer) (*Synth, error) {
	if err := f.check(f.spec.Check()); err != nil {
		return nil, err
	}
	start := time.Now()
	c, err := synth.New(f.spec)
	if err != nil {
		return nil, err
	}
	for path, spec := range map[string]synth.QuerySpec{f.queries: synth.DefaultQueries, f.longQueries: synth.LongQueries} {
		if spec.Queries = f.count; path == "" {
			continue
		}
		write := func(w io.Writer) error { return synth.WriteQueries(w, c.Queries(spec)) }
		if err := cli.WriteFile(path, false, write); err != nil {
			return nil, err
		}
	}
	if err := f.make(ctx, stderr, "synth", nil, c.Parts(f.segments)); err != nil {
		return nil, err
	}
	r := &Synth{Index: f.out, Documents: f.spec.Docs, Tokens: c.Tokens(), Segments: f.segments, Seconds: time.Since(start).Seconds(), PeakRSS: peakRSS()}
	r.Bytes, err = f.size()
	return r, err
}

func (s *Synth) Text(w io.Writer) {
	t := cli.NewTable("", "")
	t.Row("documents", s.Documents)
	t.Row("tokens", s.Tokens)
	madeRows(t, s.Bytes, s.Segments, s.PeakRSS, s.Seconds)
	t.WriteTo(w)
}
