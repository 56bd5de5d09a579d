package mallia

import "github.com/pinion-index/pinion/tools/internal/paper"

var table2 = paper.Experiment{
	Name: "mallia-tab2", Number: "Table 2", Title: "Bits an integer, Gov2 and ClueWeb09",
	Claims: []int{1}, Missing: "not drawn yet",
}
