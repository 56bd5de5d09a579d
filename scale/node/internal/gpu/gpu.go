// Package gpu answers searches of nodes on a GPU.
package gpu

import (
	"context"
	"errors"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/gpuload/hybrid"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/node"
)

// Use has the node of o answer searches on the first GPU and the CPU. The error says that there is no GPU.
func Use(o *node.Options) error {
	d, err := gpuload.OpenDevice()
	if err != nil {
		return err
	}
	o.Device = d.Info().Name
	o.Executor = func(ctx context.Context, s *reader.Snapshot, cpu *query.Searcher) (node.Executor, error) {
		x, err := hybrid.Open(s, cpu, hybrid.OpenOptions{GPUs: 1})
		if err != nil {
			return nil, err
		}
		if err := x.Ready(ctx); err != nil {
			return nil, errors.Join(err, x.Close())
		}
		return x, nil
	}
	return d.Close()
}
