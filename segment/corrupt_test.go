package segment

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
)

// smallModel has lists of every kind and parts of every kind in few bytes.
func smallModel() *model {
	r := rand.New(rand.NewPCG(5, 6))
	m := &model{lists: map[string][]posting{}, lens: make([]uint32, 9000)}
	for i := range m.lens {
		m.ids = append(m.ids, string(binary.AppendUvarint(nil, uint64(i+1))))
		m.texts = append(m.texts, "")
		if i%100 == 0 {
			m.texts[i] = "some text that is stored, some text that is stored"
		}
	}
	dense := func(n, step int) (ps []posting) {
		for i := range n {
			ps = append(ps, posting{uint32(i * step), uint32(1 + r.IntN(3)*r.IntN(2))})
		}
		return ps
	}
	m.addList("extent", dense(200, 40))
	m.addList("hash", dense(8500, 1))
	m.addList("once", []posting{{17, 1}})
	m.addList("oncemore", []posting{{18, 70}})
	m.addList("regression", dense(1100, 8))
	m.addList("small", dense(20, 300))
	m.addList("tiny", []posting{{1, 1}, {8999, 2}})
	for i := range 40 {
		m.addList("z"+string(rune('A'+i)), []posting{{uint32(i), 1}})
	}
	return m
}

func isIndexError(err error) bool {
	return errors.Is(err, format.ErrCorrupt) || errors.Is(err, format.ErrNotAnIndex) || errors.Is(err, format.ErrTooNew) || errors.Is(err, format.ErrTooOld)
}

func openAndVerify(b Bytes) error {
	s, err := Open("test.pin", b)
	if err != nil {
		return err
	}
	return s.Verify(context.Background(), nil)
}

func TestVerifyFindsEveryFlippedByte(t *testing.T) {
	b := Aligned(smallModel().build(t, buildWith{docs: codecNamed("bp128"), freqs: codecNamed("vbyte128"), stored: true}))
	if err := openAndVerify(b); err != nil {
		t.Fatal(err)
	}
	step := 1
	if testing.Short() {
		step = 17
	}
	for i := 0; i < len(b); i += step {
		b[i] ^= 1 << (i % 8)
		if err := openAndVerify(b); !isIndexError(err) {
			t.Fatalf("byte %d flipped: %v", i, err)
		}
		b[i] ^= 1 << (i % 8)
	}
}

func TestTruncatedAtEveryLength(t *testing.T) {
	b := Aligned(smallModel().build(t, defaultBuild()))
	for n := range len(b) {
		if err := openAndVerify(b[:n]); !isIndexError(err) {
			t.Fatalf("cut to %d of %d bytes: %v", n, len(b), err)
		}
	}
}

// repair makes every checksum of a damaged file right again where the file still
// has the outline of one.
func repair(b []byte) {
	if len(b) < format.PageSize+format.FooterSize {
		return
	}
	le := binary.LittleEndian
	for i := range min(le.Uint32(b[48:]), format.MaxSections) {
		e := b[format.HeaderSize+i*format.SectionEntrySize:]
		off, n := le.Uint64(e[8:]), le.Uint64(e[16:])
		if off > uint64(len(b)) || n > uint64(len(b)) || off+uint64(format.PadSection(int64(n))) > uint64(len(b)) {
			continue
		}
		sec := b[off : off+uint64(format.PadSection(int64(n)))]
		if format.SectionID(le.Uint32(e)) == format.SectionPostings {
			repairExtents(sec[:n])
		}
		le.PutUint64(e[24:], xxhash.Sum64(sec))
	}
	le.PutUint64(b[40:], xxhash.Sum64(b[format.HeaderSize:format.PageSize]))
	le.PutUint64(b[56:], xxhash.Sum64(b[:56]))
	f := b[len(b)-format.FooterSize:]
	copy(f[8:32], b[8:32])
	copy(f[40:48], b[56:64])
	le.PutUint64(f[56:], xxhash.Sum64(f[:56]))
}

func repairExtents(b []byte) {
	for len(b) >= 64 {
		n := int(binary.LittleEndian.Uint32(b[8:])) * 64
		if n < 64 || n > len(b) {
			return
		}
		binary.LittleEndian.PutUint64(b, xxhash.Sum64(b[8:n]))
		b = b[n:]
	}
}

// walk uses every view of s. It looks for panics; errors are as good as results.
func walk(s *Segment) {
	var l List
	it := s.Terms()
	var terms [][]byte
	for it.Next() {
		if len(terms) < 50 {
			terms = append(terms, bytes.Clone(it.Term()))
		}
		if s.InitList(&l, it.Entry()) != nil {
			continue
		}
		docs, freqs := make([]uint32, l.BlockLen), make([]uint32, l.BlockLen)
		lens, _ := s.DocLens()
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
		s.Lookup(term)
		s.Terms().SeekGE(term)
		s.Prefix(term[:len(term)/2]).Next()
	}
	var buf []byte
	for doc := range min(s.meta.Docs, 200) {
		buf, _ = s.ID(doc, buf)
		s.FindID(buf)
		s.Stored(doc, nil)
		s.DocLen(doc)
	}
}

// With the checksums repaired, damage reaches the decoders.
func TestDamageBehindChecksums(t *testing.T) {
	good := smallModel().build(t, buildWith{docs: codecNamed("bp128"), freqs: codecNamed("vbyte128"), stored: true})
	r := rand.New(rand.NewPCG(8, 9))
	rounds := 4000
	if testing.Short() {
		rounds = 300
	}
	h := mustOpen(t, good).Header()
	b := Aligned(bytes.Clone(good))
	missed := 0
	for i := range rounds {
		copy(b, good)
		sec := h.Sections[i%len(h.Sections)]
		for range 1 + r.IntN(3) {
			if sec.Length > 0 {
				b[sec.Offset+r.Int64N(sec.Length)] ^= byte(1 << r.IntN(8))
			}
		}
		repair(b)
		s, err := Open("test.pin", b)
		if err == nil {
			walk(s)
			err = s.Verify(context.Background(), nil)
		}
		switch {
		case err == nil:
			missed++ // a change of meaning that contradicts nothing, as in stored text
		case !isIndexError(err):
			t.Fatalf("round %d: %v", i, err)
		}
	}
	if missed > rounds/4 {
		t.Errorf("%d of %d damages contradict nothing", missed, rounds)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	m := smallModel()
	good := m.build(t, defaultBuild())
	s := mustOpen(t, good)
	e, _, _ := s.Lookup([]byte("hash"))
	l, err := s.List(e)
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
	b := Aligned(bytes.Clone(good))
	b[at("skip")+4*3]++ // the last docID of block 3
	repair(b)
	if s, err = Open("broken.pin", b); err != nil {
		t.Fatal(err)
	}
	err = s.Verify(context.Background(), nil)
	var fe *format.Error
	if !errors.As(err, &fe) || fe.File != "broken.pin" || fe.Section != "postings" || fe.List != "hash" || fe.Block != 3 || fe.Offset != sec.Offset+e.Offset {
		t.Fatalf("error says %+v", fe)
	}
}

func TestVerifyStopsWithContext(t *testing.T) {
	s := mustOpen(t, smallModel().build(t, defaultBuild()))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Verify(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	var last int64
	if err := s.Verify(context.Background(), func(done, total int64) {
		if done < last || done > total {
			t.Fatalf("progress went from %d to %d of %d", last, done, total)
		}
		last = done
		if done == total {
			last = -1
		}
	}); err != nil || last != -1 {
		t.Fatalf("progress ended at %d, %v", last, err)
	}
}
