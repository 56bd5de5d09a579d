package ding

import "github.com/pinion-index/pinion/tools/internal/paper"

var figure6 = paper.Experiment{
	Name: "ding-fig6", Number: "Figure 6", Title: "Intersection of two lists of equal length, by levels of recursion",
	Claims: []int{6, 7}, Missing: "not drawn yet",
}
