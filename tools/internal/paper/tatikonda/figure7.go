package tatikonda

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure7 = paper.Experiment{
	Name: "tatikonda-fig7", Number: "Figure 7", Title: "Skips, tasks and time of making them against B",
	Claims: []int{9, 10}, Missing: "not drawn yet",
}
