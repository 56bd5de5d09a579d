// Package idxbuild is the command idxbuild.
package idxbuild

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/writer"
)

// flags are the command's flags.
type flags struct {
	out        string
	format     *cli.Choice
	analyzer   string
	options    string
	codecs     cli.Codecs
	order      *cli.Choice
	seed       uint64
	memory     cli.ByteSize
	threads    int
	keep       int
	onError    *cli.Choice
	deletes    deletions
	encoding   string
	fields     string
	keys       []string
	positions  []string
	schemaFile string
	vectors    []string
	ids        string
	unknown    *cli.Choice
	dryRun     bool
	autoID     bool
	storeText  bool
}

// Command returns the command.
func Command() *cobra.Command { return newFlags().command() }

// newFlags returns the defaults.
func newFlags() *flags {
	f := &flags{memory: writer.DefaultMemory}
	var formats []string
	for _, x := range exchange.Formats() {
		formats = append(formats, string(x))
	}
	f.format = cli.NewChoice("FORMAT", formats...)
	f.order = cli.NewChoice("ORDER", string(writer.OrderInput), string(writer.OrderBisection), string(writer.OrderRandom)).
		Also("field:", "NAME")
	f.unknown = cli.NewChoice("WHAT", string(exchange.UnknownIgnore), string(exchange.UnknownStore), string(exchange.UnknownRefuse))
	f.onError = cli.NewChoice("WHAT", "fail", "skip")
	return f
}

