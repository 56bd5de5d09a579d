package fuzz

import (
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/codectest"
	"github.com/pinion-index/pinion/internal/fuzzing"
)

// FuzzCodec decodes arbitrary blocks with every codec of the registry. The first byte
// selects the codec.
func FuzzCodec(x *testing.F) {
	f := fuzzing.New(x)
	codecs := registry.All()
	var decodings []*codectest.Decoding
	for i, c := range codecs {
		decodings = append(decodings, codectest.NewDecoding(c))
		var p format.Postings
		for n := range uint32(c.BlockLen() + 70) {
			p = p.AppendPosting(5*n+n*n%7+n/50*100_000, 1+n*n%5+n/120*1000)
		}
		l, err := codectest.Encode(c, p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(append([]byte{byte(i)}, codectest.Seed(&l.DocSeq)...))
		f.Add(append([]byte{byte(i)}, codectest.Seed(&l.TFSeq)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 0 {
			decodings[int(data[0])%len(decodings)].Execute(t, data[1:])
		}
	})
}
