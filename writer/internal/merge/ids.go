package merge

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/segment"
)

// EachShared calls f with the docIDs in old of all ids that newer also holds.
func EachShared(old, newer *segment.Segment, f func(doc uint32)) error {
	if newer.Meta().Docs > old.Meta().Docs {
		return old.Documents().EachID(func(doc uint32, id []byte) error {
			_, ok, err := newer.Documents().FindID(id)
			if ok {
				f(doc)
			}
			return err
		})
	}
	return newer.Documents().EachID(func(_ uint32, id []byte) error {
		doc, ok, err := old.Documents().FindID(id)
		if ok {
			f(doc)
		}
		return err
	})
}

// member is a document, and its id.
type member struct {
	source int
	doc    uint32
	id     []byte
}

// equalHashes yields the documents of sources whose ids have the same hash, for each hash of several documents. They are in the order of
// the sources. What is yielded is valid until the next.
func equalHashes(ctx context.Context, sources []*segment.Segment) iter.Seq2[[]member, error] {
	return func(yield func([]member, error) bool) {
		hashes, ends, err := hashesOf(ctx, sources)
		if err != nil {
			yield(nil, err)
			return
		}
		var group []member
		var ids []byte
		for words := range layout.ByHash(hashes) {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			for len(words) > 0 {
				n := 1
				for n < len(words) && words[n]>>32 == words[0]>>32 {
					n++
				}
				if n == 1 {
					words = words[1:]
					continue
				}
				group, ids, err = members(group[:0], ids[:0], words[:n], sources, ends)
				if !yield(group, err) || err != nil {
					return
				}
				words = words[n:]
			}
		}
	}
}

// hashesOf returns the hashes of the ids of sources, and the number of documents up to the end of each source.
func hashesOf(ctx context.Context, sources []*segment.Segment) (hashes []uint32, ends []int, err error) {
	docs := 0
	for _, s := range sources {
		docs += int(s.Meta().Docs)
		ends = append(ends, docs)
	}
	if docs > math.MaxUint32 {
		return nil, nil, fmt.Errorf("writer: segments have more than %d documents, deleted ones included", math.MaxUint32)
	}
	hashes = make([]uint32, 0, docs)
	for _, s := range sources {
		err := s.Documents().EachID(func(doc uint32, id []byte) error {
			hashes = append(hashes, layout.IDHash(id))
			if doc%4096 == 0 {
				return ctx.Err()
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return hashes, ends, nil
}

// members appends the documents that words name by their numbers in all sources to dst, and their ids to ids.
func members(dst []member, ids []byte, words []uint64, sources []*segment.Segment, ends []int) (_ []member, _ []byte, err error) {
	for _, v := range words {
		n, at := int(uint32(v)), len(ids)
		m := member{source: sort.SearchInts(ends, n+1)}
		m.doc = uint32(n - ends[m.source] + int(sources[m.source].Meta().Docs))
		if ids, err = sources[m.source].Documents().AppendID(ids, m.doc); err != nil {
			return dst, ids, err
		}
		m.id = ids[at:]
		dst = append(dst, m)
	}
	return dst, ids, nil
}

// DropShared calls drop for every live document of sources whose id a later source
// also holds.
func DropShared(ctx context.Context, sources []Source, drop func(source int, doc uint32)) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	segments, gone := make([]*segment.Segment, len(sources)), make([]*renumbering, len(sources))
	for i, s := range sources {
		segments[i], gone[i] = s.Segment, newSource(s, 0).gone
	}
	for group, err := range equalHashes(ctx, segments) {
		if err != nil {
			return err
		}
		live := slices.DeleteFunc(group, func(m member) bool { return gone[m.source].isDeleted(m.doc) })
		for i, m := range live {
			for _, older := range slices.Backward(live[:i]) {
				if bytes.Equal(older.id, m.id) {
					if older.source != m.source {
						drop(older.source, older.doc)
					}
					break
				}
			}
		}
	}
	return nil
}

// Duplicate returns an id that two documents of s share, and the documents, or nil
// if ids are unique.
func Duplicate(s *segment.Segment) (id []byte, first, second uint32, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	for group, err := range equalHashes(context.Background(), []*segment.Segment{s}) {
		if err != nil {
			return nil, 0, 0, err
		}
		for i, m := range group {
			for _, older := range group[:i] {
				if bytes.Equal(older.id, m.id) {
					return bytes.Clone(m.id), older.doc, m.doc, nil
				}
			}
		}
	}
	return nil, 0, 0, nil
}
