package search

import (
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/near"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// Compare calls f with what each Nearest and Similarity that documents match within n compares: the field, which vector of each of docs,
// ascending docIDs of a snapshot with schema s, is the nearest, what that scores without boosts, and what the score may be off
// where codes are all that is kept.
func Compare(of *reader.Snapshot, s *schema.Schema, n query.Node, docs []uint32, f func(i int, field string, number int, score, off float32)) error {
	var node, name, text string
	var v []float32
	switch n := n.(type) {
	case query.Nearest:
		node, name, text, v = "Nearest", n.Field, n.Text, n.Vector
	case query.Similarity:
		node, name, text, v = "Similarity", n.Field, n.Text, n.Vector
	default:
		for within := range query.Within(n) {
			if err := Compare(of, s, within, docs, f); err != nil {
				return err
			}
		}
		return nil
	}
	field, err := compared(s, node, name, text, v)
	if err != nil {
		return err
	}
	q := near.QueryOf(field, v, 1)
	return engine.Compare(of, &q, docs, func(i, number int, score, off float32) { f(i, name, number, score, off) })
}
