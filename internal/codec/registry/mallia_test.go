package registry

import (
	"flag"
	"math"
	"testing"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/synthetic"
)

var large = flag.Bool("large", false, "print the sizes of lists of 2^25 values too")

// table1 is Mallia 2019, table 1: bits per integer of lists out of [0, 2^29). The paper's
// lists for CPUs have no endpoints; those for GPUs have one of 32 bits per block and one
// more.
var table1 = [...]struct {
	id        codec.ID
	endpoints bool
	uniform   [2]float64 // 2^16 and 2^25 values
	clustered [2]float64
}{
	{codec.BP32, false, [2]float64{15.71, 6.67}, [2]float64{13.91, 5.40}},
	{codec.SIMDBP128, false, [2]float64{16.04, 6.99}, [2]float64{14.26, 5.60}},
	{codec.BP128, true, [2]float64{16.22, 7.18}, [2]float64{14.45, 5.79}},
	{codec.BP256, true, [2]float64{16.20, 7.18}, [2]float64{14.58, 5.86}},
	{codec.VarintGB, false, [2]float64{17.76, 10.00}, [2]float64{16.27, 10.02}},
	{codec.StreamVByte, false, [2]float64{17.76, 10.00}, [2]float64{16.27, 10.02}},
	{codec.VByte128, true, [2]float64{18.16, 10.50}, [2]float64{16.68, 10.52}},
	{codec.VByte1024, true, [2]float64{17.78, 10.06}, [2]float64{16.27, 10.08}},
}

// table1Bits returns the bits per integer of docs with codec c, counted as in the paper.
func table1Bits(t *testing.T, c codec.Codec, docs []uint32, endpoints bool) float64 {
	t.Helper()
	size, err := c.DocsSize(docs)
	if err != nil {
		t.Fatal(err)
	}
	if endpoints {
		size += 4 * (codec.Blocks(len(docs), c.BlockLen()) + 1)
	}
	return 8 * float64(size) / float64(len(docs))
}

// Sizes of uniform lists of 2^16 are within 1.5% of the paper's. With -large it also
// prints those of 2^25, for the table of papers/sizes.md.
func TestTable1(t *testing.T) {
	for k, n := range []int{1 << 16, 1 << 25} {
		if k == 1 && !*large {
			continue
		}
		uniform := synthetic.Uniform(1, n, synthetic.Range)
		for _, row := range table1 {
			c, ok := ByID(row.id)
			if !ok {
				continue
			}
			u := table1Bits(t, c, uniform, row.endpoints)
			t.Logf("%v, %d values: uniform %.2f, paper %.2f", row.id, n, u, row.uniform[k])
			if k == 0 && math.Abs(u/row.uniform[k]-1) > 0.015 {
				t.Errorf("%v takes %.3f bits per integer of %d uniform ones, the paper %.2f", row.id, u, n, row.uniform[k])
			}
		}
	}
}

// TestTable1Clustered compares the paper's sizes of clustered lists, each of a single
// random list, with the mean and standard deviation of many, since sizes of two random
// lists differ by whole bits. They are within one standard deviation.
func TestTable1Clustered(t *testing.T) {
	for k, n := range []int{1 << 16, 1 << 25} {
		draws := 100
		if k == 1 {
			if draws = 20; !*large {
				continue
			}
		}
		var sum, square [len(table1)]float64
		for seed := range draws {
			docs := synthetic.Clustered(uint64(seed+1), n, synthetic.Range)
			for i, row := range table1 {
				c, _ := ByID(row.id)
				bits := table1Bits(t, c, docs, row.endpoints)
				sum[i] += bits
				square[i] += bits * bits
			}
		}
		for i, row := range table1 {
			mean := sum[i] / float64(draws)
			dev := math.Sqrt(square[i]/float64(draws) - mean*mean)
			t.Logf("%v, %d values: clustered %.2f, standard deviation %.2f, paper %.2f", row.id, n, mean, dev, row.clustered[k])
			if k == 0 && math.Abs(mean-row.clustered[k]) > dev {
				t.Errorf("%v takes %.2f bits per integer of %d clustered ones, standard deviation %.2f, the paper %.2f", row.id, mean, n, dev, row.clustered[k])
			}
		}
	}
}