func (f *flags) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "idxbuild --out DIR [flags] INPUT...",
		Short: "Add documents to an index, and delete documents",
		Long: `Idxbuild adds the documents of every INPUT to the index in DIR, and creates it if
there is none. A document replaces one with the same id. A run commits everything
at its end, or nothing.

Inputs, which may be compressed with gzip, zstd or bzip2; "-" is standard input:
  jsonl    one JSON object a line
  json     JSON objects over several lines, or in an array
  bulk     Elasticsearch's bulk requests: an action and an object, a line each
  csv      comma-separated values, or with semicolons or tabs if the first line
           has no comma; the first line names the columns
  tsv      lines of id, tab, text
  trec     DOC elements: news with DOCNO and TEXT, or web pages
  mediawiki, wikiextractor
           dumps of wikis, and what WikiExtractor writes of them
  lines    each line is a document, FILE:LINE its id: .txt and .log files
  textdir  a folder: each file is a document, its path the id
  ciff     an index in the Common Index File Format
  ds2i     BASE.docs, .freqs and .sizes, optionally .terms and .documents
The files of a folder are read in the format that each has. Text that has none of these, or
whose first record has no id or no text, is read as textdir; .jsonl, .csv and .tsv files of
that kind are passed over and named.

The id of JSON objects and CSV records is the first of id, _id, pid, docid, doc_id and
docno that is there; the text is contents, or else title, headings and the first of
text, body, passage and segment. --map names other fields; for tsv, columns from 1.

Documents can have fields, as --field or --schema says, instead of one text. The values
of KEY, which may be nested as in author.name, go into field NAME. TYPE is the name of an
analyzer for text, or keyword, integer, float, time, impacts or vector. Impacts are
objects of terms and weights, as sparse encoders write them (docs/sparse.md); a vector
is an array of numbers, or the base64 of its float32 (docs/vectors.md). docs/importing.md
has the form of a schema. An index keeps its fields; later runs need to name only other
keys. Posting lists go into one field, which --field names.

With --vectors, the rows of a file are the vectors of a field: row by row those of the
documents of all INPUTs, or documents of their own if there is no INPUT. A new field has
the dimensions of the file. There are as many rows as documents, or nothing is added.

Analyzers cut text into terms, and queries in the same way:
  simple      runs of letters and digits, lower-cased: for names and numbers
  standard    words by Unicode's rules, lower-cased, without accents: for text
              in any language; the default
  english     these stemmed, without 33 stop words: for English text
  whitespace  what white space separates, as it is: for text cut already
  cjk         pairs of characters: for Chinese, Japanese, Korean, Thai
  code        identifiers and their parts: for programs, paths and logs
  keyword     the whole text, as it is
Other languages are like english: german, french and so on.

With --delete, --delete-query or --delete-where the run first deletes documents of an
existing index; then it needs no INPUT. A query matches the documents that hold all of
its words, cut by the index's analyzer, and in one field if there are fields: there is no
other syntax, and operators are refused. With --dry-run the run counts what it would
delete, add and replace, and writes nothing.

With --order bp or random the run leaves one segment of old and new documents and
renumbers them. The order bp (recursive graph bisection) places documents that share
terms near each other, which makes posting lists smaller; it takes 4 bytes of memory
a posting in addition to --memory. Ids and scores do not change, only the order among
equal scores. Documents added by later runs follow, in their own order.

With --order field:ts, or field:-ts for the greatest first, the documents of each segment
are sorted by the column ts, those without a value last, and so are hits with equal
scores. The index keeps this order: later runs and merges sort too. An index with
documents in another order becomes one segment.`,
		Example: `  idxbuild --out kjv.idx --store-text testdata/kjv.jsonl.gz
  idxbuild --out mail.idx --format textdir --analyzer english ~/mail
  idxbuild --out books.idx --map id=isbn,contents=author+title books.csv
  idxbuild --out s.idx --field name=title:english:2 --field price:float s.jsonl
  idxbuild --out sparse.idx --field vector:impacts encoded.jsonl.gz
  idxbuild --out dense.idx --field text --field emb:vector:384 embedded.jsonl
  idxbuild --out parts.idx --field contents --vectors emb=docs.npy docs.jsonl
  zcat *.jsonl.gz | idxbuild --out big.idx --memory 2GiB -
  idxbuild --out logs.idx --field ts:time:column --field msg \
    --order field:-ts logs.jsonl
  idxbuild --out robust.idx --analyzer whitespace --order bp robust04.ciff.gz
  idxbuild --out mail.idx --delete-query "unsubscribe" --dry-run
  idxbuild --out mail.idx --delete old-ids.txt --delete-query "unsubscribe"`,
	}
	want := cli.Want("INPUT...")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if (f.deletes.any() || len(f.vectors) > 0) && len(args) == 0 {
			return nil
		}
		return want(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) }
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.out, "out", "", "index `DIR` (required)")
	fl.Var(f.format, "format", "format of the inputs: "+f.format.Words())
	fl.StringVar(&f.encoding, "encoding", "", "`NAME` of the encoding of inputs that do not say their own, such as windows-1252 (default: utf-8)")
	cli.AnalyzerFlag(cmd, &f.analyzer, "that of the index; of a new one standard")
	fl.StringVar(&f.options, "analyzer-options", "", "its `OPTIONS` as KEY=VALUE,..., such as max=N, stop=none, stop-words=a+the, unicode=nfc, fold=accents+case, ignorable=drop, scripts=cut, parts=placed (in place of the defaults, which docs/analyzers.md lists)")
	f.codecs.Add(fl, "(auto: the cheapest for each list by size and decode time)")
	fl.Var(f.order, "order", "order of documents: "+f.order.Words())
	fl.Uint64Var(&f.seed, "seed", 0, "of --order random: another `N` gives another order")
	fl.Var(&f.memory, "memory", "memory budget")
	cli.Threads(fl, &f.threads)
	cli.KeepCommits(fl, &f.keep)
	fl.StringVar(&f.fields, "map", "", "`FIELDS` of a document, as in id=url,contents=title+text (default: the usual ones)")
	fl.StringArrayVar(&f.keys, "field", nil, "a field, `KEY=NAME:TYPE:OPTION...`, of which NAME must be there; may be repeated")
	fl.StringArrayVar(&f.positions, "positions", nil, "keep where the terms of the text `FIELD` are, for phrases: as --field with the option positions; may be repeated")
	fl.StringVar(&f.schemaFile, "schema", "", "the fields of a new index: a `FILE` of JSON")
	fl.StringArrayVar(&f.vectors, "vectors", nil, "the vectors of a field, `FIELD=FILE` of .npy or .fvecs, a row for each document in order; may be repeated")
	fl.StringVar(&f.ids, "ids", "", "with --vectors and no INPUT: a `FILE` with the id of each row, one a line (default: numbers from 0)")
	fl.Var(f.unknown, "unknown", "what to do with keys that no field takes: "+f.unknown.Words())
	fl.BoolVar(&f.autoID, "auto-id", false, "make ids up, as FILE:LINE, instead of reading them")
	fl.Var(f.onError, "on-error", "what to do with a bad document: fail|skip")
	fl.StringVar(&f.deletes.ids, "delete", "", "delete the documents with the ids in `FILE`, one a line, - for standard input")
	fl.StringArrayVar(&f.deletes.queries, "delete-query", nil, "delete the documents that hold all words of `TEXT`; may be repeated")
	fl.StringArrayVar(&f.deletes.where, "delete-where", nil, "delete the documents that pass `FILTER` on columns, such as 'ts<2026-01-01'; may be repeated")
	fl.BoolVar(&f.dryRun, "dry-run", false, "count what would change, and write nothing")
	fl.BoolVar(&f.storeText, "store-text", false, "keep the text of documents in a new index (one with documents goes on as it does)")
	cli.JSONFlag(fl)
	return cmd
}

