package exchange

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/schema"
)

// Vectors come as arrays of numbers, as arrays of these and as base64, to the bit; anything else is refused.
func TestDense(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var texts []string
		var want [][]float32
		for range 1 + r.IntN(3) {
			v := make([]float32, 1+r.IntN(5))
			var parts []string
			for i := range v {
				v[i] = math.Float32frombits(r.Uint32()&^(0x40000000) | 1)
				parts = append(parts, strconv.FormatFloat(float64(v[i]), 'g', -1, 32))
			}
			want = append(want, v)
			texts = append(texts, "[ "+strings.Join(parts, " ,\n")+"]")
		}
		var raw []byte
		for _, x := range want[0] {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
		}
		checkDense(t, texts[0], want[:1])
		checkDense(t, base64.StdEncoding.EncodeToString(raw), want[:1])
		checkDense(t, "["+strings.Join(texts, ", ")+" ]", want)
	}
	for _, bad := range []string{"", "[", "[]", "[[]]", "[1", "[1,]", "[1,2]x", "[[1],2]", "[[1],]", "[[1]", "[[1]]]", "[[[1]]]", `["1"]`, "AAAA", "AAA", "x", "[null]", "[1 2]"} {
		if got, err := appendDense(nil, 0, []byte(bad)); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

func checkDense(t *testing.T, text string, want [][]float32) {
	t.Helper()
	got, err := appendDense(nil, 0, []byte(text))
	if err != nil || len(got) != len(want) {
		t.Fatalf("%q: %d vectors, want %d, %v", text, len(got), len(want), err)
	}
	for i := range want {
		if v := schema.VectorValue(0, want[i]); string(got[i].VectorBytes()) != string(v.VectorBytes()) {
			t.Errorf("%q: vector %d is %v, want %v", text, i, got[i].Vector(), want[i])
		}
	}
}
