package ding

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure4 = paper.Experiment{
	Name: "ding-fig4", Number: "Figure 4", Title: "Decompression speed of PForDelta against list length",
	Claims: []int{5}, Missing: "not drawn yet",
}
