package engine

import (
	"slices"
	"sync"

	"github.com/pinion-index/pinion/internal/engine/bm25"
)

// Params are parameters of scores, as in query.Params.
type Params struct {
	K1, B  float64
	Scorer string
}

// rankings are Searchers like one whose postings score with other parameters, the one used last at the end. What is in the
// index does not depend on parameters, and neither do bounds there (format/FORMAT.md, 4.4): they share all but their Scorers.
type rankings struct {
	mu  sync.Mutex
	all []ranking
}

type ranking struct {
	params Params
	s      *Searcher
}

// scorersKept bounds how many Scorers are kept for queries that bring parameters. Each takes up to 256 KiB.
const scorersKept = 32

// ranked returns s for queries with parameters. What it returns is open as long as s is.
func (s *Searcher) ranked(p Params) *Searcher {
	if p == (Params{}) {
		return s
	}
	r := &s.rankings
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.all, func(x ranking) bool { return x.params == p })
	if i < 0 {
		if i = 0; (len(r.all)+1)*len(s.fields) <= scorersKept || len(r.all) == 0 {
			r.all = slices.Insert(r.all, 0, ranking{})
		}
		r.all[0] = ranking{p, s.rescored(s.rescore(p))}
	}
	x := r.all[i]
	r.all = append(slices.Delete(r.all, i, i+1), x)
	return x.s
}

// rescored returns a Searcher like s with other Scorers, one a field.
func (s *Searcher) rescored(scorers []*bm25.Scorer) *Searcher {
	x := &Searcher{
		snapshot: s.snapshot, seek: s.seek, parts: slices.Clone(s.parts), dictionaries: s.dictionaries, remote: s.remote, filterBytes: s.filterBytes,
		fields: slices.Clone(s.fields), docs: s.docs, statistics: s.statistics, docFreq: s.docFreq, given: s.given, parse: s.parse,
		planColumns: s.planColumns, ordering: s.ordering, threads: s.threads, vectors: s.vectors, terms: s.terms, users: s.users,
	}
	for f, scorer := range scorers {
		x.fields[f].Scorer = scorer
	}
	for p := range x.parts {
		part := &x.parts[p]
		part.Fields = slices.Clone(part.Fields)
		for f, scorer := range scorers {
			part.Fields[f] = s.parts[p].Fields[f].With(scorer)
		}
	}
	x.weigh = func(field int, df uint64, boost float64) float32 { return scorers[field].Weight(df, boost) }
	return x
}
