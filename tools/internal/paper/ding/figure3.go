package ding

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure3 = paper.Experiment{
	Name: "ding-fig3", Number: "Figure 3", Title: "Compressed size of a docID",
	Claims: []int{1, 2}, Missing: "not drawn yet",
}
