package check_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// report returns everything that check.Segment finds, and its error.
func report(t *testing.T, b segment.Bytes, level check.Level, threads int) ([]check.Damage, error) {
	t.Helper()
	s, err := segment.Open("test.pin", b)
	if err != nil {
		t.Fatal(err)
	}
	var all []check.Damage
	err = check.Segment(context.Background(), s, check.Options{Level: level, Threads: threads, Report: func(d check.Damage) { all = append(all, d) }})
	if (err != nil) != (len(all) > 0) || err != nil && err.Error() != all[0].Err.Error() {
		t.Fatalf("%d places, error %v", len(all), err)
	}
	return all, err
}

func small(t *testing.T) (b segment.Bytes, s *segment.Segment) {
	b = segment.Aligned(segtest.Small().Build(t, segtest.With{Docs: segtest.Codec("bp128"), Freqs: segtest.Codec("vbyte128"), Stored: true}))
	return b, segtest.Open(t, b)
}

// TestFlipIsNamed checks that any single flipped bit behind the first page is named.
func TestFlipIsNamed(t *testing.T) {
	b, s := small(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, sec := range s.Header().Sections {
		if sec.ID == format.SectionMeta { // read when the file is opened
			continue
		}
		for range 20 {
			at, bit := sec.Offset+r.Int64N(sec.PaddedLength()), r.IntN(8)
			if sec.ID == format.SectionPageSums {
				at = sec.Offset + r.Int64N(sec.Length)
			}
			b[at] ^= 1 << bit
			all, _ := report(t, b, check.Checksums, 1)
			b[at] ^= 1 << bit
			if len(all) != 1 || all[0].Flip == nil || *all[0].Flip != (check.Flip{Offset: at, Bit: bit}) {
				t.Fatalf("%v, bit %d of byte %d: %+v", sec.ID, bit, at, all)
			}
			if d := all[0]; d.Err.Section != sec.ID.String() || d.Err.Offset > at || d.Err.Offset+d.Length <= at {
				t.Fatalf("%v, byte %d: %v, %d bytes", sec.ID, at, d.Err, d.Length)
			}
		}
	}
	// Two flips are not explained by one.
	terms, _ := s.Header().Section(format.SectionTerms)
	b[terms.Offset] ^= 3
	if all, _ := report(t, b, check.Checksums, 1); len(all) != 1 || all[0].Flip != nil {
		t.Errorf("two flipped bits: %+v", all)
	}
}

// TestEveryPlaceIsReported damages several places at once.
func TestEveryPlaceIsReported(t *testing.T) {
	b, s := small(t)
	good := segment.Aligned(bytes.Clone(b))
	if all, err := report(t, b, 0, 3); err != nil || all != nil {
		t.Fatal(all, err)
	}
	e, _, err := s.Lists().Lookup([]byte("extent"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Lists().List(e)
	if err != nil {
		t.Fatal(err)
	}
	if l.Blocks < 2 {
		t.Fatalf("%d blocks", l.Blocks)
	}
	postings, _ := s.Header().Section(format.SectionPostings)
	at := postings.Offset + e.Offset
	for _, p := range l.Layout() {
		if p.Name == "docs" {
			at += p.Offset + int64(l.Docs.Ends[1])*4 // block 1
		}
	}
	lengths, _ := s.Header().Section(format.SectionDocLengths)
	stored, _ := s.Header().Section(format.SectionStored)
	places := []struct {
		at   int64
		want string
	}{
		{at, `section postings, list "extent"`}, // its headers share the damaged page
		{lengths.Offset, "section doc-lengths"},
		{stored.Offset, "section stored"},
	}
	for _, repair := range []bool{false, true} {
		copy(b, good)
		for _, p := range places {
			b[p.at] ^= 0xff
		}
		if repair {
			segtest.Repair(b)
		}
		all, _ := report(t, b, check.Postings, 1)
		for _, p := range places {
			if repair && p.at == at {
				p.want += ", block 1"
			}
			if !slices.ContainsFunc(all, func(d check.Damage) bool { return strings.Contains(d.Err.Error(), p.want) }) {
				t.Errorf("repaired: %v; no report of %s among %v", repair, p.want, texts(all))
			}
		}
		again, _ := report(t, b, check.Postings, 4)
		if got, want := texts(again), texts(all); got != want {
			t.Errorf("with 4 goroutines\n%s\nwith one\n%s", got, want)
		}
	}
}

func texts(all []check.Damage) string {
	var b strings.Builder
	for _, d := range all {
		fmt.Fprintf(&b, "%v, %d bytes, documents %v, %v\n", d.Err, d.Length, d.Docs, d.Flip)
	}
	return b.String()
}

// A document in IDHASH that there is not does not end the check, whether its page is damaged or not.
func TestHashOfNoDocument(t *testing.T) {
	t.Run("packed", func(t *testing.T) {
		hashOfNoDocument(t, 6, func(hashes []byte) { // 9,000 documents have entries of 16 bits
			hashes[2] |= 0xc0
			hashes[3] = 0xff
		})
	})
	t.Run("0.5", func(t *testing.T) {
		hashOfNoDocument(t, 5, func(hashes []byte) {
			copy(hashes[8:], hashes[:8])
			binary.LittleEndian.PutUint32(hashes[8:], math.MaxUint32) // with the hash before it
		})
	})
}

func hashOfNoDocument(t *testing.T, minor uint16, change func(hashes []byte)) {
	b, _ := small(t)
	b = segment.Bytes(segtest.InVersion(t, b, minor))
	s := segtest.Open(t, b)
	hashes, _ := s.Header().Section(format.SectionIDHash)
	stored, _ := s.Header().Section(format.SectionStored)
	change(b[hashes.Offset:])
	b[stored.Offset] ^= 0xff
	count := func(want map[string]int) {
		t.Helper()
		all, _ := report(t, b, check.Postings, 1)
		got := map[string]int{}
		for _, d := range all {
			got[d.Err.Section]++
		}
		if !maps.Equal(got, want) {
			t.Errorf("%v, want %v:\n%s", got, want, texts(all))
		}
	}
	count(map[string]int{"id-hash": 2, "stored": 2}) // the pages, then the parts that need them
	segtest.Repair(b)
	count(map[string]int{"id-hash": 2, "stored": 1}) // an id that is missing, and what is there instead; a block
}

// The entry of the skip header before the last block is the one that the first block of a list
// follows, and the last block decodes so. There is no hash bucket for it.
func TestSkipHeaderPastBuckets(t *testing.T) {
	m := segtest.Small()
	var ps []segtest.Posting
	for i := range uint32(66*128 + 52) {
		ps = append(ps, segtest.P(i+i/(66*128)*500, 1)) // the last gaps take two bytes from either
	}
	m.AddList("jump", ps)
	b := segment.Aligned(m.Build(t, segtest.With{Docs: segtest.Codec("vbyte128"), Freqs: segtest.Codec("bp128")}))
	s := segtest.Open(t, b)
	e, _, _ := s.Lists().Lookup([]byte("jump"))
	l, err := s.Lists().List(e)
	if err != nil || !l.HasHash {
		t.Fatal(l, err)
	}
	docs := segtest.Split(ps).Docs
	last := l.Blocks - 1
	block, err := registry.Of(l.DocsCodec).(codec.BlockCodec).AppendDocsBlock(nil, docs[128*last:], codec.NoDoc)
	if old := l.Docs.Payload[4*l.Docs.Ends[last]:]; err != nil || len(block) != len(old) {
		t.Fatalf("%d bytes for %d, error %v", len(block), len(old), err)
	}
	postings, _ := s.Header().Section(format.SectionPostings)
	for _, p := range l.Layout() {
		switch part := b[postings.Offset+e.Offset+p.Offset:]; p.Name {
		case "skip":
			binary.LittleEndian.PutUint32(part[4*(last-1):], codec.NoDoc)
		case "docs":
			copy(part[4*l.Docs.Ends[last]:], block)
		}
	}
	segtest.Repair(b)
	all, _ := report(t, b, check.Postings, 1)
	if len(all) != 1 || all[0].Err.List != "jump" || all[0].Err.Block != last-1 || all[0].Docs != [2]uint32{} {
		t.Error(texts(all))
	}
}

// Damage of padding touches no documents.
func TestDamagedPadding(t *testing.T) {
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, 4050)}
	for i := range m.Lens {
		m.IDs = append(m.IDs, fmt.Sprint(i))
	}
	b := segment.Aligned(m.Build(t, segtest.Default()))
	lengths, _ := segtest.Open(t, b).Header().Section(format.SectionDocLengths)
	b[lengths.Offset+lengths.Length+70] ^= 1
	all, _ := report(t, b, check.Checksums, 1)
	if len(all) != 1 || all[0].Err.Section != "doc-lengths" || all[0].Docs != [2]uint32{} {
		t.Error(texts(all))
	}
}
