package serve

import (
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
	inspect.TermEntry
	Link string
}

// Form returns the form of the longest of the term's lists.
func (t termRow) Form() string {
	for _, k := range []segment.Kind{segment.KindExtent, segment.KindCompact} {
		if slices.Contains(t.Forms, k.String()) {
			return k.String()
		}
	}
	return t.Forms[0]
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
	walk := inspect.NewFieldWalk(s.main.Segments(), t.id, t.Prefix, t.From)
	walk.Damaged = func(i int, err error) { t.Damage = append(t.Damage, err.Error()) }
	if t.ByDF {
		if t.skip, err = number(r, "skip", 0, mostSkipped); err != nil {
			return nil, err
		}
		all, err := s.main.Frequent(r.Context(), walk, int(t.skip), rows)
		if err != nil {
			return nil, err
		}
		t.more = all.More
		for _, e := range all.Terms {
			t.add(e)
		}
		return t, nil
	}
	for walk.Next() {
		if len(t.Terms) == rows {
			t.next = string(walk.Term())
			break
		}
		e, err := s.main.Term(walk)
		if err != nil {
			return nil, err
		}
		t.add(e)
	}
	return t, walk.Err()
}

// add adds the row of a term.
func (t *terms) add(e inspect.TermEntry) {
	t.Terms = append(t.Terms, termRow{e, link("list", "field", t.Field, "term", string(e.Term))})
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

// located adds the term to an error.
func located(err error, term string) error {
	return format.Locate(err, format.Place{List: term, Block: format.NoBlock})
}
