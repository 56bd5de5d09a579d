// Package scorer has the formulas of scores: their names, and those other than BM25.
package scorer

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Model is a formula of scores in place of BM25's. To add one, write a file like plus.go, whose init registers it: what tests say of
// models they say of all that are registered.
//
// A score must not be below 0, and neither fall where the frequency is greater nor rise where the document is longer, as rounded: the bound
// of a block is the score of a posting that no other surpasses in both (format/FORMAT.md, section 4.4). So every step is rounded to
// float32, or has the same bits on all platforms.
type Model struct {
	// Weigh returns the weight of a term that df of docs documents have, without its boosts; above 0.
	Weigh func(docs, df uint64) float64
	// Norm returns what a score knows of a document, given its length over the average one, from 0 on. It is finite.
	Norm func(ratio float32) float32
	// Score returns the score of a posting of frequency tf, which may be infinite, given the weight with its boosts.
	Score func(weight, tf, norm float32) float32
}

// Default is the name of BM25, which is no Model: its scores are computed by vectors, on GPUs too.
const Default = "bm25"

// models are the Models under parameters, by name.
var models = map[string]func(k1, b float64) *Model{}

// register adds a Model.
func register(name string, of func(k1, b float64) *Model) {
	if _, ok := models[name]; ok || name == Default {
		panic("scorer: two models " + name)
	}
	models[name] = of
}

// Names returns the names of all formulas, the default first.
func Names() []string { return append([]string{Default}, slices.Sorted(maps.Keys(models))...) }

// Known returns an error unless there is a formula of that name; "" is the default.
func Known(name string) error {
	if _, ok := models[name]; ok || name == "" || name == Default {
		return nil
	}
	return fmt.Errorf("no scorer %.40q, but %s", name, strings.Join(Names(), ", "))
}

// ModelOf returns the Model of a name that is Known under parameters, nil for BM25.
func ModelOf(name string, k1, b float64) *Model {
	if of := models[name]; of != nil {
		return of(k1, b)
	}
	return nil
}

// Saturate returns weight * tf / (tf + 1/norm) as weight - weight/(1 + tf*norm): in this form rounding keeps it monotone in tf and norm.
func Saturate(weight, tf, norm float32) float32 {
	return float32(weight - float32(weight/float32(1+float32(tf*norm))))
}

// finite returns x, or the greatest number if it is infinite.
func finite(x float64) float32 { return float32(min(x, math.MaxFloat32)) }
