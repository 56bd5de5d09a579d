package ao

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure9 = paper.Experiment{
	Name: "ao-fig9", Number: "Figure 9", Title: "Speedup against multiprocessors, and share of GPU time",
	Claims: []int{13, 14}, Missing: "not drawn yet",
}
