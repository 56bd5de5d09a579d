package idxinspect

import (
	"cmp"
	"container/heap"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/indexstats"
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
	var which selection
	var field string
	var limit int
	order := cli.NewChoice("ORDER", "term", "df")
	cmd := command("terms INDEX", "List terms with their document frequency",
		`Document frequencies are those of scoring: they leave deleted documents out.

In the PATTERN of --match, * stands for any number of characters, ? for one, and
\ takes away the meaning of what follows. The EXPRESSION of --regexp is one of
Go's (RE2), without flags, anchors and \p; it matches whole terms. --fuzzy takes a
word, or a word and ~1: terms that up to two edits, or one, make of it. An edit
inserts, deletes or replaces a character or swaps two adjacent ones.`,
		`  idxinspect terms --prefix shep kjv.idx
  idxinspect terms --match 's*herd?' kjv.idx
  idxinspect terms --fuzzy sheperd~1 kjv.idx
  idxinspect terms --sort df --limit 20 kjv.idx
  idxinspect terms --limit 0 --json kjv.idx | jq -r '.terms[].term'`,
		[]string{"INDEX"}, func(cmd *cobra.Command, args []string) (report, error) {
			if err := which.compile(); err != nil {
				return nil, err
			}
			var out *Terms
			err := withIndex(args[0], func(x *index) (err error) {
				if err := x.choose(field); err != nil {
					return err
				}
				if order.Value == "term" {
					return listTerms(cmd, x, &which, limit)
				}
				out, err = frequentTerms(x, &which, limit)
				return err
			})
			if err != nil || out == nil {
				return nil, err
			}
			return out, nil
		})
	fieldFlag(cmd, &field)
	which.flags(cmd)
	cmd.Flags().Var(order, "sort", "order: "+order.Words())
	cli.Int(cmd.Flags(), &limit, "limit", 50, 0, cli.Any, "at most `N` terms, 0 for all")
	return cmd
}

// listTerms prints terms in bytewise order as it reads them.
func listTerms(cmd *cobra.Command, x *index, which *selection, limit int) (err error) {
	m := newTermMerge(x, which)
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
func frequentTerms(x *index, which *selection, limit int) (*Terms, error) {
	out := &Terms{limit: limit}
	var h termHeap
	m := newTermMerge(x, which)
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
	segs  []*seg
	which *selection
	df    uint64 // of the current term, without deleted documents
	err   error
}

func newTermMerge(x *index, which *selection) *termMerge {
	return &termMerge{Walk: which.walk(x), segs: x.segs, which: which}
}

// next moves to the next term.
func (m *termMerge) next() bool {
	if m.err != nil || !m.Next() {
		m.err = cmp.Or(m.err, m.Err(), m.which.err())
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
