package node

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/pinion-index/pinion/format"
)

// Status says what a Node has, and whether that is served.
type Status struct {
	Node   string `json:"node"`  // Options.Name
	Shard  string `json:"shard"` // ShardName
	Commit string `json:"commit"`
	Named  string `json:"named"` // the commit that the shard map names
	// State is one of the States.
	State State `json:"state"`
	// Error says why the commit is not served, or "".
	Error string `json:"error,omitempty"`
}

// State is how what a Node has stands to the shard map.
type State string

// The States of a Node.
const (
	Serving State = "serving" // it has the commit of the map
	Behind  State = "behind"  // that of the map comes from it, or may do: ErrBehind
	Branch  State = "branch"  // neither comes from the other: ErrBranch
	Failing State = "failing" // the index or the map cannot be read, or ErrDifferent
)

// stateOf returns the State that an error of publish means.
func stateOf(err error) State {
	switch {
	case err == nil:
		return Serving
	case errors.Is(err, ErrBehind):
		return Behind
	case errors.Is(err, ErrBranch):
		return Branch
	}
	return Failing
}

// Status returns what the Node knew when it looked last.
func (n *Node) Status() Status {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.status
}

// see sets the status by what became of looking for a commit and publishing it, and tells Options.Changed.
func (n *Node) see(commit, named string, err error) {
	n.mu.Lock()
	was := n.status
	is := Status{Node: n.o.Name, Shard: ShardName(n.o.Shard, n.o.Shards), Commit: cmp.Or(commit, was.Commit), Named: cmp.Or(named, was.Named), State: stateOf(err)}
	if err != nil {
		is.Error = err.Error()
	}
	n.status = is
	n.mu.Unlock()
	if n.o.Changed != nil && (is.State != was.State || is.Error != was.Error) {
		n.o.Changed(is)
	}
}

// describe says what the Node has, in a word.
func (s Status) describe() string {
	if s.Error != "" {
		return s.Error
	}
	return "it has commit " + s.Commit
}

// subjectOfStatus returns the subject to which all nodes of a collection say their Status.
func subjectOfStatus(collection string) string { return "pinion." + collection + ".status" }

// tell answers who asks for the status.
func (n *Node) tell(m *nats.Msg) {
	if b, err := json.Marshal(n.Status()); err == nil {
		_ = m.Respond(b) // who asks goes without
	}
}

// Statuses returns what the nodes of a collection say within a time, in order of shards and names.
func Statuses(ctx context.Context, nc *nats.Conn, collection string, within time.Duration) ([]Status, error) {
	if err := checkName(collection); err != nil {
		return nil, err
	}
	inbox := nc.NewRespInbox()
	sub, err := nc.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer sub.Unsubscribe()
	if err := nc.PublishRequest(subjectOfStatus(collection), inbox, nil); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var all []Status
	for {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return nil, err
		}
		if err != nil || len(m.Data) == 0 && m.Header.Get("Status") == "503" { // nobody is there
			break
		}
		var s Status
		if err := json.Unmarshal(m.Data, &s); err != nil {
			return nil, fmt.Errorf("%w: a status: %w", errWire, err)
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Status) int {
		i, _, _ := ParseShardName(a.Shard)
		j, _, _ := ParseShardName(b.Shard)
		return cmp.Or(cmp.Compare(i, j), cmp.Compare(a.Node, b.Node))
	})
	return all, nil
}

// ReadMap returns the Map of a collection. The error matches ErrNoMap if there is none.
func ReadMap(ctx context.Context, nc *nats.Conn, collection string) (*Map, error) {
	if err := checkName(collection); err != nil {
		return nil, err
	}
	kv, err := bucketOf(ctx, nc, collection, 0)
	if err != nil {
		return nil, err
	}
	m, revision, err := readMap(ctx, kv)
	if err == nil && revision == 0 {
		err = fmt.Errorf("shard map of %q: %w", collection, ErrNoMap)
	}
	return &m, err
}

// Choose says which commit of a shard is right, by its name, where nodes have several that do not come from each other. What
// the Map names stays until a node has that commit, or one that comes from it; no other follows.
func Choose(ctx context.Context, nc *nats.Conn, collection string, shard int, commit string) error {
	if _, err := format.ParseCommit(commit); err != nil {
		return err
	}
	return changeShard(ctx, nc, collection, shard, func(s *Shard) {
		if s.Chosen = commit; s.Commit == commit {
			s.Chosen = ""
		}
	})
}

// Forget takes a shard out of the Map: the next node that has a commit of it puts that there, whichever it is. Routers answer
// from the commit before until then, as long as nodes have it, and are not ready.
func Forget(ctx context.Context, nc *nats.Conn, collection string, shard int) error {
	return changeShard(ctx, nc, collection, shard, func(s *Shard) { *s = Shard{} })
}

func changeShard(ctx context.Context, nc *nats.Conn, collection string, shard int, f func(*Shard)) error {
	if err := checkName(collection); err != nil {
		return err
	}
	kv, err := bucketOf(ctx, nc, collection, 0)
	if err != nil {
		return err
	}
	return change(ctx, kv, func(m *Map) (bool, error) {
		if shard < 0 || shard >= len(m.Shards) {
			return false, fmt.Errorf("%w: shard %d of %d", ErrInvalid, shard, len(m.Shards))
		}
		f(&m.Shards[shard])
		return true, nil
	})
}
