package mallia

import "github.com/pinion-index/pinion/tools/internal/paper"

var table4 = paper.Experiment{
	Name: "mallia-tab4", Number: "Table 4", Title: "Decoding speed on the lists of queries",
	Claims: []int{6}, Missing: "not drawn yet",
}
