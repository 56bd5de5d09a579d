package tatikonda

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure4b = paper.Experiment{
	Name: "tatikonda-fig4b", Number: "Figure 4(b)", Title: "Mean latency against cores",
	Claims: []int{3}, Missing: "not drawn yet",
}
