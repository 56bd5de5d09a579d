package griffin

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure11 = paper.Experiment{
	Name: "griffin-fig11", Number: "Figure 11", Title: "Distribution of the number of terms",
	Claims: []int{4}, Missing: "not drawn yet",
}
