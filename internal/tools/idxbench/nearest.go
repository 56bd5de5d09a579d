package idxbench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/internal/vector"
	"github.com/pinion-index/pinion/internal/where"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// Nearest is what `idxbench nearest` prints. Vectors looked at are means over queries, of a search on one thread.
type Nearest struct {
	Index      string         `json:"index"`
	Field      string         `json:"field"`
	Dims       int            `json:"dims"`
	Similarity string         `json:"similarity"`
	Filter     string         `json:"filter,omitempty"`
	Documents  int            `json:"documents"` // that pass the filter, with vectors
	Vectors    int            `json:"vectors"`   // of these
	Queries    int            `json:"queries"`
	K          int            `json:"k"`
	Threads    int            `json:"threads"`
	Median     float64        `json:"median_ms"`
	P99        float64        `json:"p99_ms"`
	LoopMedian float64        `json:"loop_median_ms"`
	LoopP99    float64        `json:"loop_p99_ms"`
	Upper      float64        `json:"upper_plane"`
	Both       float64        `json:"both_planes"`
	Floats     float64        `json:"floats"`
	Equal      int            `json:"equal_answers"`
	Probes     []NearestProbe `json:"probes,omitempty"`
}

// NearestProbe is what searches with a Probe find, of the exact answers.
type NearestProbe struct {
	Probe       float64 `json:"probe"`
	Recall      float64 `json:"recall"`
	Median      float64 `json:"median_ms"`
	P99         float64 `json:"p99_ms"`
	Approximate int     `json:"approximate"` // queries whose answer says so
	found       int
	took        times
}

type nearestFlags struct {
	index, field, queries, filter string
	k, threads                    int
	probes                        []float64
}

func nearestCommand() *cobra.Command {
	f := &nearestFlags{}
	cmd := &cobra.Command{
		Use:   "nearest --index DIR --field FIELD --queries FILE",
		Short: "Measure searches for the nearest vectors against a loop",
		Long: `Measure searches for the K documents whose vectors are nearest to each of the vectors in
FILE, which is .npy, .fvecs, or JSON. Each is compared with a plain loop over the floats
of all vectors that pass the filter: the same documents with the same scores, or the
command fails. It also counts the vectors that a search looks at: by four bits a
dimension, by eight, and as floats. With --probe it also asks for approximate answers, and
prints which part of the exact ones these have (docs/probe.md).`,
		Example: `  idxbench nearest --index notes.idx --field emb --queries q.npy
  idxbench nearest --index notes.idx --field emb --queries q.npy \
    --filter 'tenant = north' --k 100
  idxbench nearest --index notes.idx --field emb --queries q.npy --probe 0.03`,
		Args: cli.Want(),
		RunE: cli.Shows(func(cmd *cobra.Command, _ []string) (*Nearest, error) { return f.run(cmd.Context(), cmd.ErrOrStderr()) }),
	}
	cli.JSONFlag(cmd.Flags())
	fl := cmd.Flags()
	fl.StringVar(&f.index, "index", "", "index `DIR` (required)")
	fl.StringVar(&f.field, "field", "", "the `FIELD` of vectors (required)")
	fl.StringVar(&f.queries, "queries", "", "the `FILE` of vectors to search for (required)")
	fl.StringVar(&f.filter, "filter", "", "find only documents that pass the filter `EXPR`")
	cli.Int(fl, &f.k, "k", 10, 1, query.MaxNearest, "find the nearest `N` documents")
	fl.Float64SliceVar(&f.probes, "probe", nil, "also compare the parts `P,...` of the vectors, approximately")
	cli.Int(fl, &f.threads, "threads", 1, 1, cli.MaxThreads, "compare vectors of a query on up to `N` threads; the loop has one")
	return cmd
}

// loop compares a query with vectors, one after the other.
type loop struct {
	field *schema.Field
	parts []loopPart
	k     int
}

type loopPart struct {
	*vectors.Field
	base uint32
	mask []uint64 // of vectors
}

// nearDoc is a document with its score as package vector has it.
type nearDoc struct {
	doc   uint32
	score float32
}

