package serve

import (
	"cmp"
	"container/heap"
	"net/http"
	"slices"
	"strconv"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/segment"
)

// rows is the number of rows of a page.
const rows = 100

// mostSkipped bounds how far pages of terms by postings go.
const mostSkipped = 10_000

// terms is a page of the dictionary, in order of terms or by postings.
type terms struct {
	chosen
	Prefix, From string
	ByDF         bool
	Other        string // the page in the other order
	Terms        []termRow
	skip         uint64 // by postings: rows on the pages before
	next         string // the first term of the page behind
	more         bool   // by postings: there is a page behind
	Damage       []string
}

type termRow struct {
	Term     string
	Postings uint64
	Segments int
	Form     string
	Link     string
}

func (s *shown) terms(r *http.Request) (any, error) {
	q := r.URL.Query()
	t := terms{Prefix: q.Get("prefix"), From: q.Get("from")}
	var err error
	if t.chosen, err = s.main.choose(r, "terms", "prefix", t.Prefix, "sort", q.Get("sort")); err != nil {
		return nil, err
	}
	switch q.Get("sort") {
	case "df":
		t.ByDF, t.From, t.Other = true, "", link("terms", "prefix", t.Prefix, "field", t.Field)
	case "":
		t.Other = link("terms", "prefix", t.Prefix, "field", t.Field, "sort", "df")
	default:
		return nil, badRequest("sort=%q is not df", q.Get("sort"))
	}
	walk := inspect.NewFieldWalk(s.main.segments(), t.id, t.Prefix, t.From)
	walk.Damaged = func(i int, err error) { t.Damage = append(t.Damage, err.Error()) }
	if t.ByDF {
		if t.skip, err = number(r, "skip", 0, mostSkipped); err != nil {
			return nil, err
		}
		if err := t.frequent(r, walk); err != nil {
			return nil, err
		}
		return t, walk.Err()
	}
	for walk.Next() {
		if len(t.Terms) == rows {
			t.next = string(walk.Term())
			break
		}
		t.Terms = append(t.Terms, t.rowOf(walk, postings(walk)))
	}
	return t, walk.Err()
}

// frequent fills in the terms with the most postings, without those of the pages before.
func (t *terms) frequent(r *http.Request, walk *inspect.Walk) error {
	var h termHeap
	most := int(t.skip) + rows
	for n := 0; walk.Next(); n++ {
		if n%4096 == 0 && r.Context().Err() != nil {
			return r.Context().Err()
		}
		df := postings(walk)
		if len(h) == most {
			if t.more = true; df <= h[0].Postings { // the earlier term stays
				continue
			}
			heap.Pop(&h)
		}
		heap.Push(&h, t.rowOf(walk, df))
	}
	slices.SortFunc(h, func(a, b termRow) int {
		return cmp.Or(cmp.Compare(b.Postings, a.Postings), cmp.Compare(a.Term, b.Term))
	})
	t.Terms = h[min(int(t.skip), len(h)):]
	return nil
}

// postings returns how many postings the walk's term has.
func postings(walk *inspect.Walk) (n uint64) {
	for _, i := range walk.At() {
		n += uint64(walk.Entry(i).DF)
	}
	return n
}

// rowOf returns the row of the walk's term.
func (t *terms) rowOf(walk *inspect.Walk, postings uint64) termRow {
	row := termRow{Term: string(walk.Term()), Postings: postings, Segments: len(walk.At())}
	row.Link = link("list", "field", t.Field, "term", row.Term)
	for _, i := range walk.At() {
		row.Form = longer(row.Form, walk.Entry(i).Kind)
	}
	return row
}

// longer returns the form of the longest of a term's lists.
func longer(form string, k segment.Kind) string {
	if form == "" || k == segment.KindExtent || k == segment.KindCompact && form == segment.KindSingleton.String() {
		return k.String()
	}
	return form
}

func (t terms) links() (prev, next string) {
	switch {
	case t.ByDF:
		at := func(skip uint64) string {
			return link("terms", "field", t.Field, "prefix", t.Prefix, "sort", "df", "skip", strconv.FormatUint(skip, 10))
		}
		if t.skip > 0 {
			prev = at(t.skip - min(t.skip, rows))
		}
		if t.more && t.skip+rows <= mostSkipped {
			next = at(t.skip + rows)
		}
		return prev, next
	case t.From != "":
		prev = link("terms", "field", t.Field, "prefix", t.Prefix) // the dictionary is walked forwards
	}
	if t.next != "" {
		next = link("terms", "field", t.Field, "prefix", t.Prefix, "from", t.next)
	}
	return prev, next
}

// termHeap has the term to drop first on top: fewest postings, then last in order.
type termHeap []termRow

func (h termHeap) Len() int { return len(h) }
func (h termHeap) Less(i, j int) bool {
	return h[i].Postings < h[j].Postings || h[i].Postings == h[j].Postings && h[i].Term > h[j].Term
}
func (h termHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *termHeap) Push(t any)   { *h = append(*h, t.(termRow)) }
func (h *termHeap) Pop() any {
	t := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return t
}

// located adds the term to an error.
func located(err error, term string) error {
	return format.Locate(err, format.Place{List: term, Block: format.NoBlock})
}
