package node

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
)

// RouterOptions configure a Router.
type RouterOptions struct {
	Collection string
	// Absence is how long a shard that no node serves is waited for. 0 means DefaultAbsence.
	Absence time.Duration
	// Deadline is the time of requests whose context has none. 0 means httpapi.DefaultDeadline.
	Deadline time.Duration
	// Cache is how many answers are remembered, until a shard changes. 0 means none.
	Cache int
	// Observe, if not nil, is told of each request that has been answered. Several goroutines call it at a time.
	Observe func(Observation)
}

// Observation is a request that a Router has answered, with the context that it came with.
type Observation struct {
	Context  context.Context
	What     string // "search", "count" or "suggest"
	Began    time.Time
	Took     time.Duration
	Nodes    time.Duration // the part in which the slowest node of each round searched
	Rounds   int           // 0 if the answer was remembered
	Attempts int           // requests to nodes
	Err      error
}

// DefaultAbsence is the default of RouterOptions.Absence.
const DefaultAbsence = 2 * time.Second

// Router answers for a collection by asking one node of each shard. It is an httpapi.Backend: each answer is of one state
// of all shards, and that of one index of them, to the bit. Passages may be others than such an index shows, since
// which words are rare is looked up in the shard. A page that collapses, but beside Fuse, goes on by an offset: Response.Next says it.
type Router struct {
	o      RouterOptions
	nc     *nats.Conn
	link   *link
	cancel context.CancelFunc // ends watch
	seen   struct {           // the newest map, for watch
		id       string
		revision uint64
	}
	view    atomic.Pointer[view]
	failure atomic.Pointer[error] // of the newest map
	probed  probed
	changed chan struct{} // closed by the next change; under mu
	told    chan struct{} // closed when what the map said at first is known
	mu      sync.Mutex
	done    sync.WaitGroup
	cache   cache
	metrics metrics
}

var _ httpapi.Backend = (*Router)(nil)

// NewRouter returns a Router over a connection, which outlives it. It waits for the shard map, which nodes make, as it does for a
// shard that no node has published yet.
func NewRouter(ctx context.Context, nc *nats.Conn, o RouterOptions) (*Router, error) {
	if err := checkName(o.Collection); err != nil {
		return nil, err
	}
	if o.Absence < 0 || o.Deadline < 0 || o.Cache < 0 {
		return nil, fmt.Errorf("%w: an option is negative", ErrInvalid)
	}
	o.Absence, o.Deadline = cmp.Or(o.Absence, DefaultAbsence), cmp.Or(o.Deadline, httpapi.DefaultDeadline)
	r := &Router{o: o, nc: nc, changed: make(chan struct{}), told: make(chan struct{}), cache: cache{most: o.Cache}}
	var err error
	if r.link, err = newLink(nc); err != nil {
		return nil, err
	}
	w, err := r.open(ctx)
	if err != nil && !errors.Is(err, ErrNoMap) {
		return nil, errors.Join(err, r.link.sub.Unsubscribe())
	}
	if w == nil {
		close(r.told)
	}
	var follow context.Context
	follow, r.cancel = context.WithCancel(context.Background())
	r.done.Add(1)
	go r.watch(follow, w)
	select {
	case <-r.told:
	case <-time.After(mostTold):
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), r.Close())
	}
	return r, nil
}

// mostTold is how long NewRouter waits for what the map says.
const mostTold = 5 * time.Second

// Close ends the Router. Requests under way fail.
func (r *Router) Close() error {
	r.cancel()
	err := r.link.sub.Unsubscribe()
	r.done.Wait()
	return err
}

