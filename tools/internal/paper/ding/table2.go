package ding

import "github.com/pinion-index/pinion/tools/internal/paper"

var table2 = paper.Experiment{
	Name: "ding-tab2", Number: "Table 2", Title: "Time of a query, top 10",
	Claims: []int{8}, Missing: "not drawn yet",
}
