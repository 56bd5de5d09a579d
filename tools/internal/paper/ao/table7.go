package ao

import "github.com/pinion-index/pinion/tools/internal/paper"

var table7 = paper.Experiment{
	Name: "ao-tab7", Number: "Table 7", Title: "Throughput and response time on compressed lists",
	Claims: []int{17}, Missing: "not drawn yet",
}
