package node

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
)

// keyOfMap is the key of the Map in the bucket of its collection.
const keyOfMap = "map"

// bucketOf returns the bucket of a collection, which as many servers keep as are asked for, or more. It creates the bucket if
// there is none, unless replicas is 0: then the error matches ErrNoMap.
func bucketOf(ctx context.Context, nc *nats.Conn, collection string, replicas int) (kv jetstream.KeyValue, err error) {
	defer func() {
		if err != nil && !nc.IsConnected() { // the error is of a buffer for what waits for a connection
			err = fmt.Errorf("not connected to %s", strings.Join(servers(nc), ", "))
		}
		if err != nil {
			err = fmt.Errorf("shard map of %q: %w", collection, err)
		}
	}()
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	name := "pinion-" + collection
	kv, err = js.KeyValue(ctx, name)
	if !errors.Is(err, jetstream.ErrBucketNotFound) {
		if err == nil {
			err = raise(ctx, js, name, replicas)
		}
		return kv, err
	}
	if replicas == 0 {
		return nil, ErrNoMap
	}
	kv, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, History: 1, Replicas: replicas})
	if errors.Is(err, jetstream.ErrBucketExists) {
		kv, err = js.KeyValue(ctx, name)
	}
	return kv, err
}

// servers returns the addresses of the servers of nc, without passwords.
func servers(nc *nats.Conn) []string {
	all := slices.Clone(nc.Servers())
	for i, s := range all {
		if scheme, rest, ok := strings.Cut(s, "://"); ok {
			all[i] = scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:]
		}
	}
	return all
}

// raise makes so many servers keep a bucket, if fewer do.
func raise(ctx context.Context, js jetstream.JetStream, bucket string, replicas int) error {
	if replicas <= 1 {
		return nil
	}
	s, err := js.Stream(ctx, "KV_"+bucket)
	if err != nil {
		return err
	}
	c := s.CachedInfo().Config
	if c.Replicas >= replicas {
		return nil
	}
	was := c.Replicas
	c.Replicas = replicas
	if _, err = js.UpdateStream(ctx, c); err != nil {
		return fmt.Errorf("kept by %d servers, not %d: %w", was, replicas, err)
	}
	return nil
}

// readMap reads the Map and its revision, 0 if there is none.
func readMap(ctx context.Context, kv jetstream.KeyValue) (m Map, revision uint64, err error) {
	e, err := kv.Get(ctx, keyOfMap)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return m, 0, nil
	}
	if err == nil {
		err = json.Unmarshal(e.Value(), &m)
	}
	if err != nil {
		return m, 0, fmt.Errorf("shard map: %w", err)
	}
	return m, e.Revision(), nil
}

// change changes the Map of a bucket by compare-and-swap: by f, which is called again with what others have made of the Map
// meanwhile, and reports whether it has changed it.
func change(ctx context.Context, kv jetstream.KeyValue, f func(m *Map) (bool, error)) error {
	for {
		m, revision, err := readMap(ctx, kv)
		if err != nil {
			return err
		}
		if revision == 0 {
			m.ID = rand.Text()
		}
		changed, err := f(&m)
		if err != nil || !changed {
			return err
		}
		value, err := json.Marshal(&m)
		if err != nil {
			return err
		}
		if revision == 0 {
			_, err = kv.Create(ctx, keyOfMap, value)
		} else {
			_, err = kv.Update(ctx, keyOfMap, value, revision)
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

// publish makes a snapshot what the Map says of a shard, of so many, if it comes from what the Map says. The error matches
// ErrBehind or ErrBranch if it does not. device is what the node answers on, or "". named is the commit of the Map after that, and
// id the Map's.
func publish(ctx context.Context, kv jetstream.KeyValue, s *reader.Snapshot, shard, shards int, device string) (named, id string, err error) {
	of := s.Ancestry()
	is, err := shardOf(s)
	if err != nil {
		return "", "", err
	}
	err = change(ctx, kv, func(m *Map) (bool, error) {
		id = m.ID
		if m.Shards == nil {
			m.Shards = make([]Shard, shards)
		}
		if len(m.Shards) != shards {
			return false, fmt.Errorf("%w: shard %d of %d in a collection of %d", ErrDifferent, shard, shards, len(m.Shards))
		}
		if err := m.describe(s); err != nil {
			return false, err
		}
		own, old := is, &m.Shards[shard]
		named = old.Commit
		if err := old.admits(of); err != nil {
			return false, err
		}
		named = own.Commit
		same := old.Commit == own.Commit
		if same {
			own.Devices, own.Chosen = old.Devices, old.Chosen
		}
		at, known := slices.BinarySearch(own.Devices, device)
		if known = known || device == ""; same && known && old.Ancestry != nil {
			return false, nil
		}
		if !known {
			own.Devices = slices.Insert(own.Devices, at, device)
		}
		if !same {
			m.Schema = s.Schema() // which differs in k1, b and weights at most
		}
		m.Shards[shard] = own
		return true, nil
	})
	return named, id, err
}

// ancestry returns which commits the one of s comes from, as far as the Map has it; without sessions if there is none.
func (s *Shard) ancestry() (a format.Ancestry, err error) {
	switch {
	case s.Commit == "":
	case s.Ancestry != nil:
		err = a.UnmarshalBinary(s.Ancestry)
	default:
		a, err = format.ParseCommit(s.Commit)
	}
	if err != nil {
		err = fmt.Errorf("shard map: %w", err)
	}
	return a, err
}

// admits returns why a commit does not become that of s: nil if it is that already, or comes from it.
func (s *Shard) admits(own format.Ancestry) error {
	was, err := s.ancestry()
	if err != nil || s.Commit == own.Name() {
		return err
	}
	if s.Chosen != "" {
		chosen, err := format.ParseCommit(s.Chosen)
		if err != nil {
			return fmt.Errorf("shard map: %w", err)
		}
		if has, _ := own.Has(chosen); !has {
			return fmt.Errorf("%w: it has commit %s, which does not come from commit %s, which was chosen", ErrBranch, own.Name(), s.Chosen)
		}
		return nil
	}
	if s.Commit == "" {
		return nil
	}
	forward, reaches := own.Has(was)
	if forward {
		return nil
	}
	back, known := was.Has(own)
	switch older := own.Sessions[len(own.Sessions)-1].Last < s.Generation; {
	case back:
		return fmt.Errorf("%w: it has commit %s, the shard map commit %s, which comes from it", ErrBehind, own.Name(), s.Commit)
	case older && !known:
		return fmt.Errorf("%w: it has commit %s, the shard map commit %s, and whether that comes from it is not known", ErrBehind, own.Name(), s.Commit)
	case !older && !reaches:
		return fmt.Errorf("%w: nothing says that its commit %s comes from commit %s of the shard map: "+
			"its writer was of an older version, or has begun more than %d times since", ErrBranch, own.Name(), s.Commit, format.MaxSessions)
	}
	return fmt.Errorf("%w: its commit %s does not come from commit %s of the shard map", ErrBranch, own.Name(), s.Commit)
}
