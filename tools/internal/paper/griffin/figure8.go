package griffin

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure8 = paper.Experiment{
	Name: "griffin-fig8", Number: "Figure 8", Title: "Intersection on GPU and CPU by ratio of lengths",
	Claims: []int{2}, Missing: "not drawn yet",
}