func (f *nearestFlags) run(ctx context.Context, stderr io.Writer) (r *Nearest, err error) {
	for name, value := range map[string]string{"index": f.index, "field": f.field, "queries": f.queries} {
		if value == "" {
			return nil, cli.Usage("--%s is missing", name)
		}
	}
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	s, end, err := cli.Snapshot(f.index)
	if err != nil {
		return nil, err
	}
	defer end()
	field, ok := s.Schema().Field(f.field)
	if !ok || field.Kind != schema.Vector {
		return nil, cli.Usage("--field: %s is no field of kind vector", cli.Quote(f.field))
	}
	var only query.Node
	if f.filter != "" {
		if only, err = query.ParseFilter(s.Schema(), f.filter); err != nil {
			return nil, cli.Usage("--filter: %w", err)
		}
	}
	for _, p := range f.probes {
		if !(p > 0 && p <= 1) {
			return nil, cli.Usage("--probe: %v is not above 0 and up to 1", p)
		}
	}
	r = &Nearest{Index: f.index, Field: f.field, Dims: field.Dims, Similarity: field.Similarity.String(), Filter: f.filter, K: f.k, Threads: f.threads}
	l := &loop{field: field, k: f.k}
	if err := l.open(s, only, r); err != nil {
		return nil, err
	}
	x, err := search.NewSearcher(s, search.Options{Threads: f.threads})
	if err != nil {
		return nil, err
	}
	defer x.Close()
	p := cli.NewProgress(stderr, "nearest", 0, cli.ItemRate("queries"))
	defer p.Stop()
	return r, f.measure(ctx, x, l, only, r, p)
}

// measure runs all queries.
func (f *nearestFlags) measure(ctx context.Context, x *search.Searcher, l *loop, only query.Node, r *Nearest, p *cli.Progress) error {
	var took, looped times
	var seen vector.Counts
	probes := make([]NearestProbe, len(f.probes))
	want := 0 // hits of all
	for v, err := range exchange.EachVector(f.queries) {
		if err == nil {
			err = cmp.Or(l.field.CheckVector(v), ctx.Err())
		}
		if err != nil {
			return fmt.Errorf("query %d: %w", r.Queries+1, err)
		}
		v = slices.Clone(v)
		q := search.Query{Node: f.node(v, 0, only), K: f.k}
		if r.Queries == 0 { // what is read for the first time
			if _, err := x.Search(ctx, q); err != nil {
				return err
			}
		}
		start := time.Now()
		found, err := x.Search(ctx, q)
		took = append(took, time.Since(start))
		if err != nil {
			return err
		}
		start = time.Now()
		all, err := l.all(v)
		looped = append(looped, time.Since(start))
		if err != nil {
			return err
		}
		if !l.same(found.Hits, all) {
			return fmt.Errorf("query %d: the search finds other documents than a loop over all vectors", r.Queries+1)
		}
		if err := l.count(&seen, v); err != nil {
			return err
		}
		if err := f.probe(ctx, x, v, only, found.Hits, probes); err != nil {
			return err
		}
		want += len(found.Hits)
		r.Queries++
		r.Equal++
		p.Set(int64(r.Queries))
	}
	if r.Queries == 0 {
		return fmt.Errorf("%s has no vector", f.queries)
	}
	took.sort()
	looped.sort()
	ms := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
	r.Median, r.P99, r.LoopMedian, r.LoopP99 = ms(took.at(0.5)), ms(took.at(0.99)), ms(looped.at(0.5)), ms(looped.at(0.99))
	n := float64(r.Queries)
	r.Upper, r.Both, r.Floats = float64(seen.Vectors)/n, float64(seen.Both)/n, float64(seen.Floats)/n
	for i := range probes {
		p := &probes[i]
		p.took.sort()
		p.Probe, p.Median, p.P99, p.Recall = f.probes[i], ms(p.took.at(0.5)), ms(p.took.at(0.99)), float64(p.found)/float64(max(want, 1))
	}
	r.Probes = probes
	return nil
}

