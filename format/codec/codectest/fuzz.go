package codectest

import (
	"testing"

	"github.com/pinion-index/pinion/format/codec"
)

// Fuzz is the body of a codec's fuzz target: it decodes arbitrary sequences at every
// tier and by every method, the checks being those of Hostile. There are no checksums
// on the way. The seeds are sound lists of every width and of several lengths.
func Fuzz(f *testing.F, c codec.Codec) {
	size := c.BlockLen()
	for width := uint(0); width <= 32; width++ {
		n := []int{size + 5, 3, size, 2*size + 77, size - 1}[width%5]
		l, err := Encode(c, wide(n, min(width, 30)), wideFreqs(n, width))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(Seed(&l.DocSeq))
		f.Add(Seed(&l.TFSeq))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, _ := Arbitrary(c, data); s != nil {
			Hostile(t, c, s)
		}
	})
}
