//go:build emu && cgo && !cuda

package gpubench

import (
	"io"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/synthetic"
)

// TestDecodeTime decodes lists of several lengths in one launch, by all codecs, and fails
// if a value of a list is another.
func TestDecodeTime(t *testing.T) {
	dev, err := gpu.OpenDevice()
	if err != nil {
		t.Fatal(err)
	}
	b := &Bench{Device: dev, Log: io.Discard, Small: true}
	for _, name := range gputrial.Codecs() {
		c, _ := registry.ByName(name)
		var seqs []format.Sequence
		var lists [][]uint32
		for i, n := range []int{1, 128, 1000, 3001} {
			docs := synthetic.Uniform(uint64(i), n, 20*n)
			s := format.Sequence{N: n, Ends: make([]uint32, codec.Blocks(n, c.BlockLen())+1)}
			payload, err := c.AppendDocs(nil, s.Ends, docs)
			if err != nil {
				t.Fatal(err)
			}
			mem := format.AlignedBytes(len(payload))
			copy(mem, payload)
			s.Payload = mem[:len(payload)]
			for at := 0; at < n; at += c.BlockLen() {
				s.Last = append(s.Last, docs[min(at+c.BlockLen(), n)-1])
			}
			seqs, lists = append(seqs, s), append(lists, docs)
		}
		if _, err := b.DecodeTime(c, seqs, false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, change := range []uint32{0, 1} { // a step that does nothing leaves docIDs
			_, err := b.DecodeThen(c, seqs, false, func(kernels.Ptr, []int) (Step, error) {
				return Step{Enqueue: func(*cuda.Batch) {}, Want: func(i int) []uint32 {
					want := slices.Clone(lists[i])
					want[len(want)-1] += change
					return want
				}}, nil
			})
			if (err == nil) != (change == 0) {
				t.Errorf("%s: %v after a step whose last values are wanted %d greater", name, err, change)
			}
		}
		seqs[2].Payload[4*seqs[2].Ends[0]] ^= 1
		if _, err := b.DecodeTime(c, seqs, false); err == nil && c.ID() < codec.Rice {
			t.Errorf("%s: a changed payload decodes as before", name)
		}
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
