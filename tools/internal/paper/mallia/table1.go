package mallia

import "github.com/pinion-index/pinion/tools/internal/paper"

var table1 = paper.Experiment{
	Name: "mallia-tab1", Number: "Table 1", Title: "Bits an integer, Uniform and Clustered",
	Claims: []int{1}, Missing: "not drawn yet",
}
