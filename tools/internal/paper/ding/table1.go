package ding

import "github.com/pinion-index/pinion/tools/internal/paper"

var table1 = paper.Experiment{
	Name: "ding-tab1", Number: "Table 1", Title: "Decompression speed",
	Claims: []int{3, 4}, Missing: "not drawn yet",
}
