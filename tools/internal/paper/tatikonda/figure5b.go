package tatikonda

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure5b = paper.Experiment{
	Name: "tatikonda-fig5b", Number: "Figure 5(b)", Title: "Mean latency against the number of terms",
	Claims: []int{7}, Missing: "not drawn yet",
}
