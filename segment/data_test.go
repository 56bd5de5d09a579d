package segment_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// onDemand is Data that is read piece by piece and fails from read number fail on.
type onDemand struct {
	b     []byte
	reads int
	bytes int64
	fail  int // -1: never
}

var errRead = errors.New("no such luck")

func (d *onDemand) Size() int64 { return int64(len(d.b)) }

func (d *onDemand) Range(off, n int64) ([]byte, error) {
	if d.reads == d.fail {
		return nil, errRead
	}
	d.reads++
	d.bytes += n
	p := format.AlignedBytes(int(n))
	copy(p, d.b[off:off+n])
	return p, nil
}

func TestReadOnDemand(t *testing.T) {
	m := segtest.Small()
	d := &onDemand{b: m.Build(t, segtest.With{Docs: segtest.Codec("bp128"), Freqs: segtest.Codec("vbyte128"), Stored: true}), fail: -1}
	s, err := segment.Open("test.pin", d)
	if err != nil {
		t.Fatal(err)
	}
	m.IDs, m.Texts = m.IDs[:300], m.Texts[:300] // each takes at least one read
	m.Check(t, s, true)
	if err := check.Segment(context.Background(), s, check.Options{}); err != nil {
		t.Fatal(err)
	}
}

func TestOpenReadsNoContent(t *testing.T) {
	longtest.Once(t)
	small := &onDemand{b: segtest.Small().Build(t, segtest.Default()), fail: -1}
	large := &onDemand{b: segtest.Random(rand.New(rand.NewPCG(1, 1)), 50_000, 300).Build(t, segtest.Default()), fail: -1}
	for _, d := range []*onDemand{small, large} {
		if _, err := segment.Open("test.pin", d); err != nil {
			t.Fatal(err)
		}
	}
	if small.reads != large.reads || large.bytes > 4*format.PageSize {
		t.Fatalf("%d reads of %d bytes, %d reads of %d bytes of a large file", small.reads, small.bytes, large.reads, large.bytes)
	}
}

// Every failed read returns the error of the Data.
func TestReadErrors(t *testing.T) {
	d := &onDemand{b: segtest.Small().Build(t, segtest.With{Docs: segtest.Codec("bp128"), Freqs: segtest.Codec("bp128"), Stored: true})}
	for d.fail = 0; ; d.fail++ {
		d.reads = 0
		s, err := segment.Open("test.pin", d)
		if err == nil {
			err = check.Segment(context.Background(), s, check.Options{})
		}
		if err == nil {
			break
		}
		if !errors.Is(err, errRead) {
			t.Fatalf("read %d failed: %v", d.fail, err)
		}
		if d.fail > 200 {
			d.fail += 500 // skip most of the reads of ids, which are alike
		}
	}
	if d.fail < 20 {
		t.Fatalf("only %d reads", d.fail)
	}
}

func TestUnalignedMemoryIsRefused(t *testing.T) {
	b := segment.Aligned(append([]byte{0}, segtest.Small().Build(t, segtest.Default())...))
	if _, err := segment.Open("test.pin", b[1:]); err == nil || segtest.IsIndexError(err) {
		t.Fatal(err)
	}
	if _, err := segment.Open("test.pin", segment.Aligned(b[1:])); err != nil {
		t.Fatal(err)
	}
}

func TestViewsAllocateNothing(t *testing.T) {
	m := segtest.Small()
	s := segtest.Open(t, m.Build(t, segtest.With{Docs: segtest.Codec("bp128"), Freqs: segtest.Codec("vbyte128"), Stored: true}))
	var l segment.List
	docs := make([]uint32, 128)
	var id, text []byte
	for name, f := range map[string]func(){
		"lookup":  func() { s.Lists().Lookup([]byte("small")) },
		"compact": func() { e, _, _ := s.Lists().Lookup([]byte("small")); s.Lists().Init(&l, e) },
		"extent": func() {
			e, _, _ := s.Lists().Lookup([]byte("hash"))
			s.Lists().Init(&l, e)
			l.DecodeDocs(docs, 3, 1)
			l.DecodeFreqs(docs, 3, 1)
		},
		"bounds":   func() { l.Range(500); l.Bucket(500) },
		"id":       func() { id, _ = s.Documents().AppendID(id[:0], 77) },
		"find id":  func() { s.Documents().FindID(id) },
		"text":     func() { text, _ = s.Documents().AppendStored(text[:0], 100) },
		"checksum": func() { l.VerifyChecksum() },
	} {
		f()
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
