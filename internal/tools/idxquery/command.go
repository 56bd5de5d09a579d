// Package idxquery is the command idxquery.
package idxquery

import (
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

type flags struct {
	index   string
	join    []string
	k       int
	offset  int
	field   string
	dot     string
	dots    query.Dot // its field and scale
	syntax  bool
	strict  bool
	typos   bool
	filter  string
	mode    *cli.Choice
	algo    *cli.Choice
	seek    *cli.Choice
	device  *cli.Choice
	steps   *cli.Choice
	gpus    int
	preload string
	params  query.Params
	own     query.Params // the flags that were given, the others 0
	queries string
	piped   bool // queries are standard input, which no flag names
	format  *cli.Choice
	run     string
	tag     string
	width   int
	trace   bool
	total   bool
	count   bool
	json    bool
	mcp     bool
	threads int
	bounded bool // --threads was given
	model   *cli.Choice
	columnFlags
	nearFlags

	synonyms []string
	like     []string // ids
}

// maxOffset is the greatest offset, which is as many hits that are found in vain.
const maxOffset = 1 << 30

// defaultWidth is how many characters of a text are printed.
const defaultWidth = 72

// newFlags returns the defaults.
func newFlags() *flags {
	var formats []string
	for _, x := range exchange.QueryFormats() {
		formats = append(formats, string(x))
	}
	return &flags{
		format:  cli.NewChoice("FORMAT", formats...),
		mode:    cli.NewChoice("MODE", query.ModeOr.String(), query.ModeAnd.String(), query.ModeAndOr.String()),
		algo:    cli.NewChoice("NAME", Algorithms()...),
		seek:    cli.NewChoice("METHOD", "gallop", "lr", "hash"),
		device:  cli.NewChoice("DEVICE", "cpu", "gpu", "hybrid"),
		steps:   NewSteps(),
		model:   cli.NewChoice("MODEL", pool.Inter.String(), pool.FineGrained.String(), pool.DocRanges.String(), pool.Partitions.String()),
		threads: 1,
		params:  query.DefaultParams(),
		width:   defaultWidth,

		nearFlags: nearFlags{fuseBy: cli.NewChoice("BY", byRanks, byScores)},
	}
}

// Command returns the command.
func Command() *cobra.Command {
	cli.ShowGPU(GPUName)
	f := newFlags()
	cmd := &cobra.Command{
		Use:   "idxquery INDEX [flags] {QUERY... | --queries FILE}",
		Short: "Answer ranked queries over an index",
		Long: `Idxquery prints the best documents for every QUERY by their BM25 score. Each
argument is one query: quote one of several words. The index's analyzer cuts
queries into terms, as it did with documents. --index DIR may stand for INDEX.
With --join, several indexes of the same schema or analyzer are one, with scores from
all their documents; an id that several have is found several times.

Modes:
  or      documents with any of the terms
  and     documents with all of them
  and-or  like and, or like or if that finds fewer than k

With --syntax a query has operators (docs/query-language.md):
  rose thorn    with any of the words     rose AND thorn   with both
  +rose -thorn  with rose, without thorn  (a OR b) AND c   brackets
  title:rose    in a field                ro*  r?se        patterns
  rose~  rose~1 up to two edits, or one   rose^2           counts twice
  "a b"  "a b"~2 the phrase, or nearly it "a b"*           its last word goes on
  "a+b"  a\+b   without operators         *                all documents
  price:10..20  ts:>=2026-01-01           only with such a value in a column
What means nothing so, as 3:16 or a - alone, is words, and idxquery says which.

With neither QUERY nor --queries, queries are read from standard input if that is a
pipe or a file. A file of queries may be compressed, and is told by its beginning:
  tsv    lines of qid, tab, text
  trec   TREC topics, whose titles or query elements are the queries
  jsonl  objects with _id and text, as BEIR's queries.jsonl, or id and contents
  colon  lines of a number, a colon, text, at least two with ascending numbers
  lines  all else: one query a line, numbered from 1

With --filter only documents with some values in columns count (docs/filters.md):
  level = error                 ts >= 2026-01-01          price 10..20
  level in (error, warn)        exists(price)             a and (b or not c)

With --synonyms words are found by others, too (docs/synonyms.md). A line of FILE is
  usb stick, thumb drive     words that stand for each other
  i-pod, i pod => ipod       words that are replaced
or FILE is a prolog file of WordNet. --synonyms title=FILE is for the field title.

With columns hits are sorted by values, and matches are counted:
  --sort price,-ts           the cheapest, of equal ones the newest first
  --sort -stock,_score       those in stock first, of these the best
  --facet brand              the 10 most frequent keywords, brand:30 for 30
  --facet price:<10,10..50   in ranges, as filters have them
  --facet ts:every=24h       in buckets
  --facet 'day:every=24h{stats ms p99}'  figures of each (docs/aggregations.md)
  --collapse host            the best of each host
  --collapse host --group 3  the best three, and how many there are
  --static rank:0.5          scores plus half the rank
  --static ts:3:decay=168h:from=2026-12-01  up to 3, half of it a week away
  --static rank:0.5:multiply scores times 1 plus half the rank

With --dot a query is a vector: a JSON object of weights or words, which weigh 1 as often
as they come; in JSON lines, the object in the key vector (docs/sparse.md).

With --nearest documents are found by vectors (docs/vectors.md), exactly unless --probe asks
for less (docs/probe.md), among those that pass --filter: by --vector alone, or beside the
words of queries. There scores of words and of the 100 nearest add up, or of as many as --k
and --offset want; with --fuse ranks do, or scores that are made comparable (--fuse-by), by
--weights.
Of a FILE, vector i goes with query i; without queries each is one, numbered from 1.
Words on standard input are read by --queries - alone.

With --like documents are found that have the words that weigh most in others
(docs/similar.md), in all fields of text, or in --field. Their texts must be stored.

A query of which the analyzer leaves no term, as of stop words alone, finds nothing,
and idxquery says so.

With --mcp an assistant searches by the tools search, fetch and facets (docs/mcp.md).

All algorithms and devices give the same answer and differ in speed. hybrid starts
on the CPU, and opens a GPU when the CPU would take longer than that for the rest.`,
		Example: `  idxquery kjv.idx "the lord is my shepherd"
  idxquery kjv.idx --mode and "faith hope charity" "salt of the earth"
  idxquery kjv.idx --k 10 --offset 20 "still waters"   # the third page
  idxquery kjv.idx --mode and --count "faith hope"
  idxquery robust.idx --queries topics.tsv --k 1000 --run bm25.run
  idxquery yesterday.idx --join today.idx "still waters"
  idxquery kjv.idx --syntax 'shep*rd -sheep +(lord OR god~1)'
  idxquery logs.idx --filter 'level=error and ts>=2026-01-01' "disk full"
  idxquery logs.idx --sort -ts --facet level --syntax '+timeout'
  idxquery sparse.idx --dot vector --queries encoded-queries.jsonl --run a.run
  idxquery notes.idx --nearest emb --vector '[0.1, -0.7]' --filter tenant=a
  idxquery notes.idx --nearest emb --vector @q.npy --fuse --queries q.tsv
  idxquery notes.idx --like 1034 --filter tenant=a
  echo "jesus wept" | idxquery kjv.idx
  idxquery kjv.idx --mcp   # for an assistant: docs/mcp.md`,
		Args: cobra.ArbitraryArgs,
	}
	cli.TextArgs(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f.own = GivenParams(cmd, f.params)
		return f.execute(cmd, args)
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.index, "index", "", "index `DIR`, in place of INDEX")
	fl.StringArrayVar(&f.join, "join", nil, "search the index in `DIR` too, as one with INDEX; for several, repeat it")
	cli.Int(fl, &f.k, "k", query.DefaultK, 1, cli.Any, "find the best `N` documents")
	cli.Int(fl, &f.offset, "offset", 0, 0, maxOffset, "leave out the `N` best documents, those of the pages before")
	fl.StringVar(&f.field, "field", "", "search the field `NAME` of a schema, by default all fields of text")
	fl.StringVar(&f.dot, "dot", "", "queries are sparse vectors over the impacts of `FIELD`; FIELD:SCALE for weights with fractions")
	fl.StringVar(&f.nearest, "nearest", "", "also find the documents whose vectors in `FIELD` are nearest to --vector")
	fl.StringVar(&f.nearVector, "vector", "", "a `VECTOR` of JSON, or @FILE: JSON, .npy or .fvecs with one for each query")
	fl.Float64Var(&f.probe, "probe", 0, "compare the part `P` of the vectors, those in the nearest clusters: approximately")
	fl.BoolVar(&f.fuse, "fuse", false, "make one list of words and vectors, in place of adding scores up")
	fl.Var(f.fuseBy, "fuse-by", "what a place in a list is worth: "+f.fuseBy.Words())
	fl.Float64SliceVar(&f.weights, "weights", nil, "weigh words and vectors in the one list by the numbers `W,V`; 0 leaves one out")
	fl.StringArrayVar(&f.like, "like", nil, "in place of QUERY, find documents like that with the id `ID`; for several, repeat it")
	fl.BoolVar(&f.syntax, "syntax", false, "queries have operators")
	fl.BoolVar(&f.strict, "strict", false, "with --syntax: what cannot be read so is an error, instead of words")
	fl.BoolVar(&f.typos, "typos", false, "words of five characters or more also find those with a slip, behind the others")
	fl.StringArrayVar(&f.synonyms, "synonyms", nil, "also find the synonyms in `FILE`; FIELD=FILE for a field of its own, and several are repeated")
	fl.StringVar(&f.filter, "filter", "", "find only documents that pass the filter `EXPR`")
	fl.Var(f.mode, "mode", "which documents match: "+f.mode.Words())
	fl.StringSliceVar(&f.sort, "sort", nil, "sort by the columns of `FIELDS`, of -FIELD the greatest first, in place of scores; _score is the best score first")
	fl.StringVar(&f.collapse, "collapse", "", "of documents with the same value in `FIELD` print only the best")
	cli.Int(fl, &f.group, "group", 0, 1, cli.Any, "with --collapse: below each hit print the others of the best `N` with its value")
	fl.StringVar(&f.static, "static", "", "add to scores what the column of floats in `FIELD` says, FIELD:BOOST times as much; FIELD:multiply multiplies them")
	fl.StringArrayVar(&f.facets, "facet", nil, "also count matches by `FIELD`; FIELD:N keywords, FIELD:every=WIDTH, FIELD:RANGE,...; with figures FIELD{stats FIELD}")
	fl.Var(f.algo, "algo", "how to find them: "+f.algo.Words())
	fl.Var(f.seek, "seek", "how the CPU looks documents up in lists: "+f.seek.Words())
	fl.Var(f.device, "device", "where to find them: "+f.device.Words())
	fl.Var(f.steps, "steps", "where the steps of a query with --trace run: "+f.steps.Words())
	cli.Int(fl, &f.gpus, "gpus", 0, 0, cli.Any, "answer the queries of a file on `N` GPUs, 0 for all of them")
	fl.StringVar(&f.preload, "preload", "", "load the lists of the queries in `FILE` ahead, a log or what gpu-plan --json prints")
	fl.Float64Var(&f.params.K1, "k1", f.params.K1, "BM25's k1")
	fl.Float64Var(&f.params.B, "b", f.params.B, "BM25's b")
	fl.StringVar(&f.params.Scorer, "scorer", "", "the `FORMULA` of scores in place of bm25: bm25+ or inl2")
	fl.StringVar(&f.queries, "queries", "", "read queries from `FILE`, - for standard input")
	fl.Var(f.format, "queries-format", "its format: "+f.format.Words())
	cli.Int(fl, &f.threads, "threads", f.threads, 1, cli.MaxThreads, "answer queries on `N` threads; with --device hybrid, use N cores in place of all")
	fl.Var(f.model, "model", "how threads share the work: "+f.model.Words())
	cli.Output(fl, &f.run, "run", "", "write TREC run lines to `FILE`, - for standard output, and no table")
	fl.StringVar(&f.tag, "tag", "pinion", "last `WORD` of the run lines")
	cli.Int(fl, &f.width, "width", f.width, 0, cli.Any, "print the `N` characters of a text that match best, 0 for all of it")
	fl.BoolVar(&f.total, "total", false, "also count all documents that match")
	fl.BoolVar(&f.count, "count", false, "print only how many documents match, with several queries after the qid and a tab")
	fl.BoolVar(&f.trace, "trace", false, "print what the execution of each query did")
	fl.BoolVar(&f.json, "json", false, "print JSON instead of a table")
	fl.BoolVar(&f.mcp, "mcp", false, "serve assistants by the Model Context Protocol, on standard input and output")
	return cmd
}

// GivenParams returns the values of --k1 and --b for a query. A flag that is not given leaves its parameter to
// the schema.
func GivenParams(cmd *cobra.Command, p query.Params) query.Params {
	name := p.Scorer
	p = query.Exactly(p.K1, p.B)
	p.Scorer = name
	if !cmd.Flags().Changed("k1") {
		p.K1 = 0
	}
	if !cmd.Flags().Changed("b") {
		p.B = 0
	}
	return p
}

// arguments takes INDEX off args, unless --index names it, and standard input for queries
// if there are no others.
func (f *flags) arguments(args []string) (queries []string, err error) {
	if f.index == "" {
		if len(args) == 0 {
			return nil, cli.Usage("INDEX is missing")
		}
		f.index, args = args[0], args[1:]
	}
	if len(args) == 0 && f.queries == "" && f.nearest == "" && len(f.like) == 0 && isPiped(os.Stdin) {
		f.queries, f.piped = exchange.Stdin, true
	}
	return args, nil
}

// isPiped reports whether f is a pipe or a regular file, and not a terminal or the null
// device.
func isPiped(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && (st.Mode().IsRegular() || st.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0)
}

func (f *flags) check(args []string) error {
	if err := f.checkNearest(); err != nil {
		return err
	}
	if err := f.checkLike(args); err != nil {
		return err
	}
	switch {
	case len(args) == 0 && f.queries == "" && f.nearest == "" && len(f.like) == 0:
		return cli.Usage("QUERY or --queries is missing")
	case len(args) > 0 && f.queries != "":
		return cli.Usage("QUERY and --queries exclude each other")
	case f.queries == "" && f.format.Value != string(exchange.QueriesAuto):
		return cli.Usage("--queries-format goes with --queries")
	case f.strict && !f.syntax:
		return cli.Usage("--strict goes with --syntax")
	case f.syntax && f.mode.Value != query.ModeOr.String():
		return cli.Usage("--syntax and --mode exclude each other: in a query, AND and + say what must match")
	case f.syntax && f.field != "":
		return cli.Usage("--syntax and --field exclude each other: in a query, field:word says it")
	case f.trace && f.threads > 1:
		return cli.Usage("--trace takes one thread")
	case f.offset > 0 && f.mode.Value == query.ModeAndOr.String():
		return cli.Usage("--offset takes --mode or or and: the hits of and-or depend on how many are wanted")
	case f.seek.Value != "gallop" && f.device.Value == "gpu":
		return cli.Usage("--seek takes --device cpu or hybrid")
	case f.steps.Value != autoSteps && (f.device.Value != "hybrid" || !f.trace):
		return cli.Usage("--steps takes --device hybrid and --trace")
	case f.run != "" && f.json:
		return cli.Usage("--run and --json exclude each other")
	case f.run != "" && f.trace:
		return cli.Usage("--run and --trace exclude each other")
	case (f.total || f.count) && f.mode.Value == query.ModeAndOr.String():
		return cli.Usage("--total and --count take --mode or or and: the matches of and-or depend on how many are wanted")
	case f.total && f.count:
		return cli.Usage("--total and --count exclude each other")
	case f.total && f.device.Value == "gpu":
		return cli.Usage("--total takes --device cpu or hybrid: a GPU does not count")
	case f.total && f.run != "":
		return cli.Usage("--total and --run exclude each other")
	case f.count && f.device.Value != "cpu":
		return cli.Usage("--count takes --device cpu")
	case f.count && (f.k != query.DefaultK || f.run != "" || f.trace || f.offset > 0 || f.algo.Value != search.Auto.String()):
		return cli.Usage("--count finds no hits, as --k, --run, --trace, --offset and --algo are for")
	case f.tag == "" || strings.ContainsAny(f.tag, blanks):
		return cli.Usage("--tag is one word")
	}
	if err := f.params.Check(); err != nil {
		return cli.Usage("%w", err)
	}
	if err := f.checkColumns(); err != nil {
		return err
	}
	if err := f.checkSynonyms(); err != nil {
		return err
	}
	if err := f.checkDot(); err != nil {
		return err
	}
	return CheckAlgorithm(f.algo.Value, f.mode.Value)
}

// vain returns an error for a flag that has no effect beside others.
func (f *flags) vain(fl *pflag.FlagSet) error {
	return cli.InVain(fl,
		cli.Vain{Flags: "tag", If: f.run == "", Why: "goes with --run: it is the last word of its lines"},
		cli.Vain{Flags: "width", If: f.json || f.run != "" || f.count, Why: "goes with the table of hits, not with --json, --run or --count"},
		cli.Vain{Flags: "k1 b scorer", If: f.count, Why: "changes scores, and --count finds no hits"},
		cli.Vain{Flags: "k1 b scorer", If: f.dot != "", Why: "is BM25's: --dot has scores of its own"},
		cli.Vain{Flags: "k1 b scorer", If: f.unscored(), Why: "changes scores: hits that are sorted have none, unless by _score"},
		cli.Vain{Flags: "k1 b", If: f.params.Scorer == "inl2", Why: "is for bm25 and bm25+: inl2 has no parameters"},
		cli.Vain{Flags: "model", If: f.threads == 1 && f.device.Value == "cpu", Why: "says how threads share the work: it goes with --threads above 1"},
		cli.Vain{Flags: "gpus", If: f.device.Value == "cpu" || f.queries == "", Why: "takes --queries, and --device gpu or hybrid"})
}

// Algorithms returns the names of those that do not need a filter, which commands do not have.
func Algorithms() (names []string) {
	for _, a := range search.Algorithms() {
		if a != search.FilterFirst {
			names = append(names, a.String())
		}
	}
	return names
}

// CheckAlgorithm returns an error if the algorithm of that name is not for the mode: the
// searcher would take auto in its place.
func CheckAlgorithm(algo, mode string) error {
	var a search.Algorithm
	if err := a.UnmarshalText([]byte(algo)); err != nil {
		return cli.Usage("%w", err)
	}
	switch {
	case a == search.Auto, a == search.FilterFirst, mode == query.ModeAndOr.String(), a.Conjunctive() == (mode == query.ModeAnd.String()):
		return nil
	case a.Conjunctive():
		return cli.Usage("--algo %s is for --mode and", algo)
	}
	return cli.Usage("--algo %s is for --mode or", algo)
}
