package ao

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure5 = paper.Experiment{
	Name: "ao-fig5", Number: "Figure 5", Title: "Throughput on GOV against the computational threshold",
	Claims: []int{4, 5}, Missing: "not drawn yet",
}
