package idxinspect

import (
	"container/heap"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/tools/internal/cli"
	"github.com/pinion-index/pinion/tools/internal/indexstats"
)

// Terms is what `idxinspect terms` prints.
type Terms struct {
	Terms []Term `json:"terms"`
	More  bool   `json:"more"`
	limit int
}

// Term is one term of the index.
type Term struct {
	Term     cli.Text `json:"term"`
	DF       uint64   `json:"df"`
	Segments int      `json:"segments"`
	Forms    []string `json:"forms"`
}

func termsCommand() *cobra.Command {
	var prefix, from string
	var limit int
	order := cli.NewChoice("ORDER", "term", "df")
	cmd := command("terms INDEX", "List terms with their document frequency",
		"Document frequencies are those of scoring: they leave deleted documents out.",
		`  idxinspect terms --prefix shep kjv.idx
  idxinspect terms --sort df --limit 20 kjv.idx
  idxinspect terms --limit 0 --json kjv.idx | jq -r '.terms[].term'`,
		[]string{"INDEX"}, func(_ *cobra.Command, args []string) (report, error) {
			var out *Terms
			err := withIndex(args[0], func(x *index) (err error) {
				if order.Value == "df" {
					out, err = frequentTerms(x, prefix, from, limit)
				} else {
					out, err = listTerms(x, prefix, from, limit)
				}
				return err
			})
			if err != nil {
				return nil, err
			}
			return out, nil
		})
	cmd.Flags().StringVar(&prefix, "prefix", "", "only terms that begin with `TEXT`")
	cmd.Flags().StringVar(&from, "from", "", "only terms from `TERM` on")
	cmd.Flags().Var(order, "sort", "order: "+order.Words())
	cli.Int(cmd.Flags(), &limit, "limit", 50, 0, cli.Any, "at most `N` terms, 0 for all")
	return cmd
}

func listTerms(x *index, prefix, from string, limit int) (*Terms, error) {
	out := &Terms{Terms: []Term{}, limit: limit}
	m := newTermMerge(x, prefix, from)
	for m.next() {
		if limit > 0 && len(out.Terms) == limit {
			out.More = true
			break
		}
		out.Terms = append(out.Terms, m.term())
	}
	return out, m.err
}

// frequentTerms returns the limit terms with the highest df.
func frequentTerms(x *index, prefix, from string, limit int) (*Terms, error) {
	out := &Terms{limit: limit}
	var h termHeap
	m := newTermMerge(x, prefix, from)
	for m.next() {
		if limit > 0 && len(h) == limit {
			out.More = true
			if m.df <= h[0].DF {
				continue
			}
			heap.Pop(&h)
		}
		heap.Push(&h, m.term())
	}
	out.Terms = make([]Term, len(h))
	for i := len(h) - 1; i >= 0; i-- {
		out.Terms[i] = heap.Pop(&h).(Term)
	}
	return out, m.err
}

// termHeap has the term to drop first on top: lowest df, then last in order.
type termHeap []Term

func (h termHeap) Len() int { return len(h) }
func (h termHeap) Less(i, j int) bool {
	return h[i].DF < h[j].DF || h[i].DF == h[j].DF && h[i].Term > h[j].Term
}
func (h termHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *termHeap) Push(t any)   { *h = append(*h, t.(Term)) }
func (h *termHeap) Pop() any {
	t := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return t
}

// termMerge walks the terms of all segments in order.
type termMerge struct {
	*indexstats.Walk
	segs []*seg
	df   uint64 // of the current term, without deleted documents
	err  error
}

func newTermMerge(x *index, prefix, from string) *termMerge {
	return &termMerge{Walk: indexstats.NewWalk(x.segments(), prefix, from), segs: x.segs}
}

// next moves to the next term.
func (m *termMerge) next() bool {
	if m.err != nil || !m.Next() {
		if m.err == nil {
			m.err = m.Err()
		}
		return false
	}
	m.df = 0
	for _, i := range m.At() {
		live, err := m.segs[i].deletes.Live(m.segs[i].Segment, m.Entry(i))
		if err != nil {
			m.err = err
			return false
		}
		m.df += uint64(live)
	}
	return true
}

func (m *termMerge) term() Term {
	t := Term{Term: cli.Text(m.Term()), DF: m.df, Segments: len(m.At())}
	for _, i := range m.At() {
		t.Forms = append(t.Forms, m.Entry(i).Kind.String())
	}
	return t
}

func (t *Terms) text(w io.Writer) {
	if len(t.Terms) == 0 {
		fmt.Fprintln(w, "no terms")
		return
	}
	tab := cli.NewTable("term", ">df", ">segments", "form in each")
	for _, e := range t.Terms {
		tab.Row(cli.Quote(e.Term), e.DF, e.Segments, strings.Join(e.Forms, " "))
	}
	tab.WriteTo(w)
	if t.More {
		fmt.Fprintf(w, "... more than %d: see --limit\n", t.limit)
	}
}
