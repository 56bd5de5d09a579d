package griffin

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure13 = paper.Experiment{
	Name: "griffin-fig13", Number: "Figure 13", Title: "Intersection time of lists of like lengths",
	Claims: []int{7}, Missing: "not drawn yet",
}
