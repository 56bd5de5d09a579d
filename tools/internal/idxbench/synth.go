package idxbench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/registry"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/synth"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
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
	spec        synth.Spec
	out         string
	segments    int
	threads     int
	memory      cli.ByteSize
	codec       string
	queries     string
	longQueries string
	count       int
}

func synthCommand() *cobra.Command {
	f := &synthFlags{spec: synth.DefaultSpec, memory: 512 << 20}
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := f.run(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return show(cmd, r)
		},
	}
	jsonFlag(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", "", "new index `DIR` (required)")
	cli.Int(fl, &f.spec.Docs, "docs", f.spec.Docs, 1, cli.Any, "number of documents")
	cli.Int(fl, &f.spec.Terms, "terms", f.spec.Terms, 1, cli.Any, "number of distinct terms, about")
	fl.Float64Var(&f.spec.Length, "length", f.spec.Length, "mean number of tokens of a document")
	cli.Int(fl, &f.spec.Topics, "topics", f.spec.Topics, 1, cli.Any, "number of topics")
	fl.Uint64Var(&f.spec.Seed, "seed", f.spec.Seed, "another `N` gives another collection of the same kind")
	cli.Int(fl, &f.segments, "segments", 1, 1, synth.Slabs, "write `N` segments, 1 to 16")
	cli.Threads(fl, &f.threads)
	fl.Var(&f.memory, "memory", "memory budget of the writer")
	fl.StringVar(&f.codec, "codec", "auto", "codec of docIDs and frequencies, by `NAME`; auto chooses for each list")
	cli.Output(fl, &f.queries, "queries", "", "write queries to `FILE`")
	cli.Output(fl, &f.longQueries, "long-queries", "", "write queries over long lists to `FILE`")
	cli.Int(fl, &f.count, "query-count", synth.DefaultQueries.Queries, 1, cli.Any, "how many queries to write")
	return cmd
}

func (f *synthFlags) check() error {
	switch {
	case f.out == "":
		return cli.Usage("--out is missing")
	case f.memory < writer.MinMemory:
		return cli.Usage("--memory is at least %s", cli.Bytes(int64(writer.MinMemory)))
	case f.codec != "auto" && f.named() == nil:
		return cli.Usage("--codec %s is not known", f.codec)
	}
	if err := f.spec.Check(); err != nil {
		return cli.Usage("%w", err)
	}
	if d, err := store.Open(f.out); err == nil {
		defer d.Close()
		if g, err := d.Generation(); err == nil && g > 0 {
			return fmt.Errorf("%s holds an index already", f.out)
		}
	}
	return nil
}

// named returns the codec of --codec, nil for auto.
func (f *synthFlags) named() codec.Codec {
	c, _ := registry.ByName(f.codec)
	return c
}

func (f *synthFlags) run(ctx context.Context, stderr io.Writer) (*Synth, error) {
	if err := f.check(); err != nil {
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
	fresh := cli.NewFresh(f.out)
	if err := f.write(ctx, stderr, c); err != nil {
		fresh.Undo()
		return nil, err
	}
	r := &Synth{Index: f.out, Documents: f.spec.Docs, Tokens: c.Tokens(), Segments: f.segments, Seconds: time.Since(start).Seconds(), PeakRSS: peakRSS()}
	files, err := filepath.Glob(filepath.Join(f.out, "segment-*"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		st, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		r.Bytes += st.Size()
	}
	return r, nil
}

// write writes the collection in as many segments as --segments says.
func (f *synthFlags) write(ctx context.Context, stderr io.Writer, c *synth.Collection) (err error) {
	named := f.named()
	w, err := writer.Open(ctx, f.out, writer.Options{Memory: int64(f.memory), Threads: f.threads, DocsCodec: named, FreqsCodec: named})
	if err != nil {
		return cli.Opening(err)
	}
	defer w.Close()
	parts := c.Parts(f.segments)
	p := cli.NewProgress(stderr, "synth", int64(len(parts))*1000, func(done int64, _ time.Duration) string {
		return fmt.Sprintf("segment %d of %d", min(done/1000+1, int64(len(parts))), len(parts))
	})
	defer p.Stop()
	for i, part := range parts {
		if part.Docs() == 0 {
			continue
		}
		in := part.Inverted(ctx, threads(f.threads), func(share float64) { p.Set(int64(1000 * (float64(i) + share))) })
		if err := w.AddInverted(ctx, in); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

func (s *Synth) text(w io.Writer) {
	t := cli.NewTable("", "")
	t.Row("documents", s.Documents)
	t.Row("tokens", s.Tokens)
	t.Row("index", fmt.Sprintf("%s in %s", cli.Bytes(s.Bytes), cli.Number(s.Segments, "segment")))
	if s.PeakRSS > 0 {
		t.Row("peak memory", cli.Bytes(s.PeakRSS))
	}
	t.Row("time", cli.Seconds(time.Duration(s.Seconds*float64(time.Second))))
	t.WriteTo(w)
}

// threads returns n, or one for each CPU if n is 0.
func threads(n int) int {
	if n == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}
