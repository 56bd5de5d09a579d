package gitea

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/filter"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/search"
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
	err = index.View(func(v *pinion.View) error {
		finder, err := v.Searcher()
		if err == nil {
			found, err = answer(ctx, v.Snapshot(), finder, &r, x.o.Edits)
		}
		return err
	})
	return found, err
}

// Reader searches an index that an Indexer, in this process or another, may change meanwhile. It takes no lock, and writes
// nothing. It is safe for concurrent use.
type Reader struct {
	index *reader.Index
	edits int
}

// OpenReader opens the index in a directory, which must have one. Of the options it heeds Edits.
func OpenReader(dir string, o Options) (*Reader, error) {
	index, err := reader.Open(place(dir, version))
	if err != nil {
		return nil, err
	}
	return &Reader{index: index, edits: o.Edits}, nil
}

// Search is that of Indexer. It sees what calls had acknowledged before it began.
func (x *Reader) Search(ctx context.Context, r Request) (found Found, err error) {
	if _, err := x.index.Refresh(); err != nil {
		return Found{}, err
	}
	s, err := x.index.Snapshot()
	if err != nil {
		return Found{}, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	finder, err := query.NewSearcher(s, query.Options{})
	if err != nil {
		return Found{}, err
	}
	defer func() { err = errors.Join(err, finder.Close()) }()
	return answer(ctx, s, finder, &r, x.edits)
}

// Close closes the Reader.
func (x *Reader) Close() error { return x.index.Close() }

// answer is Search over a snapshot.
func answer(ctx context.Context, s *reader.Snapshot, finder *query.Searcher, r *Request, edits int) (Found, error) {
	all, mode := identifiers(r.Keyword), cmp.Or(r.Mode, Exact)
	text, err := inContent(ctx, finder, all, mode, edits)
	if err != nil {
		return Found{}, err
	}
	either := nodes(inName(r.Keyword), text)
	if len(either) == 0 {
		return Found{}, nil
	}
	live := int(max(s.Stats().Live, 1))
	m, err := matching(ctx, finder, r, live, either)
	if errors.Is(err, query.ErrTooManyTerms) && len(either) > 1 { // so many words of names begin so
		m, err = matching(ctx, finder, r, live, either[1:])
	}
	if err != nil {
		return Found{}, err
	}
	found := Found{Total: int64(m.Total)}
	for _, c := range m.languages {
		found.Languages = append(found.Languages, Language{string(c.Value.Bytes()), int(c.Count)})
	}
	pages, err := search.New(s, finder)
	if err != nil {
		return Found{}, err
	}
	defer pages.Close() // returns nil: it closes no file
	page, err := pages.Show(ctx, m.Hits, search.Request{
		Query: m.query, K: max(len(m.Hits), 1), Fields: shown,
		Snippet: &search.Snippet{Field: names[content], Length: math.MaxInt32}, // all of it
	})
	if err != nil {
		return Found{}, err
	}
	want := wantedOf(all, mode)
	for i := range page.Hits {
		found.Results = append(found.Results, result(&page.Hits[i], r.Keyword, &want))
	}
	return found, nil
}

// nodes returns those that are not nil.
func nodes(all ...pinion.Node) []pinion.Node {
	return slices.DeleteFunc(all, func(n pinion.Node) bool { return n == nil })
}

// shown are the fields of a Result, but for its text.
var shown = []string{names[commitID], names[language], names[updated]}

// matches is what matches a Request: the hits of its page, and the counts of all.
type matches struct {
	query.Result
	query     pinion.Node
	languages []query.FacetCount
}

// matching returns what matches one of some nodes. An index has so many live documents.
func matching(ctx context.Context, finder *query.Searcher, r *Request, live int, either []pinion.Node) (m matches, err error) {
	skip := min(max(r.Skip, 0), live)
	last := skip + min(max(r.Take, 0), live-skip)
	q := pinion.Bool{Should: either, AtLeast: 1}
	if len(r.RepoIDs) > 0 {
		q.Filter = append(q.Filter, inRepos(r.RepoIDs))
	}
	facets := query.Query{Node: q, K: max(last, 1), Facets: []query.Facet{{Field: names[language], K: languages}}}
	if r.Language != "" {
		facets.K = 1
	}
	if m.Result, err = finder.Search(ctx, facets); err != nil {
		return m, err
	}
	m.query, m.languages = q, m.Facets[0].Counts
	if r.Language != "" {
		q.Filter = append(slices.Clip(q.Filter), inLanguage(r.Language))
		if m.Result, err = finder.Search(ctx, query.Query{Node: q, K: max(last, 1), Total: true}); err != nil {
			return m, err
		}
	}
	m.Hits = m.Hits[min(skip, len(m.Hits)):min(last, len(m.Hits))]
	return m, nil
}

// inLanguage is passed by the files in a language.
func inLanguage(s string) pinion.Filter {
	return filter.In{Field: names[language], Values: []schema.Value{schema.KeywordValue(language, []byte(s))}}
}

// result returns a hit as a Result.
func result(h *pinion.Hit, keyword string, want *wanted) Result {
	r := Result{Content: string(h.Text)}
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
	if len(h.Spans) == 0 || inNameOf(keyword, r.Filename) {
		r.EndIndex = beginning(h.Text)
	} else {
		r.StartIndex, r.EndIndex = want.shortest(h.Text, h.Spans)
	}
	return r
}
