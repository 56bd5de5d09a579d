package griffin

import "github.com/pinion-index/pinion/tools/internal/paper"

var table1 = paper.Experiment{
	Name: "griffin-tab1", Number: "Table 1", Title: "Compression ratio",
	Claims: []int{5}, Missing: "not drawn yet",
}
