package idxbench

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/synth"
)

// Vectors is what `idxbench vectors` prints.
type Vectors struct {
	Index     string  `json:"index"`
	Documents int     `json:"documents"`
	Postings  uint64  `json:"postings"`
	Segments  int     `json:"segments"`
	Bytes     int64   `json:"index_bytes"`
	Seconds   float64 `json:"seconds"`
	PeakRSS   int64   `json:"peak_rss_bytes,omitempty"`
}

type vectorsFlags struct {
	madeFlags
	spec        synth.VectorSpec
	queries     string
	longQueries string
	count       int
}

func vectorsCommand() *cobra.Command {
	f := &vectorsFlags{spec: synth.DefaultVectors}
	cmd := &cobra.Command{
		Use:   "vectors --out DIR",
		Short: "Make an index of synthetic sparse vectors, and weighted queries",
		Long: `Make an index of a synthetic collection of sparse vectors, as learned encoders make
them of documents: a field of impacts with the name vector, and tenant, a column of
integers from 0 to 9. Lists have lengths by Zipf's law, the longest 30 % of the
documents; every second one comes in runs of documents. Weights are geometric, from
1 to 255. The same flags give the same postings, in any number of segments.

Queries are lines of JSON with an id and a vector: 20 to 45 terms with weights. Their
lists sum to 1.21 times the documents, those of --long-queries to 2.65 times.`,
		Example: `  idxbench vectors --out a.idx --queries short.jsonl --long-queries long.jsonl
  idxbench vectors --out sixteenth.idx --docs 552614 --queries short.jsonl`,
		Args: cli.Want(),
		RunE: cli.Shows(func(cmd *cobra.Command, _ []string) (*Vectors, error) { return f.run(cmd.Context(), cmd.ErrOrStderr()) }),
	}
	cli.JSONFlag(cmd.Flags())
	fl := cmd.Flags()
	f.outFlag(fl)
	cli.Int(fl, &f.spec.Docs, "docs", f.spec.Docs, 1, cli.Any, "number of documents")
	cli.Int(fl, &f.spec.Terms, "terms", f.spec.Terms, 1, cli.Any, "number of distinct terms")
	fl.Float64Var(&f.spec.Postings, "postings", f.spec.Postings, "mean number of terms of a document")
	fl.Uint64Var(&f.spec.Seed, "seed", f.spec.Seed, "another `N` gives another collection of the same kind")
	f.otherFlags(fl)
	cli.Output(fl, &f.queries, "queries", "", "write queries to `FILE`")
	cli.Output(fl, &f.longQueries, "long-queries", "", "write queries over long lists to `FILE`")
	cli.Int(fl, &f.count, "query-count", synth.ShortVectors.Queries, 1, cli.Any, "how many queries to write")
	return cmd
}

func (f *vectorsFlags) run(ctx context.Context, stderr io.Writer) (*Vectors, error) {
	if err := f.check(f.spec.Check()); err != nil {
		return nil, err
	}
	start := time.Now()
	v, err := synth.NewVectors(f.spec)
	if err != nil {
		return nil, err
	}
	for path, spec := range map[string]synth.VectorQueries{f.queries: synth.ShortVectors, f.longQueries: synth.LongVectors} {
		if spec.Queries = f.count; path == "" {
			continue
		}
		write := func(w io.Writer) error { return synth.WriteVectorQueries(w, v.Queries(spec)) }
		if err := cli.WriteFile(path, false, write); err != nil {
			return nil, err
		}
	}
	if err := f.make(ctx, stderr, "vectors", v.Schema(), v.Parts(f.segments)); err != nil {
		return nil, err
	}
	r := &Vectors{Index: f.out, Documents: f.spec.Docs, Segments: f.segments, Seconds: time.Since(start).Seconds(), PeakRSS: peakRSS()}
	s, end, err := cli.Snapshot(f.out)
	if err != nil {
		return nil, err
	}
	defer end()
	r.Postings = s.Stats().Postings
	r.Bytes, err = f.size()
	return r, err
}

func (v *Vectors) Text(w io.Writer) {
	t := cli.NewTable("", "")
	t.Row("documents", v.Documents)
	t.Row("postings", v.Postings)
	madeRows(t, v.Bytes, v.Segments, v.PeakRSS, v.Seconds)
	t.WriteTo(w)
}
