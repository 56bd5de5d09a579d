//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"errors"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/residency"
)

// newExecutor returns an Executor for segments in docID order. o.Scorer must be set.
func newExecutor(dev cuda.Device, segments []residency.Segment, o Options) (*Executor, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	x := halfOf(segments, o)
	if err := x.attach(dev, nil); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}
