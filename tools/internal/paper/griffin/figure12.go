package griffin

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure12 = paper.Experiment{
	Name: "griffin-fig12", Number: "Figure 12", Title: "Decompression time by list length",
	Claims: []int{6}, Missing: "not drawn yet",
}
