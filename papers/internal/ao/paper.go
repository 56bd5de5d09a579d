// Package ao holds the experiments of Ao, Zhang, Wu, Stones, Wang, Liu, Liu and Lin,
// "Efficient parallel lists intersection and index compression algorithms using graphics
// processing units", PVLDB 4(8), 2011.
package ao

import (
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

// Paper returns the paper.
func Paper() *paper.Paper {
	return &paper.Paper{
		Key: "ao", Title: "Ao et al. 2011",
		Claims: []string{
			"long lists rise linearly: R² is 0.99 and more, and grows with the length (3.3, Table 1, Figure 1)",
			"random docIDs make lists more linear, and safe ranges narrower, than crawl order; PageRank order makes them wider (3.3, Table 1)",
			"hash buckets have stretched binomial sizes (3.4, Figure 3)",
			"LR and HS raise throughput over binary search; HS16 by 60 % at c = 1 M, for 9 % more memory (5.1.1, Figure 5)",
			"throughput grows with the threshold c, up to 2 M (5.1.1, Figure 5)",
			"a batch takes under 3 ms at c = 1 M; below c = 128 K the algorithms take the same time (5.1.1, Figure 6)",
			"allowing no exceptions gives a compression ratio close to the best; too many exceptions make it worse (5.1.2, Figure 7)",
			"segments save LRC much: LRCSeg and SegLRC compress better than LRC (4.2, Figure 7, Table 2)",
			"LRC, LRCSeg and SegLRC decode faster than PFD and NewPFD, and at the same speed whatever the share of exceptions (5.1.2, Figure 8)",
			"LR based codecs compress best with random docIDs, and worse in PageRank order; gap codecs hardly change (5.1.2, Table 2)",
			"HS16 is the fastest on uncompressed lists, HS128_LRC and HS256_LRC on compressed ones, where they reach BS on uncompressed lists; 14.67 and 8.81 times the CPU on BD and BDR (5.2, Table 3)",
			"interpolation search is significantly slower than binary search on the GPU (3.3, Table 3)",
			"speedup is nearly proportional to the number of multiprocessors (5.2, Figure 9a)",
			"the GPU's share of the time grows with c; copies and the CPU take over 20 % (5.2, Figure 9b)",
			"most queries have a short first list, and the ratio of the intermediate result to the next list falls fast (appendix F, Table 4)",
			"the bound from the 22nd moment is close to the bits that LRC takes (appendix H, Table 5)",
			"HS256_LRC has the best throughput of the compressed methods, SegLRC is ahead of LRC and LRCSeg; all take less than 3 ms (appendix I, Table 7)",
		},
		Experiments: []paper.Experiment{figure1, table1, figure3, figure5, figure6, figure7, figure8, table2, table3, figure9, table4, table5, table7},
	}
}

// sets are the collections of appendix E.
var sets = []string{"GOV", "GOVPR", "GOVR", "GOV2", "GOV2R", "BD", "BDR"}

// standIns says what stands in for them.
const standIns = "lists of the queries' terms of generated collections with the sizes of GOV, GOV2 and BD, in crawl order, by a static score that stands in for PageRank (PR) and at random (R)"

// cutNote says what share does.
const cutNote = "at scale 1 GOV2 has a quarter of the paper's documents and BD a twelfth, 1.26 and 1.31 million, so that all collections have about as many postings and are made in minutes; at scale 1/2 half of that"

// share is the part of a collection's documents beside that of the environment: the
// larger ones are cut so that one run has about as many postings of each.
func share(name string) float64 {
	switch name {
	case "GOV2", "GOV2R":
		return 1. / 4
	case "BD", "BDR":
		return 1. / 12
	}
	return 1
}

// wholeQueries is how many queries of the larger collections batches have where these are
// whole: enough for one at c = 1 M.
const wholeQueries = 300

// wholeNote says what batchSet does.
const wholeNote = "BD has all its documents at scale 1, and the first 300 of its 1,000 queries; at smaller scales, which two cores draw in minutes, a twelfth of the share, with shorter first lists and so more queries in a batch"

// batchSet returns the collection that batches are measured on. The larger ones are whole
// at scale 1: first lists shrink with the documents, and a batch of c docIDs then has more
// queries.
func batchSet(e *paper.Env, name string) (*corpus.Set, error) {
	part := share(name)
	if part < 1 && e.Scale >= 1 {
		return e.AskedOf(name, 1, wholeQueries)
	}
	return e.SetOf(name, e.Scale*part)
}
