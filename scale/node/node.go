package node

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Options configure a Node.
type Options struct {
	Collection string // its name: letters, digits, - and _
	// Name is what the Node is called in its Status. "" means a random one.
	Name   string
	Shard  int // which of Shards the index is, from 0
	Shards int // how many there are
	// Replicas is how many NATS servers keep the shard map, or more. 0 means 1; three survive the loss of one.
	Replicas int
	// Refresh is how often the Node looks whether the index has a newer commit. 0 means DefaultRefresh.
	Refresh time.Duration
	// Parallel is how many requests are answered at a time. 0 means GOMAXPROCS.
	Parallel int
	// Failed, if not nil, is told why a newer commit is not served, or has no Executor. The Node goes on with what it has.
	Failed func(error)
	// Changed, if not nil, is told of each Status whose State or Error is another than before, the first one included.
	Changed func(Status)
	// Executor, if not nil, returns what answers searches of a snapshot as a part of a collection, all shards, in place of the CPU. The
	// Node closes it before the snapshot, keeps two open at most, and searches without until it is there, or if there is an error. ctx
	// ends when the Node does.
	Executor func(ctx context.Context, s *reader.Snapshot, of query.Collection) (Executor, error)
	// Device is the name of what Executor answers on, which the shard map says.
	Device string
}

// DefaultRefresh is the default of Options.Refresh.
const DefaultRefresh = time.Second

// waiting is how many requests may wait for each that is answered; others are told that the node is busy. As many more times
// mostWaiting are not even told.
const waiting, mostWaiting = 64, 16

// Node answers for one shard of a collection, beside others that have the same.
type Node struct {
	o       Options
	nc      *nats.Conn
	kv      jetstream.KeyValue
	mapID   string // of the Map seen last
	commits commits
	name    string               // of the node among those of the shard
	subs    []*nats.Subscription // to what goes to any node of the shard, and to this one
	queue   chan *nats.Msg
	cancel  context.CancelFunc
	workers sync.WaitGroup
	done    sync.WaitGroup // all else
	closed  atomic.Bool
	memory  *httpapi.Memory // of what answers are made of

	mu     sync.Mutex
	status Status
}

// Serve begins to answer for an index, which stays open. Each document must belong to the shard (ShardOf), or the error is
// ErrForeign; ErrDifferent says that the other shards have another schema or number. A Node whose index is behind the shard map,
// or of another history, is no error: its Status says so, and it goes on once the index or the map have changed. Close the Node
// before nc and x.
func Serve(ctx context.Context, nc *nats.Conn, x *reader.Index, o Options) (*Node, error) {
	o.Refresh, o.Parallel, o.Replicas = cmp.Or(o.Refresh, DefaultRefresh), cmp.Or(o.Parallel, runtime.GOMAXPROCS(0)), max(o.Replicas, 1)
	if err := checkName(o.Collection); err != nil {
		return nil, err
	}
	if (o.Device == "") != (o.Executor == nil) {
		return nil, fmt.Errorf("%w: Executor and Device go together", ErrInvalid)
	}
	if o.Shards < 1 || o.Shards > MaxShards || o.Shard < 0 || o.Shard >= o.Shards || o.Refresh < 0 || o.Parallel < 0 {
		return nil, fmt.Errorf("%w: shard %d of %d, refreshed after %v, %d requests at a time", ErrInvalid, o.Shard, o.Shards, o.Refresh, o.Parallel)
	}
	n := &Node{nc: nc, name: rand.Text(), commits: commits{index: x, shard: o.Shard, shards: o.Shards}, queue: make(chan *nats.Msg, mostWaiting*waiting*o.Parallel)}
	o.Name = cmp.Or(o.Name, n.name)
	n.o = o
	n.memory = httpapi.NewMemory(max(httpapi.DefaultMaxHeld, 2*n.mostAnswer()*int64(o.Parallel)))
	if o.Executor != nil {
		n.commits.device = newDevice(o)
	}
	err := func() (err error) {
		if n.kv, err = bucketOf(ctx, nc, o.Collection, o.Replicas); err != nil {
			return err
		}
		if _, err = n.commits.refresh(ctx); err != nil {
			return err
		}
		subject := subjectOf(o.Collection, o.Shard)
		for _, subscribe := range []func() (*nats.Subscription, error){
			func() (*nats.Subscription, error) { return nc.ChanQueueSubscribe(subject, "replicas", n.queue) },
			func() (*nats.Subscription, error) { return nc.ChanSubscribe(subject+"."+n.name, n.queue) },
			func() (*nats.Subscription, error) { return nc.Subscribe(subjectOfStatus(o.Collection), n.tell) },
		} {
			s, err := subscribe()
			if err != nil {
				return err
			}
			n.subs = append(n.subs, s)
		}
		if err = nc.FlushTimeout(10 * time.Second); err != nil { // it answers before the map names what it has
			return err
		}
		if err = n.publish(ctx); stateOf(err) == Failing {
			return err
		}
		return nil
	}()
	if err != nil {
		if d := n.commits.device; d != nil {
			d.end()
		}
		n.commits.close()
		for _, s := range n.subs {
			s.Unsubscribe()
		}
		return nil, err
	}
	ctx, n.cancel = context.WithCancel(context.Background())
	for range o.Parallel {
		n.workers.Add(1)
		go n.work(ctx)
	}
	n.done.Add(1)
	go n.follow(ctx)
	return n, nil
}

