package fuzz

import (
	"testing"

	"github.com/pinion-index/pinion/format/codec/registry"
	"github.com/pinion-index/pinion/internal/codectest"
)

// FuzzCodec decodes arbitrary blocks with every codec of the registry, at every
// tier. The first byte selects the codec.
func FuzzCodec(f *testing.F) {
	codecs := registry.All()
	for i, c := range codecs {
		var docs, freqs []uint32
		for n := range uint32(c.BlockLen() + 70) {
			docs, freqs = append(docs, 5*n+n*n%7+n/50*100_000), append(freqs, 1+n*n%5+n/120*1000)
		}
		l, err := codectest.Encode(c, docs, freqs)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(append([]byte{byte(i)}, codectest.Seed(&l.DocSeq)...))
		f.Add(append([]byte{byte(i)}, codectest.Seed(&l.TFSeq)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 || len(data) > 1<<20 {
			return
		}
		c := codecs[int(data[0])%len(codecs)]
		if s, _ := codectest.Arbitrary(c, data[1:]); s != nil {
			codectest.Hostile(t, c, s)
		}
	})
}
