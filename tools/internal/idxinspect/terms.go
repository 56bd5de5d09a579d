package idxinspect

import (
	"cmp"
	"container/heap"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/tools/internal/indexstats"
)

// Terms is what `idxinspect terms --sort df` prints. In bytewise order it prints terms as it
// reads them, in the same form.
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
	var prefix, from, field string
	var limit int
	order := cli.NewChoice("ORDER", "term", "df")
	cmd := command("terms INDEX", "List terms with their document frequency",
		"Document frequencies are those of scoring: they leave deleted documents out.",
		`  idxinspect terms --prefix shep kjv.idx
  idxinspect terms --sort df --limit 20 kjv.idx
  idxinspect terms --limit 0 --json kjv.idx | jq -r '.terms[].term'`,
		[]string{"INDEX"}, func(cmd *cobra.Command, args []string) (report, error) {
			var out *Terms
			err := withIndex(args[0], func(x *index) (err error) {
				if err := x.choose(field); err != nil {
					return err
				}
				if order.Value == "term" {
					return listTerms(cmd, x, prefix, from, limit)
				}
				out, err = frequentTerms(x, prefix, from, limit)
				return err
			})
			if err != nil || out == nil {
				return nil, err
			}
			return out, nil
		})
	fieldFlag(cmd, &field)
	cmd.Flags().StringVar(&prefix, "prefix", "", "only terms that begin with `TEXT`")
	cmd.Flags().StringVar(&from, "from", "", "only terms from `TERM` on")
	cmd.Flags().Var(order, "sort", "order: "+order.Words())
	cli.Int(cmd.Flags(), &limit, "limit", 50, 0, cli.Any, "at most `N` terms, 0 for all")
	return cmd
}

// listTerms prints terms in bytewise order as it reads them.
func listTerms(cmd *cobra.Command, x *index, prefix, from string, limit int) (err error) {
	m := newTermMerge(x, prefix, from)
	n, more := 0, false
	next := func() bool {
		if !m.next() {
			return false
		}
		more = limit > 0 && n == limit
		n++
		return !more
	}
	w := cmd.OutOrStdout()
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
		j, err := cli.NewJSONWriter(w)
		if err == nil {
			err = j.Array("terms")
		}
		for err == nil && next() {
			t := m.term()
			err = j.Element(&t)
		}
		return cmp.Or(err, m.err, j.EndArray(), j.Member("more", more), j.Close())
	}
	t := cli.NewRowWriter(w, termHeads...)
	for err == nil && next() {
		e := m.term()
		err = t.Row(e.cells()...)
	}
	if n == 0 && err == nil && m.err == nil {
		fmt.Fprintln(w, "no terms")
		return nil
	}
	if err = cmp.Or(err, m.err, t.Flush()); err == nil && more {
		fmt.Fprintf(w, "... more than %d: see --limit\n", limit)
	}
	return err
}

var termHeads = []string{"term", ">df", ">segments", "form in each"}

func (t *Term) cells() []string {
	return []string{cli.Quote(t.Term), cli.Count(t.DF), cli.Count(t.Segments), strings.Join(t.Forms, " ")}
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
	return &termMerge{Walk: indexstats.NewFieldWalk(x.segments(), x.field, prefix, from), segs: x.segs}
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
	tab := cli.NewRowWriter(w, termHeads...)
	for i := range t.Terms {
		tab.Row(t.Terms[i].cells()...)
	}
	tab.Flush()
	if t.More {
		fmt.Fprintf(w, "... more than %d: see --limit\n", t.limit)
	}
}