// probe searches with each of probes, and counts which of the exact hits they find.
func (f *nearestFlags) probe(ctx context.Context, x *search.Searcher, v []float32, only query.Node, exact []search.Hit, probes []NearestProbe) error {
	for i := range probes {
		p, approximate := &probes[i], false
		q := search.Query{Node: f.node(v, f.probes[i], only), K: f.k, Approximate: &approximate}
		start := time.Now()
		found, err := x.Search(ctx, q)
		p.took = append(p.took, time.Since(start))
		if err != nil {
			return err
		}
		if approximate {
			p.Approximate++
		}
		for _, h := range found.Hits {
			if slices.ContainsFunc(exact, func(e search.Hit) bool { return e.Doc == h.Doc }) {
				p.found++
			}
		}
	}
	return nil
}

// node returns what is searched for.
func (f *nearestFlags) node(v []float32, probe float64, only query.Node) query.Node {
	n := query.Nearest{Field: f.field, Vector: v, K: f.k, Probe: probe}
	if only == nil {
		return n
	}
	return query.Bool{Must: []query.Node{n}, Filter: []query.Node{only}}
}

// open opens the vectors of documents that are not deleted and pass the filter, and counts them.
func (l *loop) open(s *reader.Snapshot, only query.Node, r *Nearest) error {
	var passes *filter.Compiled
	if only != nil {
		f, err := where.Filter(s.Schema(), only)
		if err != nil {
			return err
		}
		if passes, err = filter.Compile(s.Schema(), f); err != nil {
			return err
		}
	}
	for _, g := range s.Segments() {
		n, ok := g.Views().FieldByID(l.field.ID)
		if !ok {
			continue
		}
		x, err := vectors.Open(g.Views(), n)
		if err != nil {
			return err
		}
		if x == nil {
			continue
		}
		deletes, err := g.Deletes()
		if err != nil {
			return err
		}
		own := func(doc uint32) bool { return !deletes.Has(doc) }
		if passes != nil {
			set, err := passes.Eval(g.Views())
			if err != nil {
				return err
			}
			own = func(doc uint32) bool { return !deletes.Has(doc) && set.Contains(doc) }
		}
		p := loopPart{Field: x, base: g.Base(), mask: make([]uint64, (x.Len()+63)/64)}
		for i := range x.Len() {
			if !own(x.Doc(i)) {
				continue
			}
			p.mask[i/64] |= 1 << (i % 64)
			if r.Vectors++; i == 0 || x.Doc(i) != x.Doc(i-1) {
				r.Documents++
			}
		}
		l.parts = append(l.parts, p)
	}
	return nil
}

// all returns the nearest documents by comparing all.
func (l *loop) all(v []float32) ([]nearDoc, error) {
	return l.each(v, func(p *loopPart, q *vector.Query, set *vector.Set, take func(i int, score float32) float32) {
		for i := range p.Len() {
			if p.mask[i/64]>>(i%64)&1 != 0 {
				take(i, q.Score(set.Floats(i), &set.Metas[i]))
			}
		}
	})
}

// count adds what a search of one thread looks at.
func (l *loop) count(to *vector.Counts, v []float32) error {
	_, err := l.each(v, func(p *loopPart, q *vector.Query, set *vector.Set, take func(i int, score float32) float32) {
		least := []float32{take(-1, 0)}
		c := vector.Scan([]*vector.Query{q}, set, 0, p.Len(), p.mask, least, func(_, i int, score float32) float32 { return take(i, score) })
		to.Vectors += c.Vectors
		to.Both += c.Both
		to.Floats += c.Floats
	})
	return err
}

// each calls f with the vectors of each segment. It returns the best documents of those that f takes, in order. take returns what those
// behind must score, and takes nothing if i is below 0.
func (l *loop) each(v []float32, f func(p *loopPart, q *vector.Query, set *vector.Set, take func(i int, score float32) float32)) (best []nearDoc, err error) {
	for n := range l.parts {
		p := &l.parts[n]
		q := vector.NewQuery(p.Coder(), vectors.SimilarityOf(l.field), v)
		f(p, q, p.Set(func(e error) { err = e }), func(i int, score float32) float32 {
			if i >= 0 {
				best = l.add(best, nearDoc{p.base + p.Doc(i), score})
			}
			if len(best) < l.k {
				return float32(math.Inf(-1))
			}
			return math.Nextafter32(best[len(best)-1].score, float32(math.Inf(1))) // what is as near comes too late
		})
		if err != nil {
			return nil, err
		}
	}
	return best, nil
}

