// Package griffin holds the experiments of Liu, Wang and Swanson, "Griffin: uniting CPU and
// GPU in information retrieval systems for intra-query parallelism", PPoPP 2018.
package griffin

import "github.com/pinion-index/pinion/papers/internal/paper"

// Paper returns the paper.
func Paper() *paper.Paper {
	return &paper.Paper{
		Key: "griffin", Title: "Griffin (Liu et al. 2018)",
		Claims: []string{
			"partial sorting on the CPU selects the best results faster than bucketSelect and radixSort on the GPU (3.1.3, Figure 7)",
			"the GPU intersects two lists faster up to a ratio of lengths of 128, the CPU beyond (3.2, Figure 8)",
			"most lists have 1 K to 1 M postings (4.2, Figure 10)",
			"27, 33 and 24 % of the queries have 2, 3 and 4 terms (4.2, Figure 11)",
			"EF compresses 1.4 times better than PForDelta: 4.6 against 3.3 (4.3.1, Table 1)",
			"Para-EF decodes lists of 1 K and 10 K less than twice as fast as PForDelta on the CPU, longer ones 11 to 29.6 times (4.3.1, Figure 12)",
			"for lists of like lengths merging is ahead of binary search on both processors; the GPU's merge is up to 87 times the CPU's and 2.29 times the GPU's binary search (4.3.2, Figure 13)",
			"Griffin takes a tenth of the CPU's latency and two thirds of the GPU's on average (4.4, Figure 14)",
			"tail latency falls 6.6, 8.3, 10.4, 16.1 and 26.8 times at the 80th, 90th, 95th, 99th and 99.9th percentile (4.5, Figure 15)",
		},
		Experiments: []paper.Experiment{figure7, figure8, figure10, figure11, table1, figure12, figure13, figure14, figure15},
	}
}
