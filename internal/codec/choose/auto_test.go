package choose

import (
	"testing"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/lrc"
	"github.com/pinion-index/pinion/internal/codec/newpfd"
	"github.com/pinion-index/pinion/internal/codec/vbyte128"
)

func TestAuto(t *testing.T) {
	// One value in 128 needs 20 bits, the others 1: exceptions pay.
	docs, freqs := make([]uint32, 512), make([]uint32, 512)
	at := uint32(0)
	for i := range docs {
		at++
		if i%128 == 7 {
			at += 1 << 20
		}
		docs[i], freqs[i] = at, 1
		if i%128 == 9 {
			freqs[i] = 1 << 19
		}
	}
	for _, c := range []struct {
		docs, freqs         codec.Codec
		ok                  bool
		wantDocs, wantFreqs codec.ID
	}{
		{nil, nil, true, codec.NewPFD, codec.NewPFD},
		{bp128.Codec{}, nil, true, codec.BP128, codec.NewPFD},
		{nil, vbyte128.Codec{}, true, codec.NewPFD, codec.VByte128},
		{bp128.Codec{}, newpfd.Codec{}, false, 0, 0},
		{lrc.Codec{}, nil, false, 0, 0},
		{nil, lrc.Codec{}, false, 0, 0},
	} {
		a, ok := Auto(c.docs, c.freqs)
		if ok != c.ok {
			t.Errorf("Auto(%v, %v): ok %v", c.docs, c.freqs, ok)
		}
		if !ok {
			continue
		}
		d, err := a.Docs(docs)
		if err != nil || d.ID() != c.wantDocs {
			t.Errorf("Auto(%v, %v).Docs: %v, %v", c.docs, c.freqs, d, err)
		}
		f, err := a.Freqs(freqs)
		if err != nil || f.ID() != c.wantFreqs {
			t.Errorf("Auto(%v, %v).Freqs: %v, %v", c.docs, c.freqs, f, err)
		}
	}
}
