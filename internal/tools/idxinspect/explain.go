package idxinspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/tools/idxquery"
	"github.com/pinion-index/pinion/query"
)

// Explanation is what `idxinspect explain` prints: how a document gets its score.
type Explanation struct {
	Query     string      `json:"query"`
	Analyzer  string      `json:"analyzer"` // empty if the index has a schema, as all that is by field
	Doc       uint32      `json:"doc"`
	ID        cli.Text    `json:"id"`
	Deleted   bool        `json:"deleted"`
	Length    uint32      `json:"length"`
	Documents uint64      `json:"documents"`
	AvgLength float64     `json:"average_length"`
	K1        float64     `json:"k1"`
	B         float64     `json:"b"`
	Terms     []TermScore `json:"terms"`
	Score     float32     `json:"score"`
}

// TermScore is the score of one term, in the order in which scores are summed.
type TermScore struct {
	Field  string   `json:"field,omitempty"`
	Length uint32   `json:"length,omitempty"` // of the document in the field
	Term   cli.Text `json:"term"`
	Times  int      `json:"times"` // in the query
	DF     uint64   `json:"df"`
	IDF    float64  `json:"idf"`
	Weight float32  `json:"weight"`
	TF     uint32   `json:"tf"`
	Score  float32  `json:"score"`
	Sum    float32  `json:"sum"` // after this term
}

func explainCommand() *cobra.Command {
	o := idxquery.TraceOptions{Params: query.DefaultParams()}
	trace := false
	mode, algo := cli.NewChoice("MODE", query.ModeOr.String(), query.ModeAnd.String(), query.ModeAndOr.String()), cli.NewChoice("NAME", idxquery.Algorithms()...)
	device, steps := cli.NewChoice("DEVICE", "cpu", "gpu", "hybrid"), idxquery.NewSteps()
	cmd := command("explain INDEX QUERY ID", "Show how a document gets its score, or what a query does",
		`Terms are shown in the order in which their scores are summed: by ascending document
frequency in the whole index. All steps are in 32-bit floats, as in a query. Deleted
documents do not count in the statistics.

With --trace there is no ID. It answers the query and shows what that did: the blocks
of each list that were decoded, skipped by their bound or skipped by the skip header,
pivots, how the threshold rose, and the time. With --device gpu or hybrid it shows on
which processor each step ran and why; lists are copied to the device first.`,
		`  idxinspect explain kjv.idx "the lord is my shepherd" Psa23:1
  idxinspect explain --trace --mode and kjv.idx "the lord is my shepherd"`,
		nil, func(cmd *cobra.Command, args []string) (report, error) {
			if err := o.Params.Check(); err != nil {
				return nil, cli.Usage("%w", err)
			}
			if trace {
				if err := idxquery.CheckAlgorithm(algo.Value, mode.Value); err != nil {
					return nil, err
				}
				if cmd.Flags().Changed("steps") && device.Value != "hybrid" {
					return nil, cli.Usage("--steps takes --device hybrid")
				}
				o.Mode, o.Algorithm, o.Device, o.Steps = mode.Value, algo.Value, device.Value, steps.Value
				o.Params = idxquery.GivenParams(cmd, o.Params)
				a, text, err := idxquery.Explain(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), args[0], args[1], o)
				if err != nil {
					return nil, err
				}
				return traced{a, text}, nil
			}
			for _, name := range []string{"k", "mode", "algo", "device", "steps"} {
				if cmd.Flags().Changed(name) {
					return nil, cli.Usage("--%s goes with --trace", name)
				}
			}
			var e *Explanation
			err := withIndex(args[0], func(x *index) (err error) {
				e, err = explain(x, args[0], idxquery.GivenParams(cmd, o.Params), args[1], args[2])
				return err
			})
			if err != nil {
				return nil, err
			}
			return e, nil
		})
	one, many := cli.Want("INDEX", "QUERY", "ID"), cli.Want("INDEX", "QUERY")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if trace {
			return many(cmd, args)
		}
		return one(cmd, args)
	}
	fl := cmd.Flags()
	fl.Float64Var(&o.Params.K1, "k1", o.Params.K1, "BM25's k1")
	fl.Float64Var(&o.Params.B, "b", o.Params.B, "BM25's b")
	fl.BoolVar(&trace, "trace", false, "answer the query and show what that did")
	cli.Int(fl, &o.K, "k", 10, 1, cli.Any, "with --trace: find the best `N` documents")
	fl.Var(mode, "mode", "with --trace: which documents match: "+mode.Words())
	fl.Var(algo, "algo", "with --trace: how to find them: "+algo.Words())
	fl.Var(device, "device", "with --trace: where to find them: "+device.Words())
	fl.Var(steps, "steps", "with --trace: where the steps of a query run: "+steps.Words())
	return cmd
}

