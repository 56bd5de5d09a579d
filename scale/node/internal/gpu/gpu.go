// Package gpu answers searches of nodes on a GPU.
package gpu

import (
	"context"
	"errors"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/node"
)

// Use has the node of o answer searches on the first GPU and the CPU. The error says that there is no GPU.
func Use(o *node.Options) error {
	d, err := gpu.OpenDevice()
	if err != nil {
		return err
	}
	o.Device = d.Info().Name
	o.Executor = func(ctx context.Context, s *reader.Snapshot, of query.Collection) (node.Executor, error) {
		x, err := gpuload.Open(gpuload.Options{Devices: 1})
		if err != nil {
			return nil, err
		}
		// The first request begins to open the device.
		_, err = x.ExecutePart(ctx, s, pinion.Request{Limit: 1, Query: query.All{}}, pinion.Part{Collection: of})
		if err == nil {
			err = x.Ready(ctx)
		}
		if err != nil {
			return nil, errors.Join(err, x.Close())
		}
		return x, nil
	}
	return d.Close()
}
