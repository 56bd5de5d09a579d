package ao

import "github.com/pinion-index/pinion/tools/internal/paper"

var table3 = paper.Experiment{
	Name: "ao-tab3", Number: "Table 3", Title: "Speedup over the skip list on the CPU",
	Claims: []int{11, 12}, Missing: "not drawn yet",
}
