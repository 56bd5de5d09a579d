package node

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// MaxShards is the greatest number of shards of a collection.
const MaxShards = 1024

// The errors of collections.
var (
	ErrInvalid   = query.ErrInvalid
	ErrForeign   = errors.New("node: a document that belongs to another shard")
	ErrDifferent = errors.New("node: a shard that differs from the others")
)

// ShardOf returns the number of the shard, of so many, that documents with an id belong to.
func ShardOf(id []byte, shards int) int { return int(xxhash.Sum64(id) % uint64(shards)) }

// Map says what the shards of a collection are. It is one value in a key-value bucket, which changes by compare-and-swap, so
// that a query that has one Map sees one state of all shards.
type Map struct {
	Schema   *schema.Schema // of all shards; nil if documents have one text
	Analyzer string         // of an index without a schema
	Options  string         // of the analyzer
	Shards   []Shard        // in their order: documents of the first come first
}

// Shard is a shard in a Map.
type Shard struct {
	Commit     string           // store.CommitID; "" before a node has the shard
	Generation uint64           // of the commit: it only grows
	Docs       uint32           // documents, deleted ones included
	Segments   int              // of the commit
	Stored     bool             // of a collection without a schema: texts are kept
	Collection query.Collection // what it adds to the whole
	Devices    []string         `json:",omitempty"` // what nodes answer searches of the commit on, beside CPUs, in order of names
}

// shardOf returns what a snapshot is as a shard.
func shardOf(s *reader.Snapshot) Shard {
	st := s.Stats()
	return Shard{Commit: s.CommitID().String(), Generation: s.Generation(), Docs: uint32(st.Docs), Segments: st.Segments, Stored: s.HasStored(), Collection: query.CollectionOf(s)}
}

// schema returns that of the collection; without one, that of documents of one text, as reader.Snapshot.Schema does.
func (m *Map) schema() *schema.Schema {
	if m.Schema != nil {
		return m.Schema
	}
	f := schema.Field{Kind: schema.KindText, Index: schema.IndexFreqs, Analyzer: m.Analyzer, Options: m.Options}
	f.Stored = !slices.ContainsFunc(m.Shards, func(x Shard) bool { return !x.Stored })
	return &schema.Schema{Fields: []schema.Field{f}}
}

// ready reports whether each shard has a commit.
func (m *Map) ready() bool {
	for i := range m.Shards {
		if m.Shards[i].Commit == "" {
			return false
		}
	}
	return len(m.Shards) > 0
}

// describe sets what m says of all shards, or returns ErrDifferent if a snapshot differs from it.
func (m *Map) describe(s *reader.Snapshot) error {
	own := s.Manifest().Schema
	analyzer, options := s.Analyzer()
	if !slices.ContainsFunc(m.Shards, func(x Shard) bool { return x.Commit != "" }) {
		m.Schema, m.Analyzer, m.Options = own, analyzer, options
		return nil
	}
	a, err := json.Marshal(m.Schema)
	if err != nil {
		return err
	}
	b, err := json.Marshal(own)
	if err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return fmt.Errorf("%w: schema %s, not %s", ErrDifferent, b, a)
	}
	if m.Analyzer != analyzer || m.Options != options {
		return fmt.Errorf("%w: analyzer %q (%q), not %q (%q)", ErrDifferent, analyzer, options, m.Analyzer, m.Options)
	}
	return nil
}

// keyOfMap is the key of the Map in the bucket of its collection.
const keyOfMap = "map"

// bucketOf returns the bucket of a collection, which it creates, kept by so many servers.
func bucketOf(ctx context.Context, nc *nats.Conn, collection string, replicas int) (jetstream.KeyValue, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	name := "pinion-" + collection
	kv, err := js.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, History: 1, Replicas: max(replicas, 1)})
		if errors.Is(err, jetstream.ErrBucketExists) {
			kv, err = js.KeyValue(ctx, name)
		}
	}
	if err != nil {
		if !nc.IsConnected() { // the error is of a buffer for what waits for a connection
			err = fmt.Errorf("not connected to %s", strings.Join(nc.Servers(), ", "))
		}
		return nil, fmt.Errorf("shard map of %q: %w", collection, err)
	}
	return kv, nil
}

// publish makes a snapshot what the Map says of a shard, of so many, unless it says that of a later commit. device is what
// the node answers on, or "".
func publish(ctx context.Context, kv jetstream.KeyValue, s *reader.Snapshot, shard, shards int, device string) error {
	for {
		var m Map
		e, err := kv.Get(ctx, keyOfMap)
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound):
			m.Shards = make([]Shard, shards)
		case err != nil:
			return fmt.Errorf("shard map: %w", err)
		default:
			if err := json.Unmarshal(e.Value(), &m); err != nil {
				return fmt.Errorf("shard map: %w", err)
			}
		}
		if len(m.Shards) != shards {
			return fmt.Errorf("%w: shard %d of %d in a collection of %d", ErrDifferent, shard, shards, len(m.Shards))
		}
		if err := m.describe(s); err != nil {
			return err
		}
		own, old := shardOf(s), &m.Shards[shard]
		same := old.Commit == own.Commit
		if same {
			own.Devices = old.Devices
		}
		at, known := slices.BinarySearch(own.Devices, device)
		if known = known || device == ""; old.Generation > own.Generation || same && known {
			return nil
		}
		if !known {
			own.Devices = slices.Insert(own.Devices, at, device)
		}
		m.Shards[shard] = own
		value, err := json.Marshal(&m)
		if err != nil {
			return err
		}
		if e == nil {
			_, err = kv.Create(ctx, keyOfMap, value)
		} else {
			_, err = kv.Update(ctx, keyOfMap, value, e.Revision())
		}
		if err == nil {
			return nil
		}
		var api *jetstream.APIError
		lost := errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
		if !lost {
			return fmt.Errorf("shard map: %w", err)
		}
	}
}
