package ding

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure7 = paper.Experiment{
	Name: "ding-fig7", Number: "Figure 7", Title: "Mean delay against arrivals",
	Claims: []int{10}, Missing: "not drawn yet",
}
