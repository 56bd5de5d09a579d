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
	"unsafe"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/segment"
)

// codecPairs are codecs of docIDs and frequencies that together are all codecs.
var codecPairs = [][2]string{{"bp128", "bp128"}, {"bp256", "bp256"}, {"vbyte128", "vbyte128"}, {"vbyte1024", "vbyte1024"},
	{"vbyte128", "bp128"}, {"newpfd", "newpfd"}, {"ef", "ef"}, {"newpfd", "ef"}, {"rice", "rice"}, {"pfordelta", "pfordelta"},
	{"parapfor", "parapfor"}, {"lrc", "lrc"}, {"lrcseg", "rice"}, {"seglrc", "pfordelta"}, {"hslrc", "parapfor"}}

// TestHostileExtents changes bytes of extents at random, as if a mapped file had changed
// after its lists passed all checks, so that only check_lists looks at them. The executor
// may return errors or wrong answers but must keep working. With the address sanitizer (go test -asan) any
// access outside the arena fails the test; without it, an access to unmapped memory does.
func TestHostileExtents(t *testing.T) {
	for i, codecs := range codecPairs {
		c, err := gputrial.New(gputrial.Shape{Docs: few(8000, 20_000), Segments: 1, Terms: 12, MaxDF: 0.9, MinDF: 100,
			DocsCodec: codecs[0], FreqsCodec: codecs[1], Seed: 5}, false)
		if err != nil {
			t.Fatal(err)
		}
		sc := mustScorer(t, c)
		rounds := few(1, 6)
		if n, err := strconv.Atoi(os.Getenv("PINION_HOSTILE_ROUNDS")); err == nil {
			rounds = n
		}
		for round := range rounds {
			r := rand.New(rand.NewPCG(uint64(round), uint64(i)))
			way := i + round // all ways over the codecs, though there be one round
			b := segment.Aligned(append([]byte(nil), c.Parts[0].Bytes...))
			s, err := segment.Open("hostile", b)
			if err != nil {
				t.Fatal(err)
			}
			s.Raw().SkipPageChecks()
			it := s.Lists().Terms()
			for it.Next() {
				l, err := s.Lists().List(it.Entry())
				if err != nil || l.Extent() == nil {
					continue
				}
				mutate(r, l.Extent())
			}
			dev := cuda.NewEmulator()
			dev.Seed = uint64(way)
			x, err := newExecutor(dev, []residency.Segment{{Seg: s}}, Options{Scorer: sc, Memory: 1 << 20, width: 4096, CPU: nothing{},
				ranges: either(way%3 == 0), Presence: 1, AsStored: way%2 == 0})
			if err != nil {
				t.Fatal(err)
			}
			x.lists.Isolate = true
			x.lists.ProveAll()
			var qs []search.Query
			for _, q := range c.Draw(r, 8, 4, 10, query.ModeAnd, query.ModeOr) {
				qs = append(qs, q.Query())
			}
			if _, err := x.Execute(context.Background(), qs); err != nil {
				t.Logf("round %d: %v", round, err)
			}
			if _, err := x.Execute(context.Background(), qs[:1]); err != nil {
				t.Fatalf("round %d: the device is gone: %v", round, err)
			}
			for i := range qs { // one by one, since a refused list refuses its batch
				how := []Strategy{Probe, Element, MergePath}[i%3]
				if err := conjoin(x, qs[i:i+1], how); err != nil {
					t.Logf("round %d, %v: %v", round, how, err)
				}
			}
			closeExecutor(t, x)
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// conjoin answers queries as conjunctions for docIDs.
func conjoin(x *Executor, qs []search.Query, how Strategy) error {
	b, err := x.NewConjunction(context.Background(), qs, 1, how)
	if err != nil {
		return err
	}
	defer b.Close()
	if err := b.Start(); err != nil {
		return err
	}
	_, err = b.Finish()
	return err
}

// mutate changes some bytes, words or bits of an extent, mostly after its header.
func mutate(r *rand.Rand, b []byte) {
	for range 1 + r.IntN(6) {
		at := 32 + r.IntN(len(b)-32)
		if r.IntN(8) == 0 {
			at = r.IntN(32)
		}
		switch r.IntN(4) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.Uint32())
		default:
			at &^= 3
			binary.LittleEndian.PutUint32(b[at:], []uint32{0, 1, 1 << 31, ^uint32(0), r.Uint32(), r.Uint32N(64)}[r.IntN(6)])
		}
	}
}

// nothing is an executor without hits.
type nothing struct{}

func (nothing) Execute(_ context.Context, q []search.Query) ([]search.Result, error) {
	return make([]search.Result, len(q)), nil
}

// TestMergeUnordered merges lists whose docIDs do not ascend, as if their file had changed after
// their check. A thread block has keys and counters for one tile: it must leave the others, and
// what follows the counters, alone.
func TestMergeUnordered(t *testing.T) {
	const n, guard = 3 * kernels.MergeTile, 4096
	for seed := range uint64(few(20, 200)) {
		r := rand.New(rand.NewPCG(seed, 2))
		dev := cuda.NewEmulator()
		dev.Seed = seed
		at, err := dev.Alloc(4 * (3*n + 3*guard))
		if err != nil {
			t.Fatal(err)
		}
		keys := make([]byte, 4*2*n)
		for i := range 2 * n {
			binary.LittleEndian.PutUint32(keys[4*i:], r.Uint32N(1<<r.IntN(32)|1))
		}
		hits := at + 4*(2*n+guard)
		jobs := []kernels.MergeJob{{A: at, B: at + 4*n, Hits: hits, NA: n, NB: n}}
		var tiles []kernels.Tile
		for i := range 2 * n / kernels.MergeTile {
			tiles = append(tiles, kernels.Tile{First: uint32(i) * kernels.MergeTile})
		}
		host, err := dev.HostAlloc(len(keys) + 4096)
		if err != nil {
			t.Fatal(err)
		}
		tables, err := dev.Alloc(4096)
		if err != nil {
			t.Fatal(err)
		}
		copy(host, keys)
		tilesAt := copy(host[len(keys):], bytesOf(jobs))
		copy(host[len(keys)+tilesAt:], bytesOf(tiles))
		p := kernels.MergeParams{Jobs: tables, Tiles: tables + kernels.Ptr(tilesAt), NTiles: uint32(len(tiles))}
		out, err := dev.HostAlloc(4 * (n + 2*guard))
		if err != nil {
			t.Fatal(err)
		}
		b := &cuda.Batch{}
		b.CopyIn(at, host[:len(keys)])
		b.CopyIn(tables, host[len(keys):])
		b.Fill(hits-4*guard, 4*(n+2*guard))
		b.Launch(kernels.MergePath, len(tiles), 0, kernels.Bytes(&p))
		b.CopyOut(out, hits-4*guard)
		if err := errors.Join(dev.Submit(b), dev.Wait(0)); err != nil {
			t.Fatal(err)
		}
		for i := range guard {
			if binary.LittleEndian.Uint32(out[4*i:]) != 0 || binary.LittleEndian.Uint32(out[4*(guard+n+i):]) != 0 {
				t.Fatalf("seed %d: writes outside the counters, %d before or behind them", seed, i)
			}
		}
		if err := errors.Join(dev.Free(at), dev.Free(tables), dev.HostFree(host), dev.HostFree(out), dev.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// bytesOf returns the bytes of values without pointers.
func bytesOf[T any](v []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(v[0])))
}
