package tatikonda

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure5c = paper.Experiment{
	Name: "tatikonda-fig5c", Number: "Figure 5(c)", Title: "Throughput against the number of terms",
	Claims: []int{7}, Missing: "not drawn yet",
}
