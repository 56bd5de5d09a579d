package search_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// columns draws a node of columns, with other nodes in it, of at most that depth.
func (r *treeDrawer) columns(depth int) (query.Node, *oracle.Node) {
	kind := r.IntN(12)
	if depth == 0 {
		kind = r.IntN(8)
	}
	several := func() (all []query.Node, own []*oracle.Node) {
		for range 1 + r.IntN(3) {
			f, o := r.filter(depth - 1)
			all, own = append(all, f), append(own, o)
		}
		return all, own
	}
	switch kind {
	case 8, 9:
		all, own := several()
		return query.And(all), &oracle.Node{Kind: oracle.Bool, Must: own}
	case 10:
		all, own := several()
		return query.Or(all), &oracle.Node{Kind: oracle.Bool, Should: own, AtLeast: 1}
	case 11:
		r.denied++
		f, o := r.filter(depth - 1)
		r.denied--
		return query.Not{Node: f}, &oracle.Node{Kind: oracle.Bool, Must: []*oracle.Node{{Kind: oracle.All}}, Not: []*oracle.Node{o}}
	}
	f, passes := r.values()
	return f, &oracle.Node{Kind: oracle.Set, Has: func(d uint32) bool { return passes(r.docs[d].Terms) }}
}

// values draws a filter by values, and which documents pass it by their texts.
func (r *treeDrawer) values() (query.Node, func(values map[string][]string) bool) {
	field := []string{"cost", "tag", "seen", "rank"}[r.IntN(4)]
	has := func(is func(text string) bool) func(map[string][]string) bool {
		return func(values map[string][]string) bool { return slices.ContainsFunc(values[field], is) }
	}
	draw := func() (string, schema.Value) {
		d := r.IntN(max(len(r.docs), 1))
		switch field {
		case "tag":
			s := fmt.Sprint("tag", r.IntN(42))
			return s, schema.KeywordValue(0, []byte(s))
		case "cost":
			n := r.Int64N(1040) - 120
			return fmt.Sprint(n), schema.IntegerValue(0, n)
		case "seen":
			n := int64(1e9) + 3*int64(d)
			return fmt.Sprint(n), schema.TimeValue(0, time.Unix(n, r.Int64N(1e9)))
		}
		x := float64(r.IntN(110))/8 - 2.5
		return fmt.Sprint(x), schema.FloatValue(0, x)
	}
	compare := func(a, b string) int {
		x, err := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		switch {
		case err != nil || err2 != nil:
			return strings.Compare(a, b)
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
	switch r.IntN(5) {
	case 0:
		return query.Exists{Field: field}, has(func(string) bool { return true })
	case 1, 2:
		f := query.In{Field: field}
		var texts []string
		for range r.IntN(5) {
			s, v := draw()
			f.Values, texts = append(f.Values, v), append(texts, s)
		}
		return f, has(func(v string) bool {
			return slices.ContainsFunc(texts, func(t string) bool { return compare(v, t) == 0 })
		})
	}
	f := query.Range{Field: field, AboveMin: r.IntN(2) == 0, BelowMax: r.IntN(2) == 0}
	var low, high string
	if r.IntN(4) > 0 {
		low, f.Min = draw()
	}
	if r.IntN(4) > 0 {
		high, f.Max = draw()
	}
	return f, has(func(v string) bool {
		over, under := compare(v, low), compare(v, high)
		return (low == "" || over > 0 || over == 0 && !f.AboveMin) && (high == "" || under < 0 || under == 0 && !f.BelowMax)
	})
}