// checkName returns an error unless a name can be part of a subject.
func checkName(name string) error {
	for i := range len(name) {
		c := name[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return fmt.Errorf("%w: a collection named %q: letters, digits, - and _ are possible", ErrInvalid, name)
		}
	}
	if name == "" || len(name) > 100 {
		return fmt.Errorf("%w: a collection named %q", ErrInvalid, name)
	}
	return nil
}

// subjectOf returns the subject that the nodes of a shard share.
func subjectOf(collection string, shard int) string {
	return fmt.Sprintf("pinion.%s.%d", collection, shard)
}

// publish makes the newest commit that of the map, if it comes from that, and sets the status. A map that its servers have lost
// is made anew, with as many copies as the options say.
func (n *Node) publish(ctx context.Context) error {
	s, err := n.commits.newest()
	if err != nil || s == nil {
		return err
	}
	defer s.Close()
	try := func() (named string, anew bool, err error) {
		named, id, err := publish(ctx, n.kv, s, n.o.Shard, n.o.Shards, n.o.Device)
		anew = err == nil && n.mapID != "" && n.mapID != id
		n.mapID = cmp.Or(id, n.mapID)
		return named, anew, err
	}
	named, anew, err := try()
	if lost := stateOf(err) == Failing && !errors.Is(err, ErrDifferent); lost || anew { // it may be there, kept by fewer servers
		kv, e := bucketOf(ctx, n.nc, n.o.Collection, n.o.Replicas)
		if e != nil {
			err = e
		} else if n.kv = kv; lost {
			named, _, err = try()
		}
	}
	n.see(s.Commit(), named, err)
	return err
}

// follow follows the index and publishes its commits.
func (n *Node) follow(ctx context.Context) {
	defer n.done.Done()
	for t := time.NewTicker(n.o.Refresh); ; {
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
		}
		_, err := n.commits.refresh(ctx)
		if err == nil {
			err = n.publish(ctx)
		} else if ctx.Err() == nil {
			n.see("", "", err)
		}
		if stateOf(err) == Failing && n.o.Failed != nil && ctx.Err() == nil {
			n.o.Failed(err)
		}
	}
}

// Close lets other nodes answer, waits for the answers under way, and ends. Further calls do nothing.
func (n *Node) Close() error {
	if n.closed.Swap(true) {
		return nil
	}
	var err error
	for _, s := range n.subs {
		err = errors.Join(err, s.Drain())
	}
	for until := time.Now().Add(10 * time.Second); slices.ContainsFunc(n.subs, (*nats.Subscription).IsValid) && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
	for _, s := range n.subs {
		s.Unsubscribe() // if it still is there, as without a connection: nothing comes to the queue any more
	}
	close(n.queue)
	n.workers.Wait()
	n.cancel()
	n.done.Wait()
	if d := n.commits.device; d != nil {
		d.end()
	}
	n.commits.close()
	return errors.Join(err, n.nc.Flush())
}

// mostAnswer bounds what answers are made of, in bytes of JSON, of which messages need far fewer.
func (n *Node) mostAnswer() int64 { return 8 * n.nc.MaxPayload() }

