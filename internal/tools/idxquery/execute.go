package idxquery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// session answers queries over one snapshot.
type session struct {
	f        *flags
	snapshot *reader.Snapshot
	searcher *search.Searcher
	pages    *pinion.View
	schema   *schema.Schema
	fields   bool       // queries are for a field, or all
	filter   query.Node // nil if none, but for what is chosen
	chosen   []search.Chosen
	synonyms *query.Synonyms // nil if none
	like     query.Node      // of --like, or nil
	mode     query.Mode
	algo     search.Algorithm
	asked    asked
	remote   bool      // the index, or one that is joined, is behind a URL
	notes    io.Writer // for what is said of single queries; may be nil
	noted    sync.Mutex
	out      io.Writer // whose width tables keep, if it is a terminal; may be nil
}

// spareHeap is memory that is never touched. With it a process collects its garbage for the
// first time when it has allocated as much, and not every few milliseconds while its heap is
// small.
const spareHeap = 64 << 20

func (f *flags) execute(cmd *cobra.Command, args []string) error {
	if f.mcp {
		return f.serve(cmd, args)
	}
	args, err := f.arguments(args)
	if err != nil {
		return err
	}
	f.bounded = cmd.Flags().Changed("threads")
	if err := f.check(args); err != nil {
		return err
	}
	if err := f.vain(cmd.Flags()); err != nil {
		return err
	}
	if err := f.checkDevice(); err != nil {
		return err
	}
	if f.queries != "" {
		defer runtime.KeepAlive(make([]byte, spareHeap))
	}
	for _, text := range args {
		if op := cli.Operator(text); op != "" && !f.syntax && f.dot == "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", cmd.CommandPath(), cli.NoOperators(op, "--syntax reads operators"))
		}
	}
	if len(args) > 2 && !slices.ContainsFunc(args, func(text string) bool { return len(strings.Fields(text)) != 1 }) && f.dot == "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: these are %s of one word: quotation marks make one of them\n", cmd.CommandPath(), cli.Number(len(args), "query"))
	}
	p := cli.NewProgress(cmd.ErrOrStderr(), "query", int64(len(args)), cli.ItemRate("queries"))
	defer p.Stop()
	l := newPipeline(cmd.OutOrStdout(), p)
	ctx := cmd.Context()
	if err := f.feed(cmd, l, args); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { l.end(ctx.Err()) })() // standard input may never end
	answer := func() error {
		return f.with(func(s *session) error {
			if s.out = cmd.OutOrStdout(); f.queries == "" {
				s.notes = cmd.ErrOrStderr()
			}
			return s.each(cmd, l)
		})
	}
	if f.run == "-" {
		l.out = cli.Visible(l.out)
	}
	if f.run == "" || f.run == "-" {
		return answer()
	}
	// Not durable: a run can be had again, and the disk may take longer than the queries.
	return cli.WriteCopy(f.run, f.index, false, func(w io.Writer) error {
		l.out = w
		return answer()
	})
}

// with opens the index for use.
func (f *flags) with(use func(s *session) error) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	indexes := append([]string{f.index}, f.join...)
	s := &session{f: f, remote: slices.ContainsFunc(indexes, cli.IsURL)}
	var end func()
	if s.snapshot, end, err = cli.Snapshots(indexes); err != nil {
		return err
	}
	defer end()
	if err := s.open(); err != nil {
		return cli.Opening(err)
	}
	defer s.searcher.Close()
	if s.pages, err = pinion.NewView(s.snapshot, nil); err != nil {
		return cli.Opening(err)
	}
	defer s.pages.Close()
	s.schema = s.snapshot.Schema()
	if s.asked, err = f.askedOf(s.schema); err != nil {
		return err
	}
	if s.synonyms, err = f.synonymsOf(s.schema); err != nil {
		return err
	}
	if s.like, err = s.likeOf(); err != nil {
		return err
	}
	s.filter, s.chosen = search.Split(s.filter, s.asked.facets)
	if err := f.dotField(s.schema); err != nil {
		return err
	}
	if err := f.nearestField(s.schema); err != nil {
		return err
	}
	return use(s)
}

// seeks are the ways of looking a document up in a list, by their names of --seek.
var seeks = map[string]reader.Strategy{"gallop": reader.Gallop, "lr": reader.SafeRange, "hash": reader.Buckets}

