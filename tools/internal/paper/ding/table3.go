package ding

import "github.com/pinion-index/pinion/tools/internal/paper"

var table3 = paper.Experiment{
	Name: "ding-tab3", Number: "Table 3", Title: "Shares of the steps of a query on the GPU",
	Claims: []int{9}, Missing: "not drawn yet",
}
