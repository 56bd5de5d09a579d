package inspect

import (
	"container/heap"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/pinion-index/pinion/internal/cli"
)

// Terms is what `idxinspect terms --sort df` prints. In bytewise order it prints terms as it
// reads them, in the same form.
type Terms struct {
	Terms []TermEntry `json:"terms"`
	More  bool        `json:"more"`
	limit int
}

// TermEntry is one term of the index.
type TermEntry struct {
	Term     cli.Text `json:"term"`
	DF       uint64   `json:"df"` // without deleted documents
	Segments int      `json:"segments"`
	Forms    []string `json:"forms"`
}

// Term returns the current term of a walk over the segments of x.
func (x *Index) Term(w *Walk) (t TermEntry, err error) {
	t = TermEntry{Term: cli.Text(w.Term()), Segments: len(w.At())}
	for _, i := range w.At() {
		e := w.Entry(i)
		t.Forms = append(t.Forms, e.Kind.String())
		live, err := x.Segs[i].Deletes.Live(x.Segs[i].Segment, e)
		if err != nil {
			if w.Damaged == nil {
				return t, err
			}
			w.Damaged(i, err)
			live = e.DF
		}
		t.DF += uint64(live)
	}
	return t, nil
}

// Frequent returns the terms of a walk with the highest df, but the first skip of them: as many as limit, or all if
// that is 0.
func (x *Index) Frequent(ctx context.Context, w *Walk, skip, limit int) (*Terms, error) {
	out := &Terms{limit: limit}
	var h termHeap
	for n := 0; w.Next(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		full := limit > 0 && len(h) == skip+limit
		if full {
			out.More = true
			if w.Postings() <= h[0].DF { // the earlier term stays; which documents are deleted makes no difference
				continue
			}
		}
		t, err := x.Term(w)
		switch {
		case err != nil:
			return nil, err
		case full && t.DF <= h[0].DF:
			continue
		case full:
			heap.Pop(&h)
		}
		heap.Push(&h, t)
	}
	out.Terms = make([]TermEntry, len(h))
	for i := len(h) - 1; i >= 0; i-- {
		out.Terms[i] = heap.Pop(&h).(TermEntry)
	}
	out.Terms = out.Terms[min(skip, len(out.Terms)):]
	return out, w.Err()
}

// termHeap has the term to drop first on top: lowest df, then last in order.
type termHeap []TermEntry

func (h termHeap) Len() int { return len(h) }
func (h termHeap) Less(i, j int) bool {
	return h[i].DF < h[j].DF || h[i].DF == h[j].DF && h[i].Term > h[j].Term
}
func (h termHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *termHeap) Push(t any)   { *h = append(*h, t.(TermEntry)) }
func (h *termHeap) Pop() any {
	t := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return t
}

// TermHeads are the heads of a table of terms, for cli.NewRowWriter.
var TermHeads = []string{"term", ">df", ">segments", "form in each"}

// Cells returns the row of t in such a table.
func (t *TermEntry) Cells() []string {
	return []string{cli.Quote(t.Term), cli.Count(t.DF), cli.Count(t.Segments), strings.Join(t.Forms, " ")}
}

// Text prints t as a table.
func (t *Terms) Text(w io.Writer) {
	if len(t.Terms) == 0 {
		fmt.Fprintln(w, "no terms")
		return
	}
	tab := cli.NewRowWriter(w, TermHeads...)
	for i := range t.Terms {
		tab.Row(t.Terms[i].Cells()...)
	}
	tab.Flush()
	if t.More {
		fmt.Fprintf(w, "... more than %d: see --limit\n", t.limit)
	}
}
