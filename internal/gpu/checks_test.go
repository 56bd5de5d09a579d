//go:build emu && cgo

package gpu

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/segment"
)

// TestChecks changes lists at random, with and without a new checksum. The lists that
// become resident must be those that the decoders of the CPU accept and whose metadata
// holds for the postings; lists that were not changed must be among them. A list that
// became resident before and was evicted becomes resident again.
func TestChecks(t *testing.T) {
	rounds := few(2, 8)
	if n, err := strconv.Atoi(os.Getenv("PINION_HOSTILE_ROUNDS")); err == nil {
		rounds = n
	}
	refused, cautious := 0, 0
	for _, codecs := range codecPairs {
		c, err := gputrial.New(gputrial.Shape{Docs: 2400, Segments: 1, Terms: 40, MaxDF: 0.9, MinDF: 128,
			DocsCodec: codecs[0], FreqsCodec: codecs[1], Seed: 8, OwnLengths: true}, false)
		if err != nil {
			t.Fatal(err)
		}
		sc := mustScorer(t, c)
		for round := range rounds {
			r := rand.New(rand.NewPCG(uint64(round), 2))
			s, err := segment.Open("damaged", segment.Aligned(append([]byte(nil), c.Parts[0].Bytes...)))
			if err != nil {
				t.Fatal(err)
			}
			if round%2 == 0 { // the extents' checksums, not those of the pages
				s.Raw().SkipPageChecks()
			}
			changed := map[int64]bool{}
			for it := s.Lists().Terms(); it.Next(); {
				l, err := s.Lists().List(it.Entry())
				if err != nil || l.Extent() == nil || r.IntN(4) == 0 {
					continue
				}
				changed[it.Entry().Offset] = true
				damage(r, l.Extent())
			}
			dev := cuda.NewEmulator()
			x, err := newExecutor(dev, []residency.Segment{{Seg: s}}, Options{Scorer: sc, Memory: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			x.lists.Isolate = round > 1
			for range 2 {
				if err := x.LoadAll(context.Background()); err != nil {
					t.Fatal(err)
				}
				for it := s.Lists().Terms(); it.Next(); {
					e := it.Entry()
					if e.Kind != segment.KindExtent {
						continue
					}
					why := fault(t, s, e)
					key := residency.ListKey{Key: residency.Key{Segment: 0, Offset: e.Offset}, N: e.DF}
					_, resident := x.lists.ByKey[key]
					switch {
					case resident && why != "":
						t.Errorf("%v, round %d: list %s is resident: %s", codecs, round, it.Term(), why)
					case !resident && why == "" && !changed[e.Offset]:
						t.Errorf("%v, round %d: sound list %s is refused: %v", codecs, round, it.Term(), x.lists.Refused[key])
					case !resident && why == "":
						cautious++
						t.Logf("%v, round %d: list %s: %v", codecs, round, it.Term(), x.lists.Refused[key])
					case !resident:
						refused++
						q := search.Query{RawTerms: [][]byte{it.Term()}, K: 5, Mode: query.ModeOr}
						_, err := x.Execute(context.Background(), []search.Query{q})
						if l, e := s.Lists().List(e); e == nil && !(kernels.Decodable(uint8(codec.ID(l.DocsCodec))) && kernels.Decodable(uint8(codec.ID(l.FreqsCodec)))) {
							continue // damage has made it a list that the device never takes
						} else if !errors.Is(err, format.ErrCorrupt) {
							t.Errorf("%v, round %d: a query of damaged list %s: %v", codecs, round, it.Term(), err)
						}
					}
				}
				x.lists.Forget()
			}
			closeExecutor(t, x)
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if refused < 50*rounds || cautious > refused/50 {
		t.Errorf("%d lists were refused, and %d that the CPU accepts", refused, cautious)
	}
}

// damage changes an extent, and in two of three cases sets its checksum to that of the
// changed bytes.
func damage(r *rand.Rand, b []byte) {
	if r.IntN(2) == 0 {
		mutate(r, b)
	} else {
		b[8+r.IntN(len(b)-8)] ^= 1 << r.IntN(8)
	}
	if r.IntN(3) > 0 {
		binary.LittleEndian.PutUint64(b, xxhash.Sum64(b[8:]))
	}
}

// fault returns what is wrong with a list, found by decoding it on the CPU, or "".
func fault(t *testing.T, s *segment.Segment, e segment.Entry) string {
	t.Helper()
	l, err := s.Lists().List(e)
	if err != nil {
		return err.Error()
	}
	if err := l.VerifyBytes(); err != nil {
		return err.Error()
	}
	lens, err := s.Documents().Lengths()
	if err != nil {
		t.Fatal(err)
	}
	var reach [3]int
	next, buf, fbuf := uint32(0), make([]uint32, 1024), make([]uint32, 1024)
	for b := range l.Blocks {
		n, err := l.DecodeDocs(buf, b, 1)
		if err != nil {
			return err.Error()
		}
		if m, err := l.DecodeFreqs(fbuf, b, 1); err != nil || m != n {
			return "frequencies"
		}
		for i, d := range buf[:n] {
			f, dl, at := fbuf[i], lens.Get(d), b*l.BlockLen+i
			switch {
			case d < next || d >= s.Meta().Docs || at == 0 && d != l.First || i == n-1 && d != l.Docs.Last[b]:
				return "docIDs"
			case f == 0 || f > dl:
				return "frequency"
			case !l.Quad.Dominates(f, dl) || !l.Quads[b].Dominates(f, dl):
				return "bounds"
			}
			if lo, hi := l.Range(d); at < lo || at > hi {
				return "linear regression"
			}
			if h := int(d >> l.Hash.Shift); l.HasHash && (h+1 >= len(l.Hash.Start) || at < int(l.Hash.Start[h]) || at >= int(l.Hash.Start[h+1])) {
				return "buckets"
			}
			for k, v := range l.Kth {
				if tf, dlk, ok := v.Pair(); ok && f >= tf && dl <= dlk {
					reach[k]++
				}
			}
			next = d + 1
		}
	}
	for k, v := range l.Kth {
		if _, _, ok := v.Pair(); ok && reach[k] < format.KthValues()[k] {
			return "k-th impacts"
		}
	}
	return ""
}
