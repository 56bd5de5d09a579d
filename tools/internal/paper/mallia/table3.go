package mallia

import "github.com/pinion-index/pinion/tools/internal/paper"

var table3 = paper.Experiment{
	Name: "mallia-tab3", Number: "Table 3", Title: "Speedup of the GPU over the CPU",
	Claims: []int{2, 4}, Missing: "not drawn yet",
}
