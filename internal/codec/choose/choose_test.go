package choose

import (
	"errors"
	"testing"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/synthetic"
)

func TestDefault(t *testing.T) {
	ones := make([]uint32, 1000)
	dense := make([]uint32, 1000)
	for i := range ones {
		ones[i], dense[i] = 1, uint32(i)
	}
	if c, err := Default().Freqs(ones); err != nil || c.ID() != codec.BP128 {
		t.Errorf("frequencies of one: %v, %v", c.ID(), err)
	}
	if c, err := Default().Docs(dense); err != nil || c.ID() != codec.BP128 {
		t.Errorf("consecutive docIDs: %v, %v", c.ID(), err)
	}
	clustered := synthetic.Clustered(1, 10000, 1<<20)
	if c, err := Default().Docs(clustered); err != nil || c.ID() != codec.NewPFD {
		t.Errorf("clustered docIDs: %v, %v", c.ID(), err)
	}
	if c, err := (Model{NanosPerByte: 0, Candidates: Candidates()}).Docs(clustered); err != nil || c.ID() != codec.BP128 {
		t.Errorf("clustered docIDs where bytes are free: %v, %v", c.ID(), err)
	}
}

// TestLeast compares the choice with the ranking of the same codecs.
func TestLeast(t *testing.T) {
	for seed := range uint64(20) {
		docs := synthetic.Clustered(seed, 200+int(seed)*97, 1<<(12+seed/2))
		freqs := synthetic.Freqs(seed, len(docs), 50)
		for _, price := range []float64{0.1, 1, 10} {
			m := Model{NanosPerByte: price, Candidates: Candidates()}
			all := make([]codec.Codec, len(Candidates()))
			for i, c := range Candidates() {
				all[i] = c
			}
			ranked, err := m.RankDocs(all, docs)
			if c, err2 := m.Docs(docs); err != nil || err2 != nil || c.ID() != ranked[0].Codec.ID() {
				t.Errorf("seed %d, price %v: chose %v, ranked %v first; %v, %v", seed, price, c.ID(), ranked[0].Codec.ID(), err, err2)
			}
			ranked, err = m.RankFreqs(all, freqs)
			if c, err2 := m.Freqs(freqs); err != nil || err2 != nil || c.ID() != ranked[0].Codec.ID() {
				t.Errorf("seed %d, price %v: chose %v for frequencies, ranked %v first; %v, %v", seed, price, c.ID(), ranked[0].Codec.ID(), err, err2)
			}
		}
	}
}

func TestRankAll(t *testing.T) {
	docs := synthetic.Uniform(3, 5000, 1<<20)
	ranked, err := Default().RankDocs(registry.All(), docs)
	if err != nil || len(ranked) != len(registry.All()) {
		t.Fatal(len(ranked), err)
	}
	for i, e := range ranked {
		if e.Nanos <= 0 {
			t.Errorf("%v has no decode time", e.Codec.ID())
		}
		if i > 0 && e.Cost < ranked[i-1].Cost {
			t.Errorf("%v at %v after %v", e.Codec.ID(), e.Cost, ranked[i-1].Cost)
		}
		ends := make([]uint32, codec.Blocks(len(docs), e.Codec.BlockLen())+1)
		p, err := e.Codec.AppendDocs(nil, ends, docs)
		if err != nil || len(p)+4*len(ends) != e.Bytes {
			t.Errorf("%v takes %d bytes, estimated %d, %v", e.Codec.ID(), len(p)+4*len(ends), e.Bytes, err)
		}
	}
}

func TestRefuses(t *testing.T) {
	var e *codec.EncodeError
	if _, err := Default().Docs([]uint32{3, 3}); !errors.As(err, &e) || e.Index != 1 {
		t.Errorf("docIDs that do not rise: %v", err)
	}
	if _, err := Default().Freqs([]uint32{1, 0}); !errors.As(err, &e) || e.Index != 1 {
		t.Errorf("a frequency of zero: %v", err)
	}
	if _, err := Default().RankFreqs(registry.All(), []uint32{0}); !errors.As(err, &e) {
		t.Errorf("ranking a frequency of zero: %v", err)
	}
}
