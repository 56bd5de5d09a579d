// Pinion-build builds an index in a bucket with Apache Beam.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx" // registers runners
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
	_ "github.com/pinion-index/pinion/scale/bucket/drivers"
	"github.com/pinion-index/pinion/scale/build/internal/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

func main() {
	if slices.ContainsFunc(os.Args[1:], func(arg string) bool { return arg == "--worker" || arg == "--worker=true" }) {
		flag.Parse()
		beam.Init() // works for a runner, and does not return
	}
	cli.Main(newFlags().command())
}

// flags are the command's flags.
type flags struct {
	options    build.Options
	out        string
	format     *cli.Choice
	fields     string
	keys       []string
	schemaFile string
	unknown    *cli.Choice
	onError    *cli.Choice
	memory     cli.ByteSize
	runner     *cli.Choice
	beam       []string
	verbose    bool
	json       bool
}

func newFlags() *flags {
	f := &flags{memory: build.DefaultMemory}
	var formats []string
	for _, x := range exchange.Formats() {
		if !x.Postings() && x != exchange.FormatTextDir {
			formats = append(formats, string(x))
		}
	}
	f.format = cli.NewChoice("FORMAT", formats...)
	f.unknown = cli.NewChoice("WHAT", string(exchange.UnknownIgnore), string(exchange.UnknownStore), string(exchange.UnknownRefuse))
	f.onError = cli.NewChoice("WHAT", "fail", "skip")
	f.runner = cli.NewChoice("NAME", "prism", "flink", "spark", "dataflow", "universal")
	return f
}

func (f *flags) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pinion-build --out URL [flags] INPUT...",
		Short: "Build an index in a bucket with Apache Beam",
		Long: `Pinion-build builds the index of the documents of every INPUT in the bucket of a URL,
where there must be none: s3://name/path, gs://name/path, azblob://name/path, or file:///path
for a directory of objects. Inputs are local paths or such URLs, in the formats that idxbuild
reads as documents, compressed or not. Each is read by one worker: give many files of equal
size.

Documents are divided into partitions by a hash of their ids. Each partition is written by one
worker; then partitions are joined to segments, and the index is there, all at once. The order
of documents is by partition, then as inputs are named. It does not depend on the workers.
A build that fails leaves no index; run it again. What it leaves besides, 'pinion-bucket sweep'
removes after a day once there is an index.

With --shards there is an index for each shard in a folder of its own, shard-0000 and so on,
for the nodes of a cluster.

The runner prism works in this process, and keeps all documents in memory. Others send the work
to a cluster; options of Beam and of the runner are given by --beam. All workers must reach the
inputs and the bucket.`,
		Example: `  pinion-build --out file:///srv/kjv --store-text testdata/kjv.jsonl.gz
  pinion-build --out s3://name/logs --field ts:time:column --field msg logs-*.jsonl.gz
  pinion-build --out gs://name/web --shards 10 --runner flink --beam endpoint=host:8099 \
    gs://name/web/00.jsonl.gz gs://name/web/01.jsonl.gz`,
		Args: cli.Want("INPUT..."),
		RunE: f.run,
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	o := &f.options
	fl.StringVar(&f.out, "out", "", "`URL` of the index (required)")
	fl.Var(f.format, "format", "format of the inputs: "+f.format.Words())
	cli.AnalyzerFlag(cmd, &o.Analyzer, "standard")
	fl.StringVar(&o.AnalyzerOptions, "analyzer-options", "", "its `OPTIONS` as KEY=VALUE,..., such as stop=none (docs/analyzers.md)")
	fl.StringVar(&o.Documents.Encoding, "encoding", "", "`NAME` of the encoding of inputs that do not say their own, such as windows-1252 (default: utf-8)")
	fl.StringVar(&f.fields, "map", "", "`FIELDS` of a document, as in id=url,contents=title+text (default: the usual ones)")
	fl.StringArrayVar(&f.keys, "field", nil, "a field, `KEY=NAME:TYPE:OPTION...`, of which NAME must be there; may be repeated")
	fl.StringVar(&f.schemaFile, "schema", "", "the fields: a `FILE` of JSON")
	fl.Var(f.unknown, "unknown", "what to do with keys that no field takes: "+f.unknown.Words())
	fl.BoolVar(&o.Documents.AutoID, "auto-id", false, "make ids up, as FILE:LINE, instead of reading them")
	fl.Var(f.onError, "on-error", "what to do with a bad document: fail|skip")
	fl.BoolVar(&o.Stored, "store-text", false, "keep the text of documents")
	cli.Int(fl, &o.Shards, "shards", 1, 1, build.MaxShards, "make `N` indexes, each of the documents that hash to it")
	cli.Int(fl, &o.Partitions, "partitions", build.DefaultPartitions, 1, build.MaxPartitions, "divide the documents of each shard into `N` parts, in this order")
	cli.Int(fl, &o.Segments, "segments", 1, 1, build.MaxPartitions, "join these to `N` segments")
	fl.Var(&f.memory, "memory", "memory budget of each worker")
	cli.Int(fl, &o.Workers, "workers", 0, 0, cli.MaxThreads, "at most `N` at the same time in a process (default: one for each CPU)")
	fl.StringVar(&o.Scratch, "scratch", "", "local `DIR` for temporary files")
	fl.Var(f.runner, "runner", "runner of Beam: "+f.runner.Words())
	fl.StringArrayVar(&f.beam, "beam", nil, "an option of Beam or of the runner, `NAME=VALUE`, such as endpoint=host:8099; may be repeated")
	fl.BoolVar(&f.verbose, "verbose", false, "show what Beam logs")
	fl.BoolVar(&f.json, "json", false, "print the report as JSON")
	return cmd
}