// respond answers a request.
func (n *Node) respond(m *nats.Msg, a *answer) {
	a.shard = n.o.Shard
	b := a.encode()
	if most := n.nc.MaxPayload(); int64(len(b)) > most {
		a = refusal(tooLong("an answer", len(b), most, "ask for fewer hits, values or nearest documents"))
		a.shard = n.o.Shard
		b = a.encode()
	}
	_ = m.Respond(b) // who asks tries another node
}

// work answers requests, until there are none any more.
func (n *Node) work(ctx context.Context) {
	defer n.workers.Done()
	for m := range n.queue {
		if len(n.queue) >= waiting*n.o.Parallel {
			n.respond(m, &answer{kind: absent, status: http.StatusTooManyRequests, code: httpapi.CodeBusy, message: "the node is busy"})
			continue
		}
		a, err := n.answer(ctx, m.Data)
		if err != nil {
			a = refusal(err)
		}
		n.respond(m, a)
	}
}

// errAbsent says that another node may answer.
var errAbsent = errors.New("the node does not have commit")

// refusal returns an error as an answer.
func refusal(err error) *answer {
	a := &answer{kind: refused, status: http.StatusInternalServerError, code: httpapi.CodeInternal, message: err.Error()}
	var e *httpapi.Error
	switch known := httpapi.ErrorOf(err); {
	case errors.As(err, &e):
		a.status, a.code, a.message, a.field = e.Status, e.Code, e.Message, e.Field
	case errors.Is(err, errAbsent), errors.Is(err, errVersion), errors.Is(err, query.ErrClosed):
		a.kind, a.status, a.code = absent, http.StatusServiceUnavailable, httpapi.CodeUnavailable
	case known.Code == httpapi.CodeBusy:
		a.kind, a.status, a.code = absent, known.Status, known.Code
	case known.Code == httpapi.CodeTooLarge:
		a.status, a.code, a.message = known.Status, known.Code, known.Message
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		a.status, a.code, a.message = http.StatusGatewayTimeout, httpapi.CodeDeadline, "no answer within the deadline"
	}
	for _, wrong := range []error{query.ErrInvalid, query.ErrTooManyTerms, analysis.ErrUnknown, errors.ErrUnsupported} {
		if e == nil && errors.Is(err, wrong) {
			a.status, a.code = http.StatusBadRequest, httpapi.CodeInvalid
		}
	}
	return a
}

// answer returns the answer to a request.
func (n *Node) answer(ctx context.Context, data []byte) (*answer, error) {
	if len(data) == 0 || data[0] != version {
		return nil, fmt.Errorf("%w: this node speaks %d", errVersion, version)
	}
	var a ask
	if err := a.decode(data); err != nil {
		return nil, err
	}
	if a.shard != n.o.Shard {
		return nil, fmt.Errorf("%w: shard %d, asked for %d", errAbsent, n.o.Shard, a.shard)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(min(a.timeout, math.MaxInt64/1000))*time.Microsecond)
	defer cancel()
	c := n.commits.use(ctx, a.commit)
	if c == nil {
		return nil, fmt.Errorf("%w %s: %s", errAbsent, a.commit, n.Status().describe())
	}
	defer c.release()
	ctx, release := n.memory.Begin(ctx, n.mostAnswer())
	defer release()
	var body []byte
	var err error
	switch a.kind &^ rescoring {
	case askFrequencies:
		body, err = c.frequencies(ctx, &a)
	case askSearch:
		body, err = c.search(ctx, &a)
	case askCount:
		body, err = c.count(ctx, &a)
	case askSuggest:
		body, err = c.suggest(ctx, &a)
	case askNeighbors:
		body, err = c.neighbors(ctx, &a)
	case askShow:
		body, err = c.show(ctx, &a)
	default:
		err = fmt.Errorf("%w: a request of kind %d", errWire, a.kind)
	}
	if err != nil {
		return nil, err
	}
	return &answer{kind: answered, node: n.name, took: uint64(a.took), body: body}, nil
}

// parse returns the search that a request asks for, and whether it has a query.Nearest.
func (c *commit) parse(a *ask) (s pinion.Request, nearest bool, err error) {
	var r httpapi.Request
	if err := json.Unmarshal(a.request, &r); err != nil {
		return s, false, fmt.Errorf("%w: %w", errWire, err)
	}
	s, err = r.Search(c.schema)
	if err != nil || a.kind&rescoring == 0 {
		return s, hasNearest(&r), err
	}
	if s.Rescore == nil {
		return s, false, fmt.Errorf("%w: nothing to rescore by", errWire)
	}
	return s.Rescoring(query.DocsOf(slices.Values(a.docs))), r.Rescore.Nearest != nil, nil
}

