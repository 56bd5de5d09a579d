package merge

import (
	"bytes"
	"context"
	"sort"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// EachShared calls f with the docIDs in old of all ids that newer also holds.
func EachShared(old, newer *segment.Segment, f func(doc uint32)) error {
	if uint64(newer.Meta().Docs)*16 < uint64(old.Meta().Docs) {
		return newer.EachID(func(_ uint32, id []byte) error {
			doc, ok, err := old.FindID(id)
			if ok {
				f(doc)
			}
			return err
		})
	}
	a, err := old.IDHashes()
	if err != nil {
		return err
	}
	b, err := newer.IDHashes()
	if err != nil {
		return err
	}
	var x, y []byte
	for len(a) > 0 && len(b) > 0 {
		ha, hb := a[0]>>32, b[0]>>32
		switch {
		case ha < hb:
			a = a[1:]
			continue
		case hb < ha:
			b = b[1:]
			continue
		}
		for _, v := range b {
			if v>>32 != ha {
				break
			}
			if x, err = old.AppendID(x[:0], uint32(a[0])); err != nil {
				return err
			}
			if y, err = newer.AppendID(y[:0], uint32(v)); err != nil {
				return err
			}
			if bytes.Equal(x, y) {
				f(uint32(a[0]))
			}
		}
		a = a[1:]
	}
	return nil
}

// hashStream merges the id hashes of the live documents of several segments:
// ascending, equal ones in the order of the segments.
type hashStream struct {
	sources []*source
	heads   []*hashHead
}

// hashHead is the position of a hashStream in one segment.
type hashHead struct {
	src    *source
	hashes []uint64
	hash   uint32
	doc    uint32 // docID in the segment
	key    uint64 // hash<<32 | docID in the merged segment
	last   uint64 // latest of hashes
	begun  bool
	live   uint32 // documents returned
}

// next moves to the next live document.
func (s *hashHead) next() (bool, error) {
	for len(s.hashes) > 0 {
		v := s.hashes[0]
		s.hashes = s.hashes[1:]
		before := s.last
		s.hash, s.doc, s.last = uint32(v>>32), uint32(v), v
		if docs := s.src.seg.Meta().Docs; s.doc >= docs || v <= before && s.begun {
			return false, s.corrupt("hash %08x of docID %d (of %d) follows %08x", s.hash, s.doc, docs, before>>32)
		}
		s.begun = true
		if !s.src.gone.isDeleted(s.doc) {
			s.key = v&^0xffffffff | uint64(s.src.gone.to(s.doc)+s.src.base)
			s.live++
			return true, nil
		}
	}
	if s.live != s.src.live {
		return false, s.corrupt("%d live documents have hashes, there are %d", s.live, s.src.live)
	}
	return false, nil
}

func (s *hashHead) corrupt(msg string, args ...any) error {
	return format.Locate(format.Corrupt(msg, args...), format.Place{
		File: s.src.seg.Name(), Section: format.SectionIDHash.String(), Block: format.NoBlock,
	})
}

func (h *hashStream) start() error {
	h.heads = nil
	for _, src := range h.sources {
		hashes, err := src.seg.IDHashes()
		if err != nil {
			return err
		}
		s := &hashHead{src: src, hashes: hashes}
		ok, err := s.next()
		if err != nil {
			return err
		}
		if ok {
			h.heads = append(h.heads, s)
		}
	}
	sort.Slice(h.heads, func(i, j int) bool { return h.heads[i].key < h.heads[j].key })
	return nil
}

// advance advances the first head and moves it to its new place.
func (h *hashStream) advance() error {
	s := h.heads[0]
	ok, err := s.next()
	if !ok {
		h.heads = h.heads[1:]
		return err
	}
	// There are few segments: insertion keeps the order.
	for i := 0; i+1 < len(h.heads) && h.heads[i].key > h.heads[i+1].key; i++ {
		h.heads[i], h.heads[i+1] = h.heads[i+1], h.heads[i]
	}
	return nil
}

// DropShared calls drop for every live document of sources whose id a later source
// also holds.
func DropShared(ctx context.Context, sources []Source, drop func(source int, doc uint32)) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	h := &hashStream{}
	of := map[*source]int{}
	base := uint32(0)
	for i, s := range sources {
		src := newSource(s, base)
		base += src.live
		h.sources = append(h.sources, src)
		of[src] = i
	}
	type member struct {
		source int
		doc    uint32
		id     []byte
	}
	var group []member // documents with the current hash
	var hash uint32
	if err := h.start(); err != nil {
		return err
	}
	for n := 0; len(h.heads) > 0; n++ {
		if n%1024 == 0 || len(group) > 64 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		head := h.heads[0]
		if head.hash != hash {
			group, hash = group[:0], head.hash
		}
		m := member{source: of[head.src], doc: head.doc}
		if len(group) > 0 || len(h.heads) > 1 && h.heads[1].hash == hash {
			var err error
			if m.id, err = head.src.seg.AppendID(nil, head.doc); err != nil {
				return err
			}
		}
		for _, older := range group {
			if older.source != m.source && bytes.Equal(older.id, m.id) {
				drop(older.source, older.doc)
			}
		}
		group = append(group, m)
		if err := h.advance(); err != nil {
			return err
		}
	}
	return nil
}

// Duplicate returns an id that two documents of s share, and the documents, or nil
// if ids are unique.
func Duplicate(s *segment.Segment) (id []byte, first, second uint32, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	hashes, err := s.IDHashes()
	if err != nil {
		return nil, 0, 0, err
	}
	for i := 0; i < len(hashes); {
		n := i + 1
		for n < len(hashes) && hashes[n]>>32 == hashes[i]>>32 {
			n++
		}
		if n == i+1 {
			i = n
			continue
		}
		seen := map[string]uint32{}
		for ; i < n; i++ {
			doc := uint32(hashes[i])
			id, err := s.AppendID(nil, doc)
			if err != nil {
				return nil, 0, 0, err
			}
			if other, ok := seen[string(id)]; ok {
				return id, other, doc, nil
			}
			seen[string(id)] = doc
		}
	}
	return nil, 0, 0, nil
}
