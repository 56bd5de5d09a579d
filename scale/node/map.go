package node

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion"
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
	// ErrBehind says that the shard map has a newer commit than the index.
	ErrBehind = errors.New("the index is behind")
	// ErrBranch says that the index has a commit that does not come from the one of the shard map, nor that from it: they are
	// of indexes that were built apart, or of copies of one that went different ways.
	ErrBranch = errors.New("the index has another history")
	// ErrNoMap says that there is no shard map, since no node has made it yet.
	ErrNoMap = errors.New("node: there is no shard map")
)

// ShardOf returns the number of the shard, of so many, that documents with an id belong to.
func ShardOf(id []byte, shards int) int { return int(xxhash.Sum64(id) % uint64(shards)) }

// Map says what the shards of a collection are. It is one value in a key-value bucket, which changes by compare-and-swap, so
// that a query that has one Map sees one state of all shards.
type Map struct {
	ID     string         // random, of the map: one that was made anew after its servers were lost has another
	Schema *schema.Schema // of all shards, whose k1, b and weights are those of the newest commit
	// Analyzer and Options are those of the implicit schema in a map that older programs wrote, which has no Schema then.
	Analyzer, Options string  `json:",omitempty"`
	Shards            []Shard // in their order: documents of the first come first
}

// Shard is a shard in a Map.
type Shard struct {
	Commit     string           // its name (format.Ancestry); "" before a node has the shard
	Generation uint64           // of the commit
	Ancestry   []byte           // which commits it comes from, the latest ones (format.Ancestry.AppendBinary)
	Chosen     string           `json:",omitempty"` // the commit that a person chose: only it, or one that comes from it, follows (Choose)
	Docs       uint32           // documents, deleted ones included
	Segments   int              // of the commit
	Stored     bool             // texts of the implicit schema are kept
	Collection query.Collection // what it adds to the whole
	Devices    []string         `json:",omitempty"` // what nodes answer searches of the commit on, beside CPUs, in order of names
}

// shardOf returns what a snapshot is as a shard.
func shardOf(s *reader.Snapshot) (Shard, error) {
	v, err := pinion.NewView(s, nil)
	if err != nil {
		return Shard{}, err
	}
	defer v.Close()
	var ancestry []byte
	if a := s.Ancestry(); len(a.Sessions) > 0 {
		if ancestry, err = a.Recent(keptSessions).AppendBinary(nil); err != nil {
			return Shard{}, err
		}
	}
	st := s.Stats()
	return Shard{Commit: s.Commit(), Generation: s.Generation(), Ancestry: ancestry, Docs: uint32(st.Docs), Segments: st.Segments,
		Stored: s.HasStored(), Collection: v.Collection()}, nil
}

// keptSessions is how many sessions of writers a Map has of each shard, to tell a node that is behind from one of another
// history.
const keptSessions = 16

// schema returns that of the collection. Texts of the implicit schema are stored if all shards have them.
func (m *Map) schema() *schema.Schema {
	s := m.Schema.Clone()
	if s == nil {
		s = schema.Implicit(m.Analyzer, m.Options, false)
	}
	if !s.IsImplicit() {
		return s
	}
	s.Fields[0].Stored = !slices.ContainsFunc(m.Shards, func(x Shard) bool { return !x.Stored })
	return s
}

// missing returns the names of the shards without a commit.
func (m *Map) missing() (names []string) {
	for i := range m.Shards {
		if m.Shards[i].Commit == "" {
			names = append(names, ShardName(i, len(m.Shards)))
		}
	}
	return names
}

// describe sets what m says of all shards, or returns ErrDifferent if a snapshot differs from it.
func (m *Map) describe(s *reader.Snapshot) error {
	own := s.Schema()
	if !slices.ContainsFunc(m.Shards, func(x Shard) bool { return x.Commit != "" }) {
		m.Schema = own
		return nil
	}
	a, err := json.Marshal(comparable(m.schema()))
	if err != nil {
		return err
	}
	b, err := json.Marshal(comparable(own))
	if err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return fmt.Errorf("%w: schema %s, not %s", ErrDifferent, b, a)
	}
	return nil
}

// comparable returns s without that in which shards may differ: k1, b and weights, and whether texts of the implicit schema are stored.
func comparable(s *schema.Schema) *schema.Schema {
	s = s.Clone()
	for i := range s.Fields {
		f := &s.Fields[i]
		f.K1, f.B, f.Boost = 0, 0, 0
		f.Stored = f.Stored && f.Name != ""
	}
	return s
}