func (s *session) open() error {
	var err error
	if err = s.mode.UnmarshalText([]byte(s.f.mode.Value)); err != nil {
		return err
	}
	if err = s.algo.UnmarshalText([]byte(s.f.algo.Value)); err != nil {
		return err
	}
	if s.f.filter != "" {
		if s.filter, err = query.ParseFilter(s.snapshot.Schema(), s.f.filter); err != nil {
			return cli.Usage("--filter: %w", err)
		}
	}
	s.fields = s.f.field != "" || !s.snapshot.Schema().IsImplicit() || cli.HasParts(s.snapshot)
	s.searcher, err = search.NewSearcher(s.snapshot, search.Options{Params: s.f.own, Seek: seeks[s.f.seek.Value]})
	return err
}

// filtered returns n with the filter, if there is one.
func (s *session) filtered(n query.Node) query.Node {
	if s.filter == nil {
		return n
	}
	return query.Bool{Must: []query.Node{n}, Filter: []query.Node{s.filter}}
}

// each answers all queries and prints the answers, and then the times.
func (s *session) each(cmd *cobra.Command, l *pipeline) (err error) {
	defer func() {
		if s.f.piped && errors.Is(err, exchange.ErrNoQueries) {
			err = cli.Usage("QUERY or --queries is missing, and standard input is empty")
		}
	}()
	release, err := s.snapshot.Acquire()
	if err != nil {
		return err
	}
	defer release()
	switch {
	case s.f.run != "":
		var none wordless
		err := s.answerAll(cmd, l, none.noting(asRunLines))
		none.report(cmd, s)
		return err
	case s.f.count && !s.f.json:
		return s.answerAll(cmd, l, asCount(l.several()))
	case s.f.json:
		return inArray(l, func() error { return s.answerAll(cmd, l, asJSON) })
	}
	return s.answerAll(cmd, l, asTable(l.several()))
}

func (s *session) answerAll(cmd *cobra.Command, l *pipeline, print printer) error {
	switch {
	case s.f.device.Value == "cpu":
	case s.f.trace:
		return s.onSteps(cmd, l, print)
	case s.f.device.Value == "gpu":
		return s.onDevice(cmd, l, print)
	case s.f.queries != "": // arguments are not worth opening a GPU
		return s.onBoth(cmd, l, print)
	}
	return s.onThreads(cmd, l, print)
}

// onThreads answers queries on the CPU: each thread cuts one into terms, finds its hits
// and prints them. In models other than inter, several threads work on one query.
func (s *session) onThreads(cmd *cobra.Command, l *pipeline, print printer) error {
	model, err := pool.ParseModel(s.f.model.Value)
	if err != nil {
		return err
	}
	var f finder = s.searcher
	if model != pool.Inter && s.f.threads > 1 {
		p, err := pool.New(s.searcher, pool.Options{Workers: s.f.threads, Model: model})
		if err != nil {
			return err
		}
		defer p.Close()
		f = p
	}
	workers := make([]worker, s.f.threads)
	start := time.Now()
	n, err := l.run(s.f.threads, onThreads, func(i int) func(*share) error {
		w := &workers[i]
		w.s, w.print, w.timed = s, print, s.f.threads == 1
		return func(sh *share) error { return w.oneByOne(cmd.Context(), f, sh) }
	})
	took := time.Since(start)
	l.progress.Stop()
	if err != nil || s.f.queries == "" || n == 0 {
		return err
	}
	if s.f.threads == 1 {
		latencies(cmd.ErrOrStderr(), workers[0].took)
		return nil
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s in %s on %s: %s queries/s\n", cli.Number(n, "query"), cli.Seconds(took), cli.Number(s.f.threads, "thread"),
		cli.Rate(float64(n), took))
	return nil
}

// latencies reports the times that queries took.
func latencies(w io.Writer, took []time.Duration) {
	sum := time.Duration(0)
	for _, d := range took {
		sum += d
	}
	slices.Sort(took)
	fmt.Fprintf(w, "%s in %s: mean %s, median %s, 99 %% within %s\n", cli.Number(len(took), "query"), cli.Seconds(sum),
		cli.Seconds(sum/time.Duration(len(took))), cli.Seconds(took[len(took)/2]), cli.Seconds(took[len(took)*99/100]))
}
