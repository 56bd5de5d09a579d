// Package mallia holds the experiments of Mallia, Siedlaczek, Suel and Zahran,
// "GPU-accelerated decoding of integer lists", CIKM 2019.
package mallia

import "github.com/pinion-index/pinion/papers/internal/paper"

// Paper returns the paper.
func Paper() *paper.Paper {
	return &paper.Paper{
		Key: "mallia", Title: "Mallia et al. 2019",
		Claims: []string{
			"the GPU's formats take about as much room as their CPU counterparts, except that BP32's blocks of 32 take less (4, Tables 1 and 2)",
			"GPU-BP and GPU-VByte are one to almost two orders of magnitude faster than the CPU's codecs; up to 78 times BP32 (4, Table 3)",
			"over 100 billion integers a second on long lists; GPU-BP256 is the fastest (4, Figure 3)",
			"GPU speed grows with the length of the list (4, Figure 3)",
			"BP32 has an almost flat trend, and vectors gain less on longer lists (4, Figure 3)",
			"on the lists of real queries GPU-BP256 reaches 58 times BP32 (4, Table 4)",
		},
		Experiments: []paper.Experiment{table1, table2, table3, table4, figure3},
	}
}
