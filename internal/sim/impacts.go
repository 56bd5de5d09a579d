package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// vector is a value of kind impacts as the model keeps it: terms with weights, a:1 b:2.
type vector string

// weights returns the weights by term.
func (v vector) weights() map[string]int {
	all := map[string]int{}
	for _, s := range strings.Fields(string(v)) {
		term, text, _ := strings.Cut(s, ":")
		all[term], _ = strconv.Atoi(text)
	}
	return all
}

// weigh adds to all, by field, the weights of a document in a field of impacts.
func weigh(all map[string]map[string]int, f *schema.Field, values []any) map[string]map[string]int {
	if all == nil {
		all = map[string]map[string]int{}
	}
	for _, v := range values {
		all[f.Name] = v.(vector).weights()
	}
	return all
}

// drawImpacts draws a value of field i.
func drawImpacts(r *rand.Rand, i int) schema.Value {
	words := drawWords(r)
	slices.Sort(words)
	most := []int{1, 3, 255}[r.IntN(3)]
	var all []schema.Impact
	for _, w := range slices.Compact(words) {
		all = append(all, schema.Impact{Term: w, Weight: uint8(1 + r.IntN(most))})
	}
	return schema.ImpactsValue(i, all)
}

// dot draws a Dot, or a term if there is no field of impacts.
func (d *treeDrawer) dot() (query.Node, *oracle.Node) {
	var fields []*schema.Field
	for i := range d.fields {
		if f := &d.fields[i]; f.HasImpacts() {
			fields = append(fields, f)
		}
	}
	if len(fields) == 0 {
		return d.term()
	}
	f, boost := fields[d.IntN(len(fields))], d.boost()
	n, o := query.Dot{Field: f.Name, Boost: boost}, &oracle.Node{Kind: oracle.Dot, Field: f.Name, Weights: map[string]int{}, Boost: boost}
	for range d.IntN(1 << d.IntN(5)) {
		term, w := d.word(d.Rand, f), 1+d.IntN(1<<d.IntN(12))
		if d.IntN(4) == 0 {
			term = fmt.Sprint(term, "absent")
		}
		n.Terms = append(n.Terms, query.WeightedTerm{Term: term, Weight: uint32(w)})
		o.Weights[term] += w
	}
	return n, o
}
