package codectest

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/codec"
)

// Golden checks that docs and freqs encode to the bytes docsHex and freqsHex, in
// hexadecimal with optional spaces.
func Golden(t *testing.T, c codec.Codec, docs []uint32, docsHex string, freqs []uint32, freqsHex string) {
	t.Helper()
	ends := make([]uint32, codec.Blocks(max(len(docs), len(freqs)), c.BlockLen())+1)
	got, err := c.AppendDocs(nil, ends, docs)
	if want := strings.ReplaceAll(docsHex, " ", ""); err != nil || hex.EncodeToString(got) != want {
		t.Errorf("docIDs are %x, error %v, not %s", got, err, want)
	}
	got, err = c.AppendFreqs(nil, ends, freqs)
	if want := strings.ReplaceAll(freqsHex, " ", ""); err != nil || hex.EncodeToString(got) != want {
		t.Errorf("frequencies are %x, error %v, not %s", got, err, want)
	}
}