// writerOptions turns the flags into options of the writer.
func (f *flags) writerOptions() (o writer.Options, err error) {
	switch {
	case f.out == "":
		return o, cli.Usage("--out is missing")
	case f.memory < writer.MinMemory:
		return o, cli.Usage("--memory is at least %s", cli.Bytes(int64(writer.MinMemory)))
	case f.seed != 0 && f.order.Value != string(writer.OrderRandom):
		return o, cli.Usage("--seed goes with --order random")
	case f.options != "" && f.analyzer == "":
		return o, cli.Usage("--analyzer-options need --analyzer")
	}
	if err := cli.CheckEncoding(f.encoding); err != nil {
		return o, err
	}
	o = writer.Options{Memory: writerMemory(int64(f.memory)), Threads: f.threads, KeepCommits: f.keep}
	if o.Schema, err = cli.Implicit(f.analyzer, f.options, f.storeText); err != nil {
		return o, err
	}
	o.DocsCodec, o.FreqsCodec, err = f.codecs.Options()
	return o, err
}

// vain returns an error for a flag of documents if the inputs are posting lists alone.
func (f *flags) vain(ins []input) error {
	if len(ins) == 0 || slices.ContainsFunc(ins, func(in input) bool { return !in.format.Postings() }) {
		return nil
	}
	for name, given := range map[string]bool{"encoding": f.encoding != "", "map": f.fields != "", "auto-id": f.autoID} {
		if given {
			return cli.Usage("--%s is of documents, and %s has posting lists", name, ins[0].path)
		}
	}
	return nil
}

// recordShare is the part of the memory budget that one record of an input may take.
// Reading it needs up to three times as much.
const recordShare = 16

// input is one input of a known format.
type input struct {
	path   string
	format exchange.Format
	size   int64
}

// inputs determines the format of every input before any of them is read, except of
// those that can be read only once.
func (f *flags) inputs(args []string) ([]input, int64, error) {
	var ins []input
	total := int64(0)
	for _, path := range args {
		in := input{path: path, format: exchange.Format(f.format.Value)}
		if path != exchange.Stdin {
			if in.format == exchange.FormatAuto && !exchange.ReadOnce(path) {
				var err error
				in.format, err = exchange.DocumentOptions{Encoding: f.encoding}.Detect(path)
				var bad *exchange.Error
				if cli.IsNotExist(err) || errors.As(err, &bad) {
					return nil, 0, err
				}
				if err != nil {
					return nil, 0, fmt.Errorf("%w (see --format)", err)
				}
			} else if _, err := os.Stat(path); err != nil && in.format != exchange.FormatDS2I {
				return nil, 0, err
			}
			if isIndex(path) {
				return nil, 0, fmt.Errorf("%s is an index, not documents: idxmerge joins indexes", path)
			}
			in.size = exchange.Size(path, in.format)
		}
		if in.size == 0 || total < 0 {
			total = -1 // not known
		} else {
			total += in.size
		}
		ins = append(ins, in)
	}
	return ins, max(total, 0), nil
}

// checkDir refuses a directory that holds anything but an index.
func checkDir(dir string) error {
	if st, err := os.Stat(dir); err == nil && !st.IsDir() {
		return cli.Opening(latest(dir, func(*indexdir.Manifest) {})) // the error of every command
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		if os.IsNotExist(err) {
			return nil
		}
		return cli.Opening(err)
	}
	for _, e := range entries {
		name := e.Name()
		if name == indexdir.LockName || filepath.Ext(name) == ".pin" || filepath.Ext(name) == ".tmp" {
			continue
		}
		if isIndex(dir) {
			return nil // an index among other files
		}
		return &format.Error{Kind: format.ErrNotAnIndex, Block: format.NoBlock, Offset: -1,
			Msg: fmt.Sprintf("directory %s holds other files, such as %s", dir, name)}
	}
	return nil
}

// isIndex reports whether dir holds an index.
func isIndex(dir string) bool {
	d, err := indexdir.Open(dir)
	if err != nil {
		return false
	}
	defer d.Close()
	g, err := d.Generation()
	return err == nil && g > 0
}

// fixedMemory is what the process needs in addition to the writer: code, the runtime
// and input buffers. It matters if the budget is small.
const fixedMemory = 6 << 20

// writerMemory returns the part of a memory budget that the writer may use.
func writerMemory(budget int64) int64 {
	return max(budget-fixedMemory, writer.MinMemory)
}
