package build

import (
	"testing"

	"github.com/pinion-index/pinion/internal/vector"
	"github.com/pinion-index/pinion/schema"
)

// Clusters are trained once there are vectors enough, and anew when the index has 16 times as many, or twice as many and
// they are far from their points.
func TestTraining(t *testing.T) {
	old := &vector.Clusters{Trained: 20_000, Spread: 1}
	for _, c := range []struct {
		others, own int
		clusters    *vector.Clusters
		spread      float64
		dims        int
		anew        bool
		n, size     int
	}{
		{0, 16_383, nil, 0, 3, false, 1023, 16_368},
		{0, 16_384, nil, 0, 3, true, 1024, 16_384},
		{16_383, 1, nil, 0, 3, true, 1024, 16_384},
		{320_000, 0, old, 1.2, 3, false, 4525, 72_400},
		{320_000, 1, old, 1, 3, true, 4525, 72_400},
		{20_000, 500, old, 1.21, 3, false, 1145, 18_320},
		{40_000, 0, old, 1.21, 3, false, 1600, 25_600},
		{40_000, 1, old, 1.21, 3, true, 1600, 25_600},
		{40_000, 1, old, 1.2, 3, false, 1600, 25_600},
		{10_000_000, 500, old, 1, 4096, true, 1024, 8192},
	} {
		o := others{field: &schema.Field{Dims: c.dims}, n: c.others, clusters: c.clusters, spread: c.spread}
		if n, size, anew := o.training(c.own); anew != c.anew || n != c.n || size != c.size {
			t.Errorf("%+v: %d clusters of %d vectors, %t", c, n, size, anew)
		}
	}
}
