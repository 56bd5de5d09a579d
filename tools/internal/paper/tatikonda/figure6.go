package tatikonda

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure6 = paper.Experiment{
	Name: "tatikonda-fig6", Number: "Figure 6", Title: "Mean latency against arrivals, 4 and 6 terms",
	Claims: []int{8}, Missing: "not drawn yet",
}
