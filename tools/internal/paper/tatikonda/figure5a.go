package tatikonda

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure5a = paper.Experiment{
	Name: "tatikonda-fig5a", Number: "Figure 5(a)", Title: "Mean latency against arrivals",
	Claims: []int{5, 6}, Missing: "not drawn yet",
}
