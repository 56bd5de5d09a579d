package idxinspect

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/choose"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/synthetic"
)

// The sizes shown for codecs and for auto are those of encoding the lists one by one.
func TestCodecTable(t *testing.T) {
	ctx := context.Background()
	m := newCodecMeter(registry.All())
	bytes := map[codec.ID]int64{}
	chosen := map[string]int{}
	var auto int64
	var postings uint64
	for i := range 40 {
		p := format.Postings{Docs: synthetic.Clustered(uint64(i), 130+i*i*7, 1<<uint(16+i%8)), Freqs: synthetic.Freqs(uint64(i), 130+i*i*7, uint32(1+i))}
		if err := m.add(ctx, p); err != nil {
			t.Fatal(err)
		}
		postings += uint64(len(p.Docs))
		size := func(c codec.Codec) int64 {
			ends := make([]uint32, codec.Blocks(len(p.Docs), c.BlockLen())+1)
			b, err := c.AppendDocs(nil, ends, p.Docs)
			if err != nil {
				t.Fatal(err)
			}
			return int64(len(b) + 4*len(ends))
		}
		for _, c := range registry.All() {
			bytes[c.ID()] += size(c)
		}
		c, err := choose.Default().Docs(p.Docs)
		if err != nil {
			t.Fatal(err)
		}
		chosen[c.ID().String()]++
		auto += size(c)
	}
	if err := m.flush(ctx); err != nil || m.done != postings {
		t.Fatal(m.done, postings, err)
	}
	got := m.docs.table(m.done)
	for _, r := range append(slices.Clone(got.Codecs), got.Auto) {
		c, _ := registry.ByName(r.Codec)
		want := auto
		if c != nil {
			want = bytes[c.ID()]
		}
		if r.Bytes != want || math.Abs(r.Bits-8*float64(want)/float64(postings)) > 1e-9 || r.DecodeNS <= 0 || r.EncodeNS <= 0 || r.Cost.sum() <= 0 {
			t.Errorf("%+v: %d bytes wanted", r, want)
		}
	}
	lists := 0
	for _, c := range got.Choices {
		lists += c.Lists
		if c.Lists != chosen[c.Codec] {
			t.Errorf("auto takes %s for %d lists, shown are %d", c.Codec, chosen[c.Codec], c.Lists)
		}
		own := slices.IndexFunc(c.Costs, func(k CandidateCost) bool { return k.Codec == c.Codec })
		for _, k := range c.Costs {
			if k.sum() < c.Costs[own].sum() {
				t.Errorf("auto takes %s, which costs %.3f, where %s costs %.3f", c.Codec, c.Costs[own].sum(), k.Codec, k.sum())
			}
		}
	}
	if lists != 40 {
		t.Errorf("auto chose for %d lists of 40", lists)
	}
}

func TestDraw(t *testing.T) {
	if draw(1, 0, 10) != nil || draw(1, 10, 10) != nil || draw(1, 11, 10) != nil {
		t.Error("a sample of all is not nil")
	}
	counts := make([]int, 10)
	for seed := range uint64(1000) {
		d := draw(seed, 3, 10)
		if len(d) != 3 || !slices.IsSorted(d) || d[0] == d[1] || d[1] == d[2] || d[0] < 0 || d[2] > 9 {
			t.Fatalf("seed %d draws %v", seed, d)
		}
		if !slices.Equal(d, draw(seed, 3, 10)) {
			t.Fatalf("seed %d draws %v and something else", seed, d)
		}
		for _, i := range d {
			counts[i]++
		}
	}
	for i, n := range counts {
		if n < 240 || n > 360 { // 300 expected, standard deviation 14.5
			t.Errorf("%d is drawn %d times of 1000", i, n)
		}
	}
}