// add adds the score of a vector to the best documents so far, which are in order.
func (l *loop) add(best []nearDoc, x nearDoc) []nearDoc {
	if n := len(best); n == l.k && best[n-1].score >= x.score {
		return best // docIDs ascend
	}
	if at := slices.IndexFunc(best, func(y nearDoc) bool { return y.doc == x.doc }); at >= 0 {
		if best[at].score >= x.score {
			return best
		}
		best = slices.Delete(best, at, at+1)
	}
	at, _ := slices.BinarySearchFunc(best, x, func(a, b nearDoc) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.doc, b.doc)) })
	best = slices.Insert(best, at, x)
	return best[:min(len(best), l.k)]
}

// same reports whether hits are the documents of want, as many, in the order of the scores there. Scores of hits are rounded from those, so
// that several may be equal; these are in the order of docIDs.
func (l *loop) same(hits []search.Hit, want []nearDoc) bool {
	if len(hits) != len(want) {
		return false
	}
	want = slices.Clone(want)
	for i := range hits {
		at := slices.IndexFunc(want[i:], func(x nearDoc) bool { return x.doc == hits[i].Doc })
		if at < 0 || hits[i].Score != l.score(want[i].score) || hits[i].Score != l.score(want[i+at].score) {
			return false
		}
		want[i], want[i+at] = want[i+at], want[i]
	}
	return true
}

// score returns what a document scores, by format/FORMAT.md, section 8.4.
func (l *loop) score(s float32) float32 {
	switch {
	case l.field.Similarity == schema.SimilarityCosine || l.field.Similarity == 0:
		return (1 + max(min(s, 1), -1)) / 2
	case s >= 0:
		return 1 + min(s, 0x1p90)
	default:
		return 1 / (1 - s)
	}
}

// Text prints r.
func (r *Nearest) Text(w io.Writer) {
	t := cli.NewTable("", "")
	t.Row("vectors", fmt.Sprintf("%s of %s, %s, %s", cli.Count(r.Vectors), cli.Number(r.Documents, "document"), cli.Number(r.Dims, "dimension"), r.Similarity))
	if r.Filter != "" {
		t.Row("filter", cli.Printable(r.Filter))
	}
	t.Row("queries", fmt.Sprintf("%s, the nearest %s, on %s", cli.Count(r.Queries), cli.Count(r.K), cli.Number(r.Threads, "thread")))
	t.Row("search", fmt.Sprintf("median %s ms, 99 %% within %s ms", cli.Float(r.Median, 3), cli.Float(r.P99, 3)))
	t.Row("loop over floats", fmt.Sprintf("median %s ms, 99 %% within %s ms", cli.Float(r.LoopMedian, 3), cli.Float(r.LoopP99, 3)))
	share := func(x float64) string {
		return fmt.Sprintf("%s a query, %s %%", cli.Float(x, 3), cli.Float(100*x/float64(max(r.Vectors, 1)), 3))
	}
	t.Row("by 4 bits", share(r.Upper))
	t.Row("by 8 bits", share(r.Both))
	t.Row("as floats", share(r.Floats))
	for _, p := range r.Probes {
		t.Row(fmt.Sprintf("probe %v", p.Probe), fmt.Sprintf("recall %s, median %s ms, 99 %% within %s ms, %s approximate", cli.Float(p.Recall, 3), cli.Float(p.Median, 3), cli.Float(p.P99, 3), cli.Count(p.Approximate)))
	}
	t.Row("equal answers", fmt.Sprintf("%s of %s", cli.Count(r.Equal), cli.Count(r.Queries)))
	t.WriteTo(w)
}
