package idxinspect

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/segment"
)

// GPUPlan is what `idxinspect gpu-plan` prints: the lists that are worth keeping in
// device memory for a query log.
type GPUPlan struct {
	Queries int                `json:"queries"`
	Budget  int64              `json:"budget"`
	Asked   PlanSum            `json:"asked"`            // every list that the log asks for
	Planned PlanSum            `json:"resident"`         // those that the budget holds
	Whole   float64            `json:"resident_queries"` // share of the log's queries whose lists all fit
	Words   PlanSum            `json:"presence"`         // those whose presence words fit too, and the bytes of these words
	Curve   []inspect.PlanStep `json:"curve"`            // empty for fewer than two queries
	Lists   []PlanList         `json:"lists"`            // the first of the plan
}

// PlanSum counts lists and the bytes of their extents, or of their presence words.
type PlanSum struct {
	Lists int   `json:"lists"`
	Bytes int64 `json:"bytes"`
}

// PlanList is one list of a plan.
type PlanList struct {
	Field   string   `json:"field,omitempty"`
	Term    cli.Text `json:"term"`
	Segment string   `json:"segment"`
	DF      uint32   `json:"df"`
	Bytes   int64    `json:"bytes"`
	Uses    int      `json:"uses"`
	words   int64
}

func gpuPlanCommand() *cobra.Command {
	budget := cli.ByteSize(8 << 30)
	queries, top := "", 10
	cmd := command("gpu-plan INDEX", "Plan which lists to keep on a GPU",
		`Lists are taken in order of uses per byte until the budget is full. The table predicts
what queries that are not in the log find resident: what a plan made from every other query
has for the remaining ones. It ends with the budget that holds all of that plan.
Lists of fewer than 128 postings are sent with the queries and take no memory. Presence
words, which save most lookups in long lists, get what the lists leave of the budget.`,
		"  idxinspect gpu-plan --queries topics.tsv kjv.idx\n  idxinspect gpu-plan --budget 8GiB --queries topics.tsv kjv.idx",
		[]string{"INDEX"}, func(_ *cobra.Command, args []string) (report, error) {
			if queries == "" {
				return nil, cli.Usage("--queries is missing")
			}
			return opened(args[0], func(x *inspect.Index) (*GPUPlan, error) {
				l, err := newPlanLog(x, queries)
				if err != nil {
					return nil, err
				}
				return l.plan(int64(budget), top), nil
			})
		})
	cmd.Flags().Var(&budget, "budget", "device memory for lists")
	cmd.Flags().StringVar(&queries, "queries", "", cli.QueriesUsage+" (required)")
	cli.Int(cmd.Flags(), &top, "top", top, 0, cli.Any, "show the first `N` lists of the plan")
	return cmd
}

// planLog is what the queries of a log ask for.
type planLog struct {
	*inspect.Index
	lists   map[gpu.Key]PlanList
	queries [][]gpu.Key
}

// newPlanLog looks up the lists of every query of a log.
func newPlanLog(x *inspect.Index, path string) (*planLog, error) {
	l := &planLog{Index: x, lists: map[gpu.Key]PlanList{}}
	words, err := x.Words()
	if err != nil {
		return nil, err
	}
	src, _, err := exchange.OpenQueries(path, exchange.QueriesAuto)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	for {
		d, err := src.Next()
		if err == io.EOF {
			return l, nil
		}
		if err != nil {
			return nil, err
		}
		var keys []gpu.Key
		for _, w := range words {
			for _, term := range analysis.Terms(w.Analyzer.Tokenizer(), d.Contents) {
				if keys, err = l.ask(keys, &w, term); err != nil {
					return nil, err
				}
			}
		}
		l.queries = append(l.queries, keys)
	}
}

// ask appends the extents of a term in a field that the query has not asked for yet.
func (l *planLog) ask(keys []gpu.Key, w *inspect.Words, term []byte) ([]gpu.Key, error) {
	for i, g := range l.Segs {
		e, ok, err := inspect.LookupIn(g.Segment, w.Field, term)
		if err != nil {
			return nil, err
		}
		k := gpu.Key{Segment: i, Offset: e.Offset}
		if !ok || e.Kind != segment.KindExtent || slices.Contains(keys, k) {
			continue
		}
		keys = append(keys, k)
		if _, ok := l.lists[k]; ok {
			continue
		}
		v, err := g.Lists().List(e)
		if err != nil {
			return nil, err
		}
		l.lists[k] = PlanList{Field: w.Name, Term: cli.Text(term), Segment: g.File, DF: e.DF, Bytes: int64(len(v.Extent())),
			words: gpu.PresenceBytes(e.DF, g.Meta().Docs)}
	}
	return keys, nil
}

// demands counts what the queries with index from, from+step and so on ask for, and
// plans for them.
func (l *planLog) demands(from, step int) []gpu.Demand {
	uses := map[gpu.Key]int{}
	for i := from; i < len(l.queries); i += step {
		for _, k := range l.queries[i] {
			uses[k]++
		}
	}
	var out []gpu.Demand
	for k, n := range uses {
		out = append(out, gpu.Demand{Key: k, Bytes: l.lists[k].Bytes, Uses: n})
	}
	gpu.ByUse(out)
	return out
}

