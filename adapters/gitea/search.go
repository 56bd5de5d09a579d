package gitea

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Request says what is searched for, and where.
type Request struct {
	RepoIDs  []int64 // none means all repositories
	Keyword  string
	Language string // "" means all
	Mode     Mode
	Skip     int // how many hits the pages before have
	Take     int // how many this one has at most
}

// Found is the answer to a Request.
type Found struct {
	Total     int64 // how many files match, on this page and all others
	Results   []Result
	Languages []Language // of all files that match, whatever Request.Language is: the ten most frequent
}

// Result is a file that matches.
type Result struct {
	RepoID               int64
	Filename, Language   string
	CommitID             string // with which the file was indexed
	UpdatedAt            time.Time
	Content              string
	StartIndex, EndIndex int // the part of Content, in bytes, that matches; the first lines if the name does
}

// Language is how many files are in a language.
type Language struct {
	Language string
	Count    int
}

// languages is how many of them a Found has.
const languages = 10

// Search returns the files that match: first those by name, then those by text, the best first.
func (x *Indexer) Search(ctx context.Context, r Request) (found Found, err error) {
	index, err := x.opened()
	if err != nil {
		return Found{}, err
	}
	err = index.View(ctx, func(v *pinion.View) error {
		found, err = view{v}.answer(ctx, &r, x.o.Edits)
		return err
	})
	return found, err
}

// Reader searches an index that an Indexer, in this process or another, may change meanwhile. It takes no lock, and writes
// nothing. It is safe for concurrent use.
type Reader struct {
	index *pinion.Reader
	edits int
}

// OpenReader opens the index in a directory, which must have one. Of the options it heeds Edits.
func OpenReader(dir string, o Options) (*Reader, error) {
	index, err := pinion.OpenReader(context.Background(), place(dir, version))
	if err != nil {
		return nil, err
	}
	return &Reader{index: index, edits: o.Edits}, nil
}

// Search is that of Indexer. It sees what calls had acknowledged before it began.
func (x *Reader) Search(ctx context.Context, r Request) (found Found, err error) {
	err = x.index.View(ctx, func(v *pinion.View) error {
		found, err = view{v}.answer(ctx, &r, x.edits)
		return err
	})
	return found, err
}

// Close closes the Reader.
func (x *Reader) Close() error { return x.index.Close() }

// view is the index at one moment.
type view struct{ *pinion.View }

// answer is Search.
func (v view) answer(ctx context.Context, r *Request, edits int) (Found, error) {
	all, mode := identifiers(r.Keyword), cmp.Or(r.Mode, Exact)
	text, err := inContent(ctx, v.View, r.Keyword, all, mode, edits)
	if err != nil {
		return Found{}, err
	}
	either := slices.DeleteFunc([]query.Node{inName(r.Keyword), text}, func(n query.Node) bool { return n == nil })
	if len(either) == 0 {
		return Found{}, nil
	}
	page, counts, err := v.page(ctx, r, either)
	if errors.Is(err, query.ErrTooManyTerms) && len(either) > 1 { // so many words of names begin so
		page, counts, err = v.page(ctx, r, either[1:])
	}
	if err != nil {
		return Found{}, err
	}
	found, want := Found{Total: int64(page.Total)}, wantedOf(all)
	for _, c := range counts {
		found.Languages = append(found.Languages, Language{c.Value.(string), int(c.Count)})
	}
	for i := range page.Hits {
		found.Results = append(found.Results, result(&page.Hits[i], r.Keyword, &want))
	}
	return found, nil
}

// page returns the page of what matches one of some nodes, and how many files of all that match are in each language.
func (v view) page(ctx context.Context, r *Request, either []query.Node) (pinion.Page, []pinion.FacetCount, error) {
	live := int(max(v.Snapshot().Stats().Live, 1))
	skip, take := min(max(r.Skip, 0), live), min(max(r.Take, 0), live)
	q := query.Bool{Should: either, AtLeast: 1}
	if len(r.RepoIDs) > 0 {
		q.Filter = append(q.Filter, inRepos(r.RepoIDs))
	}
	pr := pinion.Request{Query: q, Limit: max(take, 1), Facets: []pinion.Facet{{Field: names[language], Limit: languages}}}
	var counts []pinion.FacetCount
	if r.Language != "" {
		p, err := v.Search(ctx, pinion.Request{Query: q, Limit: 1, Facets: pr.Facets})
		if err != nil {
			return p, nil, err
		}
		counts = p.Facets[0].Counts
		q.Filter = append(slices.Clip(q.Filter), inLanguage(r.Language))
		pr.Query, pr.Facets, pr.Total = q, nil, true
	}
	more := take > 0
	if more && skip > 0 {
		before, err := v.Search(ctx, pinion.Request{Query: q, Limit: skip})
		if err != nil {
			return before, nil, err
		}
		pr.After = before.Next()
		more = pr.After != nil
	}
	if more {
		pr.Fields = []string{names[commitID], names[language], names[updated]}
		pr.Snippet = &pinion.Snippet{Field: names[content], Length: math.MaxInt32} // all of it
	}
	p, err := v.Search(ctx, pr)
	if err != nil {
		return p, nil, err
	}
	if r.Language == "" {
		counts = p.Facets[0].Counts
	}
	if !more {
		p.Hits = nil
	}
	return p, counts, nil
}

// inLanguage is passed by the files in a language.
func inLanguage(s string) query.Node {
	return query.In{Field: names[language], Values: []any{schema.KeywordValue(language, []byte(s))}}
}

// result returns a hit as a Result.
func result(h *pinion.Hit, keyword string, want *wanted) Result {
	p := h.Passage()
	r := Result{Content: p.Text}
	r.RepoID, r.Filename = parseID(h.ID)
	for _, v := range h.Values {
		switch v.Field {
		case commitID:
			r.CommitID = string(v.Bytes())
		case language:
			r.Language = string(v.Bytes())
		case updated:
			r.UpdatedAt = v.Time()
		}
	}
	if len(p.Spans) == 0 || inNameOf(keyword, r.Filename) {
		r.EndIndex = beginning([]byte(p.Text))
	} else {
		r.StartIndex, r.EndIndex = want.shortest([]byte(p.Text), p.Spans)
	}
	return r
}
