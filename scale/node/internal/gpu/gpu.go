// Package gpu answers searches of nodes on a GPU.
package gpu

import (
	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/node"
)

// Open has the node of o answer searches on the first GPU, which it holds until end is called.
func Open(o *node.Options) (end func() error, err error) {
	d, err := gpuload.OpenDevice()
	if err != nil {
		return nil, err
	}
	o.Device = d.Info().Name
	o.Executor = func(s *reader.Snapshot, cpu *query.Searcher) (node.Executor, error) {
		x, err := gpuload.New(d, s, gpuload.Options{CPU: cpu})
		if err != nil {
			return nil, err
		}
		return x, nil
	}
	return d.Close, nil
}
