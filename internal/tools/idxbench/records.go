package idxbench

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"iter"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/synth/records"
	"github.com/pinion-index/pinion/schema"
)

// Records is what `idxbench records` prints.
type Records struct {
	Kind    string  `json:"kind"`
	Records int     `json:"records"`
	Queries int     `json:"queries"`
	Bytes   int64   `json:"bytes"`
	Seconds float64 `json:"seconds"`
}

type recordsFlags struct {
	kind    string
	out     string
	count   int
	seed    uint64
	queries string
	asked   int
	schema  string
}

// A recordKind is one that can be made.
type recordKind struct {
	count   int // by default
	schema  func() *schema.Schema
	records func(count int, seed uint64) iter.Seq[any]
	queries func(count int, seed uint64, queries int) iter.Seq[any]
}

var recordKinds = map[string]recordKind{
	"logs": {2_000_000, records.LogSchema,
		func(n int, seed uint64) iter.Seq[any] { return boxed(records.Logs{Lines: n, Seed: seed}.All()) },
		func(n int, seed uint64, q int) iter.Seq[any] {
			return each(records.Logs{Lines: n, Seed: seed}.Queries(q))
		}},
	"shop": {200_000, records.ShopSchema,
		func(n int, seed uint64) iter.Seq[any] { return boxed(records.Shop{Products: n, Seed: seed}.All()) },
		func(n int, seed uint64, q int) iter.Seq[any] {
			return each(records.Shop{Products: n, Seed: seed}.Queries(q))
		}},
}

func boxed[T any](seq iter.Seq[T]) iter.Seq[any] {
	return func(yield func(any) bool) {
		for v := range seq {
			if !yield(v) {
				return
			}
		}
	}
}

func each[T any](list []T) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, v := range list {
			if !yield(v) {
				return
			}
		}
	}
}

func recordsCommand() *cobra.Command {
	f := &recordsFlags{}
	cmd := &cobra.Command{
		Use:   "records {logs|shop} --out FILE",
		Short: "Make records with values beside their words, and queries",
		Long: `Make records to measure filters, sorting, facets and retention with: lines of JSON,
with their schema and queries over them. The same flags give the same bytes.

logs  lines of a log: times that ascend, 300 ms apart on average and closer in
      bursts of errors of one service; level, service, host, tenant; a message.
      A query has 1 % of the time, a level and words.
shop  products in no order: title, brand, category, colors, price, rating, pieces
      sold, when added. A query has a range of prices and words.`,
		Example: `  idxbench records logs --out logs.jsonl --schema logs.json --queries lq.jsonl
  idxbuild --out logs.idx --schema logs.json logs.jsonl
  idxbench records shop --out shop.jsonl --count 10000 --seed 7`,
		Args: cli.Want("{logs|shop}"),
		RunE: cli.Shows(func(cmd *cobra.Command, args []string) (*Records, error) {
			f.kind = args[0]
			return f.run(cmd.Context())
		}),
	}
	cli.TextArgs(cmd)
	cmd.ValidArgs = []string{"logs", "shop"}
	cli.JSONFlag(cmd.Flags())
	fl := cmd.Flags()
	cli.Output(fl, &f.out, "out", "", "write records to `FILE` (required)")
	cli.Int(fl, &f.count, "count", 0, 0, cli.Any, "number of records; 0: 2,000,000 lines, 200,000 products")
	fl.Uint64Var(&f.seed, "seed", 1, "another `N` gives other records of the same kind")
	cli.Output(fl, &f.queries, "queries", "", "write queries to `FILE`")
	cli.Int(fl, &f.asked, "query-count", 200, 1, cli.Any, "how many queries to write")
	cli.Output(fl, &f.schema, "schema", "", "write the schema to `FILE`, for idxbuild")
	return cmd
}

func (f *recordsFlags) run(ctx context.Context) (*Records, error) {
	kind, ok := recordKinds[f.kind]
	switch {
	case !ok:
		return nil, cli.Usage("%q: there are logs and shop", f.kind)
	case f.out == "":
		return nil, cli.Usage("--out is missing")
	}
	start := time.Now()
	n := f.count
	if n == 0 {
		n = kind.count
	}
	r := &Records{Kind: f.kind, Records: n}
	if f.schema != "" {
		text, err := kind.schema().MarshalJSON()
		if err != nil {
			return nil, err
		}
		if err := cli.WriteFile(f.schema, false, func(w io.Writer) error { _, err := w.Write(append(text, '\n')); return err }); err != nil {
			return nil, err
		}
	}
	if f.queries != "" {
		r.Queries = f.asked
		if err := writeJSONL(ctx, f.queries, kind.queries(n, f.seed, f.asked)); err != nil {
			return nil, err
		}
	}
	if err := writeJSONL(ctx, f.out, kind.records(n, f.seed)); err != nil {
		return nil, err
	}
	if st, err := os.Stat(f.out); err == nil {
		r.Bytes = st.Size()
	}
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// writeJSONL writes a file with one value a line.
func writeJSONL(ctx context.Context, path string, values iter.Seq[any]) error {
	return cli.WriteFile(path, false, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<16)
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false)
		for v := range values {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := e.Encode(v); err != nil {
				return err
			}
		}
		return b.Flush()
	})
}

func (r *Records) Text(w io.Writer) {
	t := cli.NewTable("", "")
	t.Row("records", r.Records)
	if r.Queries > 0 {
		t.Row("queries", r.Queries)
	}
	t.Row("size", cli.Bytes(r.Bytes))
	t.Row("time", cli.Seconds(time.Duration(r.Seconds*float64(time.Second))))
	t.WriteTo(w)
}
