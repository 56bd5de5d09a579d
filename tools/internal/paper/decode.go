package paper

import (
	"github.com/pinion-index/pinion/internal/gpubench"
	"github.com/pinion-index/pinion/tools/internal/codecbench"
)

// OnDevice measures one launch that decodes all of x on the device, and compares what it
// decodes with the lists.
func (e *Env) OnDevice(x *codecbench.Encoded) (gpubench.DecodeTimes, error) {
	b := &gpubench.Bench{Device: e.Device, Log: e.Log, Small: e.Small}
	return b.DecodeTime(x.Codec, x.Seqs, x.Side == codecbench.Freqs)
}
