package inspect

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
	m := NewCodecMeter(registry.All())
	bytes := map[codec.ID]int64{}
	chosen := map[string]int{}
	var auto int64
	var postings uint64
	for i := range 40 {
		p := format.Postings{Docs: synthetic.Clustered(uint64(i), 130+i*i*7, 1<<uint(16+i%8)), Freqs: synthetic.Freqs(uint64(i), 130+i*i*7, uint32(1+i))}
		if err := m.Add(ctx, p); err != nil {
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
	if err := m.Flush(ctx); err != nil || m.Done != postings {
		t.Fatal(m.Done, postings, err)
	}
	got := m.docs.table(m.Done)
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
