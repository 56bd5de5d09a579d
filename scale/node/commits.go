package node

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// keptCommits is how many commits of a shard a node keeps open: queries under way are of the map before, or of the one
// before that.
const keptCommits = 3

// keptSearchers is how many searchers of a commit are kept: one for each state of the other shards.
const keptSearchers = 3

// commits are those of an index that a node has open, the newest last.
type commits struct {
	index  *reader.Index
	shard  int
	shards int
	device *device // nil if searches are the Searchers'

	mu      sync.Mutex
	open    []*commit
	checked map[string]bool // segments whose ids are known to belong to the shard
}

// commit is a commit that is searched. It is closed when nobody uses it any more.
type commit struct {
	id       string
	snapshot *reader.Snapshot
	schema   *schema.Schema
	device   *device
	plain    *pinion.View // with the commit's own statistics, for counts and frequencies

	mu        sync.Mutex
	users     int // and one while it is among commits.open
	searchers []*searching
}

// searching is a View that is searched with the statistics of one state of all shards.
type searching struct {
	of       query.Collection
	pages    *pinion.View
	executor atomic.Pointer[Executor] // nil if there is none, or none any more
	users    int                      // and one while it is among commit.searchers
}

// refresh opens the newest commit, unless it is open. It returns the commit if it is new.
func (c *commits) refresh(ctx context.Context) (*commit, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.index.Refresh(ctx); err != nil {
		return nil, err
	}
	s, err := c.index.Snapshot()
	if err != nil {
		return nil, err
	}
	id := s.Commit()
	if slices.ContainsFunc(c.open, func(o *commit) bool { return o.id == id }) {
		return nil, s.Close()
	}
	if err := c.check(ctx, s); err != nil {
		s.Close()
		return nil, err
	}
	plain, err := pinion.NewView(s, nil)
	if err != nil {
		s.Close()
		return nil, err
	}
	x := &commit{id: id, snapshot: s, schema: s.Schema(), device: c.device, plain: plain, users: 1}
	if c.open = append(c.open, x); len(c.open) > keptCommits {
		c.open[0].release()
		c.open = slices.Delete(c.open, 0, 1)
	}
	return x, nil
}

// check returns ErrForeign if a document belongs to another shard. It reads the ids of each segment once.
func (c *commits) check(ctx context.Context, s *reader.Snapshot) error {
	var id []byte
	now := map[string]bool{}
	for _, seg := range s.Segments() {
		key := fmt.Sprint(seg.Header().ID)
		if now[key] = true; c.checked[key] {
			continue
		}
		for d := range seg.Docs() {
			if d%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			var err error
			if id, err = s.AppendID(id[:0], seg.Base()+d); err != nil {
				return err
			}
			if at := ShardOf(id, c.shards); at != c.shard {
				return fmt.Errorf("%w: %.60q in shard %d belongs to shard %d of %d", ErrForeign, id, c.shard, at, c.shards)
			}
		}
	}
	c.checked = now
	return nil
}

// use returns a commit, to be released, or nil if the index does not have it. One that is not open is looked for once.
func (c *commits) use(ctx context.Context, id string) *commit {
	for range 2 {
		c.mu.Lock()
		for _, x := range c.open {
			if x.id == id {
				x.mu.Lock()
				x.users++
				x.mu.Unlock()
				c.mu.Unlock()
				return x
			}
		}
		c.mu.Unlock()
		if x, err := c.refresh(ctx); x == nil || err != nil {
			return nil
		}
	}
	return nil
}

// newest returns the snapshot of the newest commit, to be closed, or nil if there is none.
func (c *commits) newest() (*reader.Snapshot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) == 0 {
		return nil, nil
	}
	return c.open[len(c.open)-1].snapshot.Retain()
}

func (c *commits) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.open {
		x.release()
	}
	c.open = nil
}

// release ends a use.
func (x *commit) release() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.users--; x.users > 0 {
		return
	}
	for _, s := range x.searchers {
		s.leave()
	}
	x.plain.Close()
	x.snapshot.Close()
}

// with returns what searches the commit as a part of a collection, to be left.
func (x *commit) with(of query.Collection) (*searching, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range x.searchers {
		if s.of.Docs == of.Docs && slices.Equal(s.of.Fields, of.Fields) {
			s.users++
			return s, nil
		}
	}
	s := &searching{of: of, users: 2}
	var err error
	if s.pages, err = pinion.NewView(x.snapshot, s); err != nil {
		return nil, err
	}
	if x.searchers = append(x.searchers, s); len(x.searchers) > keptSearchers {
		x.searchers[0].leave()
		x.searchers = slices.Delete(x.searchers, 0, 1)
	}
	if x.device != nil {
		x.device.begin(x, s)
	}
	return s, nil
}

// leave ends a use of s.
func (x *commit) leave(s *searching) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s.leave()
}

func (s *searching) leave() {
	if s.users--; s.users == 0 {
		s.drop()
		s.pages.Close()
	}
}
