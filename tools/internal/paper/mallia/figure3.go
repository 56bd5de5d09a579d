package mallia

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure3 = paper.Experiment{
	Name: "mallia-fig3", Number: "Figure 3", Title: "Decoding speed against list length",
	Claims: []int{3, 4, 5}, Missing: "not drawn yet",
}
