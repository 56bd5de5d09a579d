package idxquery

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/tools/internal/cli"
)

// Answer is what idxquery prints for one query.
type Answer struct {
	QID     string     `json:"qid"`
	Query   string     `json:"query"`
	Terms   []cli.Text `json:"terms"`
	Seconds float64    `json:"seconds"`
	Hits    []Hit      `json:"hits"`
	Trace   *Trace     `json:"trace,omitempty"`
	trace   *query.Trace
	took    time.Duration
}

// Hit is one document of an Answer.
type Hit struct {
	Rank  int      `json:"rank"`
	Doc   uint32   `json:"doc"`
	ID    cli.Text `json:"id"`
	Score float32  `json:"score"`
	Text  string   `json:"text,omitempty"`
}

// session answers queries over one snapshot.
type session struct {
	f        *flags
	snapshot *reader.Snapshot
	searcher *query.Searcher
	mode     query.Mode
	algo     query.Algorithm
	id, text []byte
}

func (f *flags) execute(cmd *cobra.Command, args []string) error {
	if err := f.check(args); err != nil {
		return err
	}
	if err := f.checkDevice(); err != nil {
		return err
	}
	qs, err := f.questions(args)
	if err != nil {
		return err
	}
	if f.queries == "" {
		for _, q := range qs {
			if op := operator(q.text); op != "" {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s is read as plain words: queries have no operators\n", cmd.CommandPath(), cli.Quote(op))
			}
		}
	}
	return f.with(func(s *session) error {
		if f.run != "" {
			return s.writeRun(cmd, qs)
		}
		return s.print(cmd, qs)
	})
}

// with opens the index for use.
func (f *flags) with(use func(s *session) error) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	x, err := reader.Open(f.index)
	if err != nil {
		return cli.Opening(err)
	}
	defer x.Close()
	s := &session{f: f}
	if s.snapshot, err = x.Snapshot(); err != nil {
		return cli.Opening(err)
	}
	defer s.snapshot.Close()
	if err := s.open(); err != nil {
		return cli.Opening(err)
	}
	return use(s)
}

func (s *session) open() error {
	var err error
	if s.mode, err = query.ParseMode(s.f.mode.Value); err != nil {
		return err
	}
	if s.algo, err = query.ParseAlgorithm(s.f.algo.Value); err != nil {
		return err
	}
	s.searcher, err = query.NewSearcher(s.snapshot, query.Options{Params: &s.f.params})
	return err
}

// prepare cuts a query into terms.
func (s *session) prepare(q question) (*Answer, query.Query, error) {
	a := &Answer{QID: q.id, Query: q.text, Terms: []cli.Text{}, Hits: []Hit{}}
	terms, err := s.searcher.Parse(q.text)
	for _, t := range terms {
		a.Terms = append(a.Terms, cli.Text(t))
	}
	return a, query.Query{Terms: terms, K: s.f.k, Mode: s.mode, Algorithm: s.algo}, err
}

// answer answers one query, with the text of the hits if text is set.
func (s *session) answer(ctx context.Context, q question, text bool) (*Answer, error) {
	a, x, err := s.prepare(q)
	if err != nil {
		return nil, err
	}
	if s.f.trace {
		a.trace = &query.Trace{}
		x.Trace = a.trace
	}
	start := time.Now()
	r, err := s.searcher.Search(ctx, x)
	a.took = time.Since(start)
	a.Seconds = a.took.Seconds()
	if err != nil {
		return nil, fmt.Errorf("query %s: %w", q.id, err)
	}
	if a.trace != nil {
		a.Trace = newTrace(a.trace)
	}
	return a, s.fill(a, r.Hits, text)
}

// fill adds the documents of hits to a, with their text if text is set.
func (s *session) fill(a *Answer, hits []query.Hit, text bool) (err error) {
	for i, h := range hits {
		if s.id, err = s.snapshot.ID(h.Doc, s.id); err != nil {
			return err
		}
		hit := Hit{Rank: i + 1, Doc: h.Doc, ID: cli.Text(s.id), Score: h.Score}
		if text {
			if s.text, err = s.snapshot.Stored(h.Doc, s.text); err != nil {
				return err
			}
			hit.Text = string(s.text)
		}
		a.Hits = append(a.Hits, hit)
	}
	return nil
}

// each answers all queries, calls f with each answer and reports the times.
func (s *session) each(cmd *cobra.Command, qs []question, text bool, f func(*Answer) error) error {
	p := cli.NewProgress(cmd.ErrOrStderr(), "query", int64(len(qs)), cli.ItemRate("queries"))
	defer p.Stop()
	if s.f.device.Value != "cpu" {
		return s.onDevice(cmd, qs, text && s.snapshot.HasStored(), p, f)
	}
	if s.f.threads > 1 {
		return s.batch(cmd, qs, text && s.snapshot.HasStored(), p, f)
	}
	took := make([]time.Duration, 0, len(qs))
	for i, q := range qs {
		a, err := s.answer(cmd.Context(), q, text && s.snapshot.HasStored())
		if err != nil {
			return err
		}
		if err := f(a); err != nil {
			return err
		}
		took = append(took, a.took)
		p.Set(int64(i + 1))
	}
	p.Stop()
	if s.f.queries != "" && len(took) > 0 {
		sum := time.Duration(0)
		for _, d := range took {
			sum += d
		}
		slices.Sort(took)
		fmt.Fprintf(cmd.ErrOrStderr(), "%s queries in %s: mean %s, median %s, 99 %% within %s\n", cli.Count(len(took)), cli.Seconds(sum),
			cli.Seconds(sum/time.Duration(len(took))), cli.Seconds(took[len(took)/2]), cli.Seconds(took[len(took)*99/100]))
	}
	return nil
}

