package check_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

func openAndVerify(b segment.Bytes) error {
	s, err := segment.Open("test.pin", b)
	if err != nil {
		return err
	}
	return check.Segment(context.Background(), s, check.Options{})
}

func TestVerifyFindsEveryFlippedByte(t *testing.T) {
	b := segment.Aligned(segtest.Small().Build(t, segtest.With{Docs: segtest.Codec("bp128"), Freqs: segtest.Codec("vbyte128"), Stored: true}))
	if err := openAndVerify(b); err != nil {
		t.Fatal(err)
	}
	step := 7
	if testing.Short() {
		step = 17
	} else if longtest.Enabled() {
		step = 1
	}
	for i := 0; i < len(b); i += step {
		b[i] ^= 1 << (i % 8)
		if err := openAndVerify(b); !segtest.IsIndexError(err) {
			t.Fatalf("byte %d flipped: %v", i, err)
		}
		b[i] ^= 1 << (i % 8)
	}
}

func TestTruncatedAtEveryLength(t *testing.T) {
	b := segment.Aligned(segtest.Small().Build(t, segtest.Default()))
	for n := range len(b) {
		if err := openAndVerify(b[:n]); !segtest.IsIndexError(err) {
			t.Fatalf("cut to %d of %d bytes: %v", n, len(b), err)
		}
	}
}

// walk uses every view of s. It only looks for panics; errors are as good as results.
func walk(s *segment.Segment) {
	var l segment.List
	it := s.Lists().Terms()
	var terms [][]byte
	for it.Next() {
		if len(terms) < 50 {
			terms = append(terms, bytes.Clone(it.Term()))
		}
		s.Lists().EntryAt(it.Entry().Ordinal)
		if s.Lists().Init(&l, it.Entry()) != nil {
			continue
		}
		docs, freqs := make([]uint32, l.BlockLen), make([]uint32, l.BlockLen)
		lens, _ := s.Documents().Lengths()
		for b := range l.Blocks {
			n, err := l.DecodeDocs(docs, b, 1)
			if err == nil {
				lens.GatherLengths(freqs, docs[:n])
				l.Range(docs[0])
				l.Bucket(docs[0])
			}
			l.DecodeFreqs(freqs, b, 1)
			l.Last(b)
		}
		l.Layout()
		l.Range(^uint32(0))
		l.Bucket(^uint32(0))
	}
	for _, term := range terms {
		s.Lists().Lookup(term)
		s.Lists().Terms().SeekGE(term)
		s.Lists().Prefix(term[:len(term)/2]).Next()
	}
	var buf []byte
	for doc := range min(s.Meta().Docs, 200) {
		buf, _ = s.Documents().AppendID(buf[:0], doc)
		s.Documents().FindID(buf)
		s.Documents().AppendStored(nil, doc)
		s.Documents().Length(doc)
	}
}

// With repaired checksums, damage reaches the decoders.
func TestDamageBehindChecksums(t *testing.T) {
	good := segtest.Small().Build(t, segtest.With{Docs: segtest.Codec("bp128"), Freqs: segtest.Codec("vbyte128"), Stored: true})
	r := rand.New(rand.NewPCG(8, 9))
	rounds := 1000
	if testing.Short() {
		rounds = 300
	} else if longtest.Enabled() {
		rounds = 4000
	}
	h := segtest.Open(t, good).Header()
	b := segment.Aligned(bytes.Clone(good))
	missed := 0
	for i := range rounds {
		copy(b, good)
		sec := h.Sections[i%len(h.Sections)]
		for range 1 + r.IntN(3) {
			if sec.Length > 0 {
				b[sec.Offset+r.Int64N(sec.Length)] ^= byte(1 << r.IntN(8))
			}
		}
		segtest.Repair(b)
		s, err := segment.Open("test.pin", b)
		if err == nil {
			walk(s)
			err = check.Segment(context.Background(), s, check.Options{})
		}
		switch {
		case err == nil:
			missed++ // a valid change of content, as in stored text
		case !segtest.IsIndexError(err):
			t.Fatalf("round %d: %v", i, err)
		}
	}
	if missed > rounds/4 {
		t.Errorf("%d of %d damages contradict nothing", missed, rounds)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	m := segtest.Small()
	good := m.Build(t, segtest.Default())
	s := segtest.Open(t, good)
	e, _, _ := s.Lists().Lookup([]byte("hash"))
	l, err := s.Lists().List(e)
	if err != nil {
		t.Fatal(err)
	}
	sec, _ := s.Header().Section(format.SectionPostings)
	at := func(name string) int64 {
		for _, p := range l.Layout() {
			if p.Name == name {
				return sec.Offset + e.Offset + p.Offset
			}
		}
		t.Fatalf("no part %s", name)
		return 0
	}
	b := segment.Aligned(bytes.Clone(good))
	b[at("skip")+4*3]++ // the last docID of block 3
	segtest.Repair(b)
	if s, err = segment.Open("broken.pin", b); err != nil {
		t.Fatal(err)
	}
	err = check.Segment(context.Background(), s, check.Options{})
	var fe *format.Error
	if !errors.As(err, &fe) || fe.File != "broken.pin" || fe.Section != "postings" || fe.List != "hash" || fe.Block != 3 || fe.Offset != sec.Offset+e.Offset {
		t.Fatalf("error says %+v", fe)
	}
}

// Without blocks of stored text there are no documents and no bytes.
func TestStoredWithoutBlocks(t *testing.T) {
	none := &segtest.Model{Lists: map[string][]segtest.Posting{}}
	for _, tt := range []struct {
		m      *segtest.Model
		stored int
		ok     bool
	}{{segtest.Small(), 0, false}, {none, 8, false}, {none, 0, true}} {
		w := segtest.Default()
		w.Stored = true
		f, err := damage.Parse(tt.m.Build(t, w))
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Sections {
			switch s := &f.Sections[i]; s.ID {
			case format.SectionStored:
				s.Content = make([]byte, tt.stored)
			case format.SectionStoredIndex:
				s.Content = binary.LittleEndian.AppendUint64(nil, uint64(len(tt.m.IDs)))
				s.Content = binary.LittleEndian.AppendUint64(s.Content, uint64(tt.stored))
			}
		}
		err = openAndVerify(segment.Aligned(f.Bytes()))
		var fe *format.Error
		if tt.ok != (err == nil) || err != nil && (!errors.As(err, &fe) || fe.Section != format.SectionStoredIndex.String()) {
			t.Errorf("%d documents, %d bytes: %v", len(tt.m.IDs), tt.stored, err)
		}
	}
}

func TestVerifyStopsWithContext(t *testing.T) {
	s := segtest.Open(t, segtest.Small().Build(t, segtest.Default()))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := check.Segment(ctx, s, check.Options{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	var last int64
	if err := check.Segment(context.Background(), s, check.Options{Progress: func(done, total int64) {
		if done < last || done > total {
			t.Fatalf("progress went from %d to %d of %d", last, done, total)
		}
		last = done
		if done == total {
			last = -1
		}
	}}); err != nil || last != -1 {
		t.Fatalf("progress ended at %d, %v", last, err)
	}
}