// Ready waits until each shard has been seen, or ctx is done.
func (r *Router) Ready(ctx context.Context) error {
	for {
		r.mu.Lock()
		changed := r.changed
		r.mu.Unlock()
		if r.view.Load() != nil {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// newest returns the newest view.
func (r *Router) newest() (*view, error) {
	if v := r.view.Load(); v != nil {
		return v, nil
	}
	err := ErrNoMap
	if e := r.failure.Load(); e != nil && *e != nil {
		err = *e
	}
	return nil, unavailable(err)
}

// unavailable returns an error as clients see it who may ask again.
func unavailable(err error) error {
	return &httpapi.Error{Status: http.StatusServiceUnavailable, Code: httpapi.CodeUnavailable, Message: err.Error()}
}

// within returns ctx with a deadline, and the time until then in microseconds.
func (r *Router) within(ctx context.Context) (context.Context, context.CancelFunc, uint64) {
	cancel := func() {}
	at, ok := ctx.Deadline()
	if !ok {
		ctx, cancel = context.WithTimeout(ctx, r.o.Deadline)
		at, _ = ctx.Deadline()
	}
	return ctx, cancel, uint64(max(time.Until(at).Microseconds(), 0))
}

// question is what is asked of all shards of a view.
type question struct {
	r       *Router
	v       *view
	ctx     context.Context
	request []byte // JSON
	timeout uint64
	missing []bool // shards; nil if none may be missing
	seen    *Observation

	rescoring bool       // the request is asked for its Rescore
	docs      [][]uint32 // of each shard, those that it is asked for; or nil
}

// question returns one with the JSON of a request.
func (r *Router) question(ctx context.Context, s state, request any, partial bool) (*question, error) {
	data, err := json.Marshal(request)
	q := &question{r: r, v: s.view, ctx: ctx, request: data, timeout: s.timeout, seen: s.seen}
	if partial {
		q.missing = make([]bool, len(q.v.Shards))
	}
	return q, err
}

// ask asks each shard that is not missing; more adds to what it is asked.
func (q *question) ask(kind byte, more func(a *ask), got func(shard int, body []byte) error) error {
	requests, timeout := make([]request, len(q.v.Shards)), q.timeout
	if at, ok := q.ctx.Deadline(); ok { // rounds before this one have taken some of the time
		timeout = min(timeout, uint64(max(time.Until(at).Microseconds(), 0)))
	}
	for i := range requests {
		if q.missing != nil && q.missing[i] {
			continue
		}
		a := ask{kind: kind, shard: i, commit: q.v.Shards[i].Commit, timeout: timeout, request: q.request}
		if q.rescoring {
			a.kind |= rescoring
		}
		if q.docs != nil {
			a.docs = q.docs[i]
		}
		if kind == askShow && len(a.docs) == 0 {
			continue
		}
		if more != nil {
			more(&a)
		}
		requests[i] = request{subjectOf(q.r.o.Collection, i), a.encode()}
	}
	q.seen.Rounds++
	return q.r.link.ask(q.ctx, q.r.o.Absence, requests, q.missing, q.seen, got)
}

// partial reports whether shards are missing.
func (q *question) partial() bool { return slices.Contains(q.missing, true) }

// state is what a request is answered in.
type state struct {
	*view
	timeout uint64 // microseconds
	seen    *Observation
}

// inOne calls f with the newest state of the map, and again if the shards have gone on meanwhile and their nodes no longer
// have what that state names.
func inOne[T any](ctx context.Context, r *Router, what string, f func(context.Context, state) (*T, error)) (a *T, err error) {
	seen := Observation{Context: ctx, What: what, Began: time.Now()}
	defer func() {
		seen.Took, seen.Err = time.Since(seen.Began), err
		r.metrics.add(&seen)
		if r.o.Observe != nil {
			r.o.Observe(seen)
		}
	}()
	ctx, cancel, timeout := r.within(ctx)
	defer cancel()
	for {
		v, err := r.newest()
		if err != nil {
			return nil, err
		}
		a, err := f(ctx, state{v, timeout, &seen})
		var e *httpapi.Error
		if !errors.As(err, &e) || e.Code != httpapi.CodeUnavailable || r.view.Load() == v {
			return a, err
		}
		_, _, timeout = r.within(ctx) // what is left of it
	}
}

// Search implements httpapi.Backend.
func (r *Router) Search(ctx context.Context, x *httpapi.Request) (*httpapi.Response, error) {
	return inOne(ctx, r, "search", func(ctx context.Context, s state) (*httpapi.Response, error) {
		return r.searchIn(ctx, s, x)
	})
}

// searchIn is Search in one state of the map.
func (r *Router) searchIn(ctx context.Context, in state, x *httpapi.Request) (*httpapi.Response, error) {
	q, err := r.question(ctx, in, x, x.Partial)
	if err != nil {
		return nil, err
	}
	if a := r.cache.get(in.number, q.request); a != nil {
		return a, nil
	}
	asked := q.request
	x, partial, err := r.similar(ctx, in, x)
	if err != nil {
		return nil, err
	}
	if q.request, err = json.Marshal(x); err != nil {
		return nil, err
	}
	a, err := q.answer(x)
	if err == nil && !a.Partial && !partial {
		r.cache.put(in.number, asked, a)
	}
	return a, err
}

// answer answers x, whose words are known.
func (q *question) answer(x *httpapi.Request) (*httpapi.Response, error) {
	s, err := x.Search(q.v.Schema)
	if err != nil {
		return nil, err
	}
	if s.Collapse != "" && s.Fuse == nil && s.After != nil {
		return nil, &httpapi.Error{Status: http.StatusBadRequest, Code: httpapi.CodeInvalid, Field: "after", Message: "it is not of these shards, which go on by an offset behind a page that collapses"}
	}
	if s.Fuse != nil || s.Rescore != nil {
		return q.ranked(x, &s)
	}
	var a *httpapi.Response
	err = q.together(&s, hasNearest(x), func(g *given) (err error) {
		if a, err = q.search(x, &s, g); err != nil {
			return err
		}
		for _, l := range g.frequencies.Limited() {
			a.Limited = append(a.Limited, httpapi.Limited(l))
		}
		return nil
	})
	return a, err
}

// Count implements httpapi.Backend.
func (r *Router) Count(ctx context.Context, x *httpapi.CountRequest) (*httpapi.CountResponse, error) {
	return inOne(ctx, r, "count", func(ctx context.Context, s state) (*httpapi.CountResponse, error) {
		return r.countIn(ctx, s, x)
	})
}

// countIn is Count in one state of the map.
func (r *Router) countIn(ctx context.Context, in state, x *httpapi.CountRequest) (*httpapi.CountResponse, error) {
	own, partial, err := r.similar(ctx, in, x.Request())
	if err != nil {
		return nil, err
	}
	if own.Synonyms != "" {
		if _, err := own.Search(in.Schema); err != nil {
			return nil, err
		}
	}
	q, err := r.question(ctx, in, own, x.Partial)
	if err != nil {
		return nil, err
	}
	a := &httpapi.CountResponse{}
	count := func(g *given) error {
		a.Count = 0
		return q.ask(askCount, g.add, func(i int, body []byte) error {
			d := decoder{b: body}
			n := d.uint()
			if err := d.end(); err != nil {
				return err
			}
			if docs := q.v.Shards[i].Docs; n > uint64(docs) {
				return nonsense("%d of %d documents match", n, docs)
			}
			a.Count += n
			return nil
		})
	}
	if !hasNearest(own) && !own.Typos {
		err = count(nil)
	} else {
		var s pinion.Request
		if s, err = own.Search(in.Schema); err == nil {
			err = q.together(&s, hasNearest(own), count)
		}
	}
	a.Partial = partial || q.partial()
	return a, err
}

// Suggest implements httpapi.Backend. A prefix with more than 100,000 words in a shard is refused.
func (r *Router) Suggest(ctx context.Context, x *httpapi.SuggestRequest) (*httpapi.SuggestResponse, error) {
	return inOne(ctx, r, "suggest", func(ctx context.Context, s state) (*httpapi.SuggestResponse, error) {
		return r.suggestIn(ctx, s, x)
	})
}

// suggestIn is Suggest in one state of the map.
func (r *Router) suggestIn(ctx context.Context, in state, x *httpapi.SuggestRequest) (*httpapi.SuggestResponse, error) {
	q, err := r.question(ctx, in, x, x.Partial)
	if err != nil {
		return nil, err
	}
	if x.Text != "" {
		return q.complete(x)
	}
	sum := map[string]uint64{}
	err = q.ask(askSuggest, nil, func(_ int, body []byte) error {
		var own suggested
		if err := own.decode(body); err != nil {
			return err
		}
		for _, s := range own {
			sum[s.Text] += uint64(s.Docs)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	a := &httpapi.SuggestResponse{Terms: []httpapi.Suggestion{}, Partial: q.partial()}
	for term, df := range sum {
		a.Terms = append(a.Terms, httpapi.Suggestion{Term: httpapi.Text(term), DF: df})
	}
	slices.SortFunc(a.Terms, func(a, b httpapi.Suggestion) int {
		return cmp.Or(cmp.Compare(b.DF, a.DF), cmp.Compare(string(a.Term), string(b.Term)))
	})
	a.Terms = a.Terms[:min(len(a.Terms), cmp.Or(x.K, query.DefaultK))]
	return a, nil
}

// Summary implements httpapi.Backend. Commit is the number of the state of all shards.
func (r *Router) Summary(context.Context) (*httpapi.Summary, error) {
	v, err := r.newest()
	if err != nil {
		return nil, err
	}
	a := &httpapi.Summary{Documents: v.sum.Docs, Commit: v.revision, Shards: len(v.Shards), Schema: v.Schema}
	for i := range v.Shards {
		a.Segments += v.Shards[i].Segments
		a.Devices = append(a.Devices, v.Shards[i].Devices...)
	}
	slices.Sort(a.Devices)
	a.Devices = slices.Compact(a.Devices)
	return a, nil
}
