package griffin

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure10 = paper.Experiment{
	Name: "griffin-fig10", Number: "Figure 10", Title: "Distribution of list lengths",
	Claims: []int{3}, Missing: "not drawn yet",
}
