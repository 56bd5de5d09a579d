// Package ding holds the experiments of Ding, He, Yan and Suel, "Using graphics processors
// for high performance IR query processing", WWW 2009.
package ding

import "github.com/pinion-index/pinion/papers/internal/paper"

// Paper returns the paper.
func Paper() *paper.Paper {
	return &paper.Paper{
		Key: "ding", Title: "Ding et al. 2009",
		Claims: []string{
			"Rice coding takes the fewest bits (6, Figure 3)",
			"PForDelta with one b a list is much worse than with one a block, but slightly better after one level of recursion; more levels give only slight gains (6, Figure 3)",
			"the GPU decodes PForDelta faster than the CPU, and Rice very slightly slower (6, Table 1)",
			"PForDelta decodes much faster than Rice (6, Table 1)",
			"the GPU is slower than the CPU on short lists and faster on long ones; up to 2.5 G integers/s for gaps (6, Figure 4)",
			"recursive splitting is much faster than one search an element on long lists; two or three levels are close to the best for all lengths, below 4 ns an element (7, Figure 6)",
			"with a first list of 200,000 the cost rises moderately with the length of the other, from 4 to 15 ns an element (7)",
			"the GPU is slightly faster than one core for AND, and much faster for OR (8, Table 2)",
			"scoring and top-k take less than 10 % of AND; scoring takes almost half of OR (8, Table 3)",
			"CPU and GPU in parallel sustain over 300 arrivals a second, the CPU alone less than 100 (9, Figure 7)",
			"localized prefix sums, each in a block from a base of its own, are faster than a global one (6, 7)",
			"without the localized prefix sum, for gaps alone, the GPU decodes much faster (6, Figure 4)",
		},
		Experiments: []paper.Experiment{figure3, table1, figure4, figure6, table2, table3, figure7},
	}
}
