package registry

import (
	"testing"

	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/bp256"
	"github.com/pinion-index/pinion/internal/codec/bp32"
	"github.com/pinion-index/pinion/internal/codec/ef"
	"github.com/pinion-index/pinion/internal/codec/hslrc"
	"github.com/pinion-index/pinion/internal/codec/lrc"
	"github.com/pinion-index/pinion/internal/codec/lrcseg"
	"github.com/pinion-index/pinion/internal/codec/newpfd"
	"github.com/pinion-index/pinion/internal/codec/parapfor"
	"github.com/pinion-index/pinion/internal/codec/pfordelta"
	"github.com/pinion-index/pinion/internal/codec/rice"
	"github.com/pinion-index/pinion/internal/codec/seglrc"
	"github.com/pinion-index/pinion/internal/codec/simdbp128"
	"github.com/pinion-index/pinion/internal/codec/streamvbyte"
	"github.com/pinion-index/pinion/internal/codec/varintgb"
	"github.com/pinion-index/pinion/internal/codec/vbyte1024"
	"github.com/pinion-index/pinion/internal/codec/vbyte128"
	"github.com/pinion-index/pinion/internal/codectest"
)

// Every codec keeps what codectest.Run asks.
func TestConformance(t *testing.T) {
	for _, c := range All() {
		t.Run(c.ID().String(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func Benchmark(b *testing.B) {
	for _, c := range All() {
		b.Run(c.ID().String(), func(b *testing.B) { codectest.Bench(b, c) })
	}
}

// A fuzz target is of one codec.

func FuzzBP128(f *testing.F)       { codectest.Fuzz(f, bp128.Codec{}) }
func FuzzBP256(f *testing.F)       { codectest.Fuzz(f, bp256.Codec{}) }
func FuzzBP32(f *testing.F)        { codectest.Fuzz(f, bp32.Codec{}) }
func FuzzEF(f *testing.F)          { codectest.Fuzz(f, ef.Codec{}) }
func FuzzHSLRC(f *testing.F)       { codectest.Fuzz(f, hslrc.Codec{}) }
func FuzzLRC(f *testing.F)         { codectest.Fuzz(f, lrc.Codec{}) }
func FuzzLRCSeg(f *testing.F)      { codectest.Fuzz(f, lrcseg.Codec{}) }
func FuzzNewPFD(f *testing.F)      { codectest.Fuzz(f, newpfd.Codec{}) }
func FuzzParaPFor(f *testing.F)    { codectest.Fuzz(f, parapfor.Codec{}) }
func FuzzPForDelta(f *testing.F)   { codectest.Fuzz(f, pfordelta.Codec{}) }
func FuzzRice(f *testing.F)        { codectest.Fuzz(f, rice.Codec{}) }
func FuzzSegLRC(f *testing.F)      { codectest.Fuzz(f, seglrc.Codec{}) }
func FuzzSIMDBP128(f *testing.F)   { codectest.Fuzz(f, simdbp128.Codec{}) }
func FuzzStreamVByte(f *testing.F) { codectest.Fuzz(f, streamvbyte.Codec{}) }
func FuzzVarintGB(f *testing.F)    { codectest.Fuzz(f, varintgb.Codec{}) }
func FuzzVByte1024(f *testing.F)   { codectest.Fuzz(f, vbyte1024.Codec{}) }
func FuzzVByte128(f *testing.F)    { codectest.Fuzz(f, vbyte128.Codec{}) }
