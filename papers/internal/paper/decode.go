package paper

import (
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/papers/internal/gpubench"
)

// OnDevice measures one launch that decodes all of x on the device, and compares what it
// decodes with the lists.
func (e *Env) OnDevice(x *codecbench.Encoded) (gpubench.DecodeTimes, error) {
	return e.OnDeviceThen(x, nil)
}

// OnDeviceThen is OnDevice with a step that follows the decoder, if prepare is not nil.
func (e *Env) OnDeviceThen(x *codecbench.Encoded, prepare func(out kernels.Ptr, starts []int) (gpubench.Step, error)) (gpubench.DecodeTimes, error) {
	b := &gpubench.Bench{Device: e.Device, Log: e.Log, Small: e.Small}
	return b.DecodeThen(x.Codec, x.Seqs, x.Side == codecbench.Freqs, prepare)
}
