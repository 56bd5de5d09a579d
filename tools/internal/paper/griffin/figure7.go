package griffin

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure7 = paper.Experiment{
	Name: "griffin-fig7", Number: "Figure 7", Title: "Selection of the best results",
	Claims: []int{1}, Missing: "not drawn yet",
}
