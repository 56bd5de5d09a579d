package tatikonda

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure4a = paper.Experiment{
	Name: "tatikonda-fig4a", Number: "Figure 4(a)", Title: "Throughput against cores",
	Claims: []int{1, 2}, Missing: "not drawn yet",
}