// part returns what a request says of the other shards.
func (a *ask) part() pinion.Part {
	return pinion.Part{Collection: query.Collection(a.collection), Frequencies: (*query.Frequencies)(&a.statistics), Neighbors: a.neighbors}
}

func (c *commit) frequencies(ctx context.Context, a *ask) ([]byte, error) {
	s, _, err := c.parse(a)
	if err != nil {
		return nil, err
	}
	f, err := c.plain.Frequencies(ctx, s.Node())
	if err != nil {
		return nil, err
	}
	r := counted{statistics: statistics(f)}
	if s.After != nil {
		if r.doc, r.found, err = c.snapshot.FindID([]byte(s.After.ID)); err != nil {
			return nil, err
		}
	}
	return r.encode(), nil
}

func (c *commit) search(ctx context.Context, a *ask) ([]byte, error) {
	s, _, err := c.parse(a)
	if err != nil {
		return nil, err
	}
	of := a.part()
	if s.Fuse != nil { // one list, or what all of them match
		all := s.Lists()
		of.Groups, s = s.Collapse, all[len(all)-1]
	}
	after, ok := places[a.place]
	if !ok {
		return nil, errWire
	}
	of.After = after
	with, err := c.with(of.Collection)
	if err != nil {
		return nil, err
	}
	defer c.leave(with)
	began := time.Now()
	p, err := with.pages.SearchPart(ctx, s, of)
	a.took = time.Since(began)
	if err != nil {
		return nil, err
	}
	return (&page{p}).encode(), nil
}

// places are pinion.Part.After.
var places = map[byte]int{placeNone: 0, placeBefore: -1, placeWithin: 0, placeBehind: 1}

func (c *commit) count(ctx context.Context, a *ask) ([]byte, error) {
	s, nearest, err := c.parse(a)
	if err != nil {
		return nil, err
	}
	count := c.plain.Count
	if nearest || a.whole {
		of := a.part()
		with, err := c.with(of.Collection)
		if err != nil {
			return nil, err
		}
		defer c.leave(with)
		count = func(ctx context.Context, n query.Node) (int, error) { return with.pages.CountPart(ctx, n, of) }
	}
	began := time.Now()
	n, err := count(ctx, s.Node())
	a.took = time.Since(began)
	var e encoder
	e.uint(uint64(n))
	return e.b, err
}

func (c *commit) neighbors(ctx context.Context, a *ask) ([]byte, error) {
	s, _, err := c.parse(a)
	if err != nil {
		return nil, err
	}
	of := a.part()
	with, err := c.with(of.Collection)
	if err != nil {
		return nil, err
	}
	defer c.leave(with)
	began := time.Now()
	all, err := with.pages.Neighbors(ctx, s.Node(), of)
	a.took = time.Since(began)
	return (&found{all}).encode(), err
}

// show says of documents what a request shows of hits.
func (c *commit) show(ctx context.Context, a *ask) ([]byte, error) {
	s, _, err := c.parse(a)
	if err != nil {
		return nil, err
	}
	hits := make([]pinion.Hit, len(a.docs))
	for i, doc := range a.docs {
		hits[i].Doc = doc
	}
	began := time.Now()
	p, err := c.plain.Show(ctx, hits, s)
	a.took = time.Since(began)
	return (&page{pinion.PartPage{Page: p}}).encode(), err
}

// mostSuggestions is how many words of a shard a prefix may have, so that those of all shards can be added up.
const mostSuggestions = 100_000

func (c *commit) suggest(ctx context.Context, a *ask) ([]byte, error) {
	var r httpapi.SuggestRequest
	if err := json.Unmarshal(a.request, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", errWire, err)
	}
	if r.Text != "" {
		return c.complete(ctx, a, &r)
	}
	began := time.Now()
	all, err := c.plain.Terms(ctx, r.Field, r.Prefix, mostSuggestions+1)
	a.took = time.Since(began)
	if err == nil && len(all) > mostSuggestions {
		err = fmt.Errorf("%w: more than %d words of a shard begin with %.40q", ErrInvalid, mostSuggestions, r.Prefix)
	}
	return suggested(all).encode(), err
}
