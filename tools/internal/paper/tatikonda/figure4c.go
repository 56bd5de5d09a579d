package tatikonda

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure4c = paper.Experiment{
	Name: "tatikonda-fig4c", Number: "Figure 4(c)", Title: "Throughput lost and latency gained against the pool threshold",
	Claims: []int{4}, Missing: "not drawn yet",
}
