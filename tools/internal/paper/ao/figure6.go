package ao

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure6 = paper.Experiment{
	Name: "ao-fig6", Number: "Figure 6", Title: "Response time on GOV against the computational threshold",
	Claims: []int{6}, Missing: "not drawn yet",
}
