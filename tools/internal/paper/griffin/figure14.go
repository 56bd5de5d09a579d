package griffin

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure14 = paper.Experiment{
	Name: "griffin-fig14", Number: "Figure 14", Title: "Query latency by the number of terms",
	Claims: []int{8}, Missing: "not drawn yet",
}
