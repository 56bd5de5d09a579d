package griffin

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure15 = paper.Experiment{
	Name: "griffin-fig15", Number: "Figure 15", Title: "Tail latency",
	Claims: []int{9}, Missing: "not drawn yet",
}