// report is what a run prints.
type report struct {
	Index   string  `json:"index"`
	Read    int64   `json:"read"`
	Skipped int64   `json:"skipped"`
	NotUTF8 int64   `json:"not_utf8"`
	Lost    int64   `json:"undecoded_characters"`
	Seconds float64 `json:"seconds"`
}

func (f *flags) run(cmd *cobra.Command, inputs []string) error {
	if err := f.check(); err != nil {
		return err
	}
	for _, option := range f.beam {
		name, value, _ := strings.Cut(option, "=")
		if err := flag.Set(name, value); err != nil {
			return cli.Usage("--beam %s: %w", option, err)
		}
	}
	beam.Init()
	if !f.verbose { // errors that count are returned
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
	start := time.Now()
	r, err := build.Run(cmd.Context(), f.runner.Value, f.out, inputs, f.options)
	switch {
	case errors.Is(err, build.ErrInvalid):
		err = cli.Usage("%w", err)
	case err != nil && !f.verbose:
		err = innermost(err)
	}
	if err != nil {
		return err
	}
	rep := report{f.out, r.Read, r.Skipped, r.NotUTF8, r.Undecoded, time.Since(start).Seconds()}
	if f.json {
		return cli.JSON(cmd.OutOrStdout(), rep)
	}
	skipped := ""
	if r.Skipped > 0 {
		skipped = fmt.Sprintf(", %d skipped", r.Skipped)
	}
	if r.NotUTF8 > 0 {
		skipped += fmt.Sprintf(", %s not UTF-8 (see --encoding)", cli.Number(r.NotUTF8, "document"))
	}
	if r.Undecoded > 0 {
		skipped += fmt.Sprintf(", %s not decoded (see --encoding)", cli.Number(r.Undecoded, "character"))
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s read%s, in %.1f s\n", cli.Number(r.Read, "document"), skipped, rep.Seconds)
	return err
}

// innermost returns the error of the step that has failed a build. Runners pass it on as text, in a long one about their work.
func innermost(err error) error {
	const end = "] failed:\n"
	if i := strings.LastIndex(err.Error(), end); i >= 0 {
		return fmt.Errorf("%s\nno index was made; --verbose shows more", strings.TrimSpace(err.Error()[i+len(end):]))
	}
	return err
}

// check sets the options that flags stand for.
func (f *flags) check() (err error) {
	o := &f.options
	switch {
	case f.out == "":
		return cli.Usage("--out is missing")
	case !cli.IsURL(f.out):
		return cli.Usage("--out %s: a URL is wanted, such as file:///path; idxbuild builds in directories", f.out)
	case f.memory < writer.MinMemory:
		return cli.Usage("--memory is at least %s", cli.Bytes(int64(writer.MinMemory)))
	case o.Segments > o.Partitions:
		return cli.Usage("--segments %d: they are joined of %s of a shard (--partitions)", o.Segments, cli.Number(o.Partitions, "part"))
	case o.AnalyzerOptions != "" && o.Analyzer == "":
		return cli.Usage("--analyzer-options need --analyzer")
	}
	if err := cli.CheckEncoding(o.Documents.Encoding); err != nil {
		return err
	}
	o.Memory, o.Skip = int64(f.memory), f.onError.Value == "skip"
	d := &o.Documents
	d.Format, d.MaxRecord = exchange.Format(f.format.Value), int(f.memory)/16
	if d.Fields, err = exchange.ParseFields(f.fields); err != nil {
		return cli.Usage("--map: %w", err)
	}
	if d.Fields, err = exchange.ParseFields(f.fields, f.keys...); err != nil {
		return cli.Usage("--field: %w", err)
	}
	if d.AutoID && d.Fields.ID != "" {
		return cli.Usage("--auto-id makes ids up, but --map names a field of ids")
	}
	d.Fields.Unknown = exchange.Unknown(f.unknown.Value)
	return f.schema()
}

// schema sets the schema, and leaves to it what is a field's.
func (f *flags) schema() (err error) {
	o := &f.options
	d := &o.Documents
	var base *schema.Schema
	if f.schemaFile != "" {
		b, err := os.ReadFile(f.schemaFile)
		if err != nil {
			return err
		}
		if base, err = schema.Parse(b); err != nil {
			return cli.Usage("--schema %s: %w", f.schemaFile, err)
		}
		if err := cli.CheckSchema(base); err != nil {
			return cli.Usage("--schema %s: %w", f.schemaFile, err)
		}
	}
	if err := cli.CheckKeys(d.Fields.Keys, base, o.Analyzer, o.AnalyzerOptions, o.Stored); err != nil {
		return err
	}
	if base == nil && len(d.Fields.Keys) == 0 {
		if d.Fields.Unknown != exchange.UnknownIgnore {
			return cli.Usage("--unknown goes with documents that have fields: see --field and --schema")
		}
		return nil
	}
	switch {
	case len(d.Fields.Keys) == 0 && o.Analyzer != "":
		return cli.Usage("--analyzer: in the schema, each field has its own")
	case len(d.Fields.Keys) == 0 && o.Stored:
		return cli.Usage("--store-text: the schema says what is stored")
	}
	usual := schema.Field{Stored: o.Stored, Analyzer: o.Analyzer, Options: o.AnalyzerOptions}
	o.Analyzer, o.AnalyzerOptions, o.Stored = "", "", false
	if d.Schema, err = d.Fields.WithSchema(base, usual); err != nil {
		return cli.Usage("--field: %w", err)
	}
	return nil
}