// traced is what --trace prints.
type traced struct {
	*idxquery.Answer
	lines []byte
}

func (t traced) text(w io.Writer) { w.Write(t.lines) }

// errParts is the error for words whose scores are not those of their terms alone.
var errParts = errors.New("words of this index have parts, and score as phrases of them: use idxinspect explain with --trace")

func explain(x *index, dir string, params query.Params, text, id string) (*Explanation, error) {
	g, doc, err := x.findID(id)
	if err != nil {
		return nil, err
	}
	if g.Meta().Fields > 0 {
		return explainFields(dir, params, text, id)
	}
	a, err := analysis.New(x.analyzer())
	if err != nil {
		return nil, err
	}
	if _, ok := a.(analysis.Compound); ok {
		return nil, errParts
	}
	st := x.stats()
	sc, err := search.NewScorer(params, st)
	if err != nil {
		return nil, err
	}
	e := &Explanation{Query: text, Analyzer: a.Name() + "(" + a.Options() + ")", Doc: g.base + doc, ID: cli.Text(id), Deleted: g.deleted(doc),
		Documents: st.Docs, AvgLength: float64(st.Tokens) / max(float64(st.Docs), 1)}
	e.K1, e.B = params.Values()
	if e.Length, err = g.Documents().Length(doc); err != nil {
		return nil, err
	}
	for _, term := range analysis.Terms(a.Tokenizer(), []byte(text)) {
		if err := e.addTerm(x, g, doc, term); err != nil {
			return nil, err
		}
	}
	e.sum(sc)
	return e, nil
}

// addTerm looks up a term, or counts another occurrence of it.
func (e *Explanation) addTerm(x *index, g *seg, doc uint32, term []byte) error {
	for i := range e.Terms {
		if e.Terms[i].Term == cli.Text(term) {
			e.Terms[i].Times++
			return nil
		}
	}
	t := TermScore{Term: cli.Text(term), Times: 1}
	for _, s := range x.segs {
		entry, ok, err := s.Lists().Lookup(term)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		live, err := s.deletes.Live(s.Segment, entry)
		if err != nil {
			return err
		}
		t.DF += uint64(live)
		if s != g {
			continue
		}
		l, err := s.Lists().List(entry)
		if err != nil {
			return err
		}
		err = enough(eachPosting(context.Background(), g, l, g.base+doc, func(p *Posting) error {
			if p.Doc == g.base+doc {
				t.TF = p.TF
			}
			return errEnough
		}))
		if err != nil {
			return err
		}
	}
	e.Terms = append(e.Terms, t)
	return nil
}

// sum adds the scores in canonical order.
func (e *Explanation) sum(sc *search.Scorer) {
	slices.SortFunc(e.Terms, func(a, b TermScore) int {
		switch {
		case a.DF != b.DF && a.DF < b.DF, a.DF == b.DF && a.Term < b.Term:
			return -1
		}
		return 1
	})
	first := true
	for i := range e.Terms {
		t := &e.Terms[i]
		if t.DF > 0 {
			t.IDF = sc.IDF(t.DF)
			t.Weight = sc.Weight(t.DF, t.Times)
		}
		if t.TF > 0 {
			t.Score = search.Score(t.Weight, float32(t.TF), sc.Norm(e.Length))
			if first {
				e.Score, first = t.Score, false
			} else {
				e.Score = float32(e.Score + t.Score)
			}
		}
		t.Sum = e.Score
	}
}

func (e *Explanation) text(w io.Writer) {
	t := cli.NewTable("", "")
	t.Row("query", e.Query)
	if e.Analyzer == "" {
		e.fieldsText(w, t)
		return
	}
	t.Row("analyzer", e.Analyzer)
	t.Row("document", fmt.Sprintf("%s (docID %s), %s tokens", cli.Quote(e.ID), cli.Count(e.Doc), cli.Count(e.Length)))
	if e.Deleted {
		t.Row("", "deleted: it is never a hit")
	}
	t.Row("index", fmt.Sprintf("%s of %s tokens on average", cli.Number(e.Documents, "document"), cli.Float(e.AvgLength, 4)))
	t.Row("bm25", fmt.Sprintf("k1 = %v, b = %v", e.K1, e.B))
	t.Row("score", float32Text(e.Score))
	t.WriteTo(w)
	fmt.Fprintln(w)
	t = cli.NewTable("term", ">in query", ">df", ">idf", ">weight", ">tf", ">score", ">sum")
	for _, s := range e.Terms {
		t.Row(cli.Quote(s.Term), s.Times, s.DF, cli.Float(s.IDF, 6), float32Text(s.Weight), s.TF, float32Text(s.Score), float32Text(s.Sum))
	}
	t.WriteTo(w)
}

func float32Text(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }
