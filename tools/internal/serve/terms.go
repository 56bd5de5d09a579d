package serve

import (
	"net/http"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/tools/internal/indexstats"
)

// rows is the number of rows of a page.
const rows = 100

// terms is a page of the dictionary.
type terms struct {
	Prefix, From string
	Terms        []termRow
	next         string // the first term of the page behind
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
	walk := indexstats.NewWalk(s.main.segments(), t.Prefix, t.From)
	walk.Damaged = func(i int, err error) { t.Damage = append(t.Damage, err.Error()) }
	for walk.Next() {
		if len(t.Terms) == rows {
			t.next = string(walk.Term())
			break
		}
		row := termRow{Term: string(walk.Term()), Segments: len(walk.At())}
		row.Link = link("list", "term", row.Term)
		for _, i := range walk.At() {
			e := walk.Entry(i)
			row.Postings += uint64(e.DF)
			row.Form = longer(row.Form, e.Kind)
		}
		t.Terms = append(t.Terms, row)
	}
	return t, walk.Err()
}

// longer returns the form of the longest of a term's lists.
func longer(form string, k segment.Kind) string {
	if form == "" || k == segment.KindExtent || k == segment.KindCompact && form == segment.KindSingleton.String() {
		return k.String()
	}
	return form
}

func (t terms) links() (prev, next string) {
	if t.From != "" {
		prev = link("terms", "prefix", t.Prefix) // the dictionary is walked forwards
	}
	if t.next != "" {
		next = link("terms", "prefix", t.Prefix, "from", t.next)
	}
	return prev, next
}

// located adds the term to an error.
func located(err error, term string) error {
	return format.Locate(err, format.Place{List: term, Block: format.NoBlock})
}