func (l *planLog) plan(budget int64, top int) *GPUPlan {
	all := l.demands(0, 1)
	resident, bytes := gpu.Fit(all, budget)
	p := &GPUPlan{Queries: len(l.queries), Budget: budget, Planned: PlanSum{len(resident), bytes}, Curve: []inspect.PlanStep{}, Lists: []PlanList{}}
	for _, d := range all {
		p.Asked.Lists++
		p.Asked.Bytes += d.Bytes
		if w := l.lists[d.Key].words; resident[d.Key] && w > 0 && w <= budget-bytes-p.Words.Bytes {
			p.Words.Lists++
			p.Words.Bytes += w
		}
		if len(p.Lists) < top && resident[d.Key] {
			v := l.lists[d.Key]
			v.Uses = d.Uses
			p.Lists = append(p.Lists, v)
		}
	}
	p.Whole = l.whole(resident)
	if len(l.queries) < 2 {
		return p // nothing to try a plan on
	}
	half := l.demands(0, 2)
	for b := budget / 16; b <= 2*budget && b > 0; b *= 2 {
		p.Curve = append(p.Curve, l.try(half, b))
	}
	return p
}

// whole returns the share of the queries whose lists are all resident.
func (l *planLog) whole(resident map[gpu.Key]bool) float64 {
	n := 0
	for _, keys := range l.queries {
		if !slices.ContainsFunc(keys, func(k gpu.Key) bool { return !resident[k] }) {
			n++
		}
	}
	return float64(n) / float64(max(len(l.queries), 1))
}

// try counts the hits of the other half of the queries with a plan and a budget.
func (l *planLog) try(plan []gpu.Demand, budget int64) inspect.PlanStep {
	resident, bytes := gpu.Fit(plan, budget)
	planned := map[gpu.Key]bool{}
	for _, d := range plan {
		planned[d.Key] = true
	}
	s := inspect.PlanStep{Budget: budget, Bytes: bytes}
	var lists, queries int
	var sizes int64
	for i := 1; i < len(l.queries); i += 2 {
		whole := 1.0
		for _, k := range l.queries[i] {
			n := l.lists[k].Bytes
			lists++
			sizes += n
			switch {
			case resident[k]:
				s.Lists++
				s.ByteHits += float64(n)
				continue
			case !planned[k]:
				s.New++
			}
			whole = 0
		}
		queries++
		s.Queries += whole
	}
	if lists == 0 { // nothing is missing
		s.Lists, s.ByteHits, lists, sizes = 1, 1, 1, 1
	}
	s.Lists /= float64(max(lists, 1))
	s.New /= float64(max(lists, 1))
	s.ByteHits /= float64(max(sizes, 1))
	s.Queries /= float64(max(queries, 1))
	return s
}

func (p *GPUPlan) Text(w io.Writer) {
	if budget := (*cli.ByteSize)(&p.Budget); p.Planned == p.Asked {
		fmt.Fprintf(w, "all %s that the log asks for fit: %s bytes of %s\n", cli.Number(p.Asked.Lists, "list"), cli.Count(p.Asked.Bytes), budget)
	} else {
		fmt.Fprintf(w, "of %[2]s that the log asks for %[1]s fit: %[3]s of %[4]s bytes in %[5]s\n", cli.Count(p.Planned.Lists), cli.Number(p.Asked.Lists, "list"),
			cli.Count(p.Planned.Bytes), cli.Count(p.Asked.Bytes), budget)
	}
	fmt.Fprintf(w, "and beside them presence words of %s, %s bytes\n", cli.Number(p.Words.Lists, "list"), cli.Count(p.Words.Bytes))
	fmt.Fprintf(w, "all lists of a query fit for %s of %s of the log\n\n", percent(p.Whole), cli.Number(p.Queries, "query"))
	if len(p.Curve) > 0 && p.Asked.Lists > 0 {
		p.predict(w)
	}
	t := cli.NewTable("term", "segment", ">df", ">bytes", ">uses")
	for _, v := range p.Lists {
		t.Row(inField(v.Field, string(v.Term)), v.Segment, v.DF, v.Bytes, v.Uses)
	}
	t.WriteTo(w)
}

// predict prints the curve, up to the first budget that holds the whole plan: more memory changes nothing.
func (p *GPUPlan) predict(w io.Writer) {
	fmt.Fprint(w, `predicted for queries not in the log (planned from every other query, tried on the rest). Of the lists
that they ask for, some are resident, some had no room, and some are new: no query of the plan asks
for them, and they are loaded once if there is room then.
`)
	t := cli.NewTable(">budget", ">resident bytes", ">lists resident", ">no room", ">new", ">bytes resident", ">queries with all")
	last := p.Curve[len(p.Curve)-1]
	for _, s := range p.Curve {
		t.Row((*cli.ByteSize)(&s.Budget).String(), cli.Count(s.Bytes), percent(s.Lists), percent(max(1-s.Lists-s.New, 0)), percent(s.New), percent(s.ByteHits), percent(s.Queries))
		if s.Bytes == last.Bytes {
			last = s
			break
		}
	}
	t.WriteTo(w)
	if p.Budget > last.Budget {
		fmt.Fprintf(w, "%s has room for all of that plan: more changes nothing\n", (*cli.ByteSize)(&last.Budget))
	}
	fmt.Fprintln(w)
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