// print prints a table for every query, or JSON.
func (s *session) print(cmd *cobra.Command, qs []question) error {
	w := cmd.OutOrStdout()
	answers := []*Answer{}
	err := s.each(cmd, qs, true, func(a *Answer) error {
		if s.f.json {
			answers = append(answers, a)
			return nil
		}
		return s.table(w, a, len(qs) > 1)
	})
	if err == nil && s.f.json {
		err = cli.JSON(w, answers)
	}
	return err
}

func (s *session) table(w io.Writer, a *Answer, head bool) error {
	if head {
		if _, err := fmt.Fprintf(w, "%s: %s\n", a.QID, a.Query); err != nil {
			return err
		}
	}
	t := cli.NewTable(">rank", ">score", "id", "text")
	if !s.snapshot.HasStored() {
		t = cli.NewTable(">rank", ">score", "id")
	}
	for _, h := range a.Hits {
		row := []any{h.Rank, fmt.Sprintf("%.4f", h.Score), cli.Quote(h.ID)}
		if s.snapshot.HasStored() {
			n := s.f.width
			if n == 0 {
				n = len(h.Text) + 1
			}
			row = append(row, cli.Snippet([]byte(h.Text), n))
		}
		t.Row(row...)
	}
	if t.Len() == 0 {
		fmt.Fprintln(w, s.nothing(a))
	} else if _, err := t.WriteTo(w); err != nil {
		return err
	}
	if a.trace != nil {
		writeTrace(w, a.trace)
	}
	if head {
		fmt.Fprintln(w)
	}
	return nil
}

// nothing returns the message that there are no hits, and which terms the index does
// not have.
func (s *session) nothing(a *Answer) string {
	var absent []string
	for _, t := range a.Terms {
		if df, err := s.snapshot.DF([]byte(t)); err == nil && df == 0 && !slices.Contains(absent, cli.Quote(t)) {
			absent = append(absent, cli.Quote(t))
		}
	}
	switch {
	case len(a.Terms) == 0:
		return "no documents match: the query has no terms"
	case len(absent) > 0:
		return "no documents match: the index does not have " + strings.Join(absent, ", ")
	}
	return "no documents match"
}

// writeTrace prints what the execution of a query did.
func writeTrace(w io.Writer, tr *query.Trace) {
	fmt.Fprintf(w, "\nterms looked up in %s, searched in %s\n", cli.Seconds(tr.Resolve), cli.Seconds(tr.Search))
	if len(tr.Segments) == 0 {
		return // no list was read
	}
	t := cli.NewTable(">segment", "algorithm", "term", ">df", ">weight", ">bound", ">blocks", ">decoded", ">freqs", ">skipped by bound", ">by header")
	for _, g := range tr.Segments {
		for i := range g.Lists {
			l := &g.Lists[i]
			t.Row(g.Segment, g.Algorithm.String(), cli.Quote(l.Term), l.DF, cli.Float(float64(l.Weight), 5), cli.Float(float64(l.Bound), 5),
				l.Blocks, l.DocBlocks, l.FreqBlocks, l.ByBound, l.ByHeader())
		}
	}
	t.WriteTo(w)
	for _, g := range tr.Segments {
		fmt.Fprintf(w, "segment %d: %s candidates, %s scored, %s pivots\n", g.Segment, cli.Count(g.Candidates), cli.Count(g.Scored), cli.Count(g.Pivots))
	}
	writeThresholds(w, tr.Thresholds)
}

// maxRises is the number of rises of the threshold that are printed; --json has all.
const maxRises = 8

// writeThresholds prints how the score that a hit must reach rose.
func writeThresholds(w io.Writer, rises []query.Threshold) {
	if len(rises) == 0 {
		return
	}
	fmt.Fprintf(w, "threshold, by docID reached:")
	n := min(len(rises), maxRises)
	for i := range n {
		t := rises[i*(len(rises)-1)/max(n-1, 1)]
		fmt.Fprintf(w, " %s at %s", cli.Float(float64(t.Score), 5), cli.Count(t.Doc))
		if i < n-1 {
			fmt.Fprint(w, ",")
		}
	}
	if len(rises) > n {
		fmt.Fprintf(w, " (%d of %s rises)", n, cli.Count(len(rises)))
	}
	fmt.Fprintln(w)
}

// writeRun writes the lines of a TREC run.
func (s *session) writeRun(cmd *cobra.Command, qs []question) error {
	if err := checkRun(qs); err != nil {
		return err
	}
	if s.f.run == "-" {
		return s.runLines(cmd, cmd.OutOrStdout(), qs)
	}
	out, err := os.Create(s.f.run)
	if err != nil {
		return err
	}
	err = s.runLines(cmd, out, qs)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	return err
}
