//go:build emu && cgo

package gpu

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

var update = flag.Bool("update", false, "write testdata/plans.txt")

// The plans of an Executor and of a Stepper are those of testdata/plans.txt.
func TestPlans(t *testing.T) {
	words := func(mode query.Mode, k int, words string) search.Query {
		q := search.Query{Mode: mode, K: k}
		for w := range strings.FieldsSeq(words) {
			q.RawTerms = append(q.RawTerms, []byte(w))
		}
		return q
	}
	many := words(query.ModeOr, 10, "")
	for i := range 65 {
		many.RawTerms = append(many.RawTerms, fmt.Append(nil, "x", i))
	}
	shop := newShop(t, rand.New(rand.NewPCG(5, 6)), 900, 2)
	world := newImpactsWorld(t, 5, false, 900)
	defer world.close()
	dot := query.Dot{Field: "v", Terms: []query.WeightedTerm{{Term: "t3", Weight: 2}, {Term: "t1", Weight: 1}, {Term: "absent", Weight: 1}}}
	filtered := query.Bool{Must: []query.Node{query.Match{Field: "body", Text: "w1 w2", Mode: query.ModeAnd}},
		Filter: []query.Node{query.Range{Field: "price", Min: schema.IntegerValue(0, 200)}}}
	var out strings.Builder
	for _, c := range []struct {
		name  string
		s     stepper
		cases []namedQuery
	}{
		{"words", newStepper(t, stepIndex(t, "", 3000, 2), Options{Memory: 8 << 20}, StepOptions{Rule: StepRule{Or: 5000, Work: 300, Load: 300}}), []namedQuery{
			{"a conjunction", words(query.ModeAnd, 10, "w3 w1")},
			{"a short conjunction", words(query.ModeAnd, 10, "w39 w30")},
			{"a disjunction", words(query.ModeOr, 10, "w0 w1 w2 w3 w4 w5")},
			{"a disjunction of short lists", words(query.ModeOr, 10, "w38 w39")},
			{"a term in no document", words(query.ModeAnd, 10, "w1 nowhere")},
			{"all, or else at least one", words(query.ModeAndOr, 10, "w1 w3 w39")},
			{"nothing", search.Query{}},
			{"a total", search.Query{Text: "w1", Total: true}},
			{"the hits behind another", search.Query{Text: "w1", After: &search.Position{}}},
			{"parameters", search.Query{Text: "w1", Params: query.Params{K1: 2}}},
			{"nodes", search.Query{Node: query.Fuzzy{Text: "w1"}}},
			{"65 terms", many},
		}},
		{"shop", newStepper(t, shop.snapshot, Options{Memory: 8 << 20}, StepOptions{}), []namedQuery{
			{"a conjunction in a field under a filter", search.Query{Node: filtered}},
			{"static scores", search.Query{Text: "w1 w2", Static: &search.Static{Field: "worth"}}},
			{"static scores that multiply", search.Query{Text: "w1 w2", Static: &search.Static{Field: "worth", Multiply: true}}},
			{"sorted", search.Query{Text: "w1", Sort: []search.SortBy{{Field: "price"}}}},
		}},
		{"impacts", newStepper(t, world.s, Options{Memory: 8 << 20}, StepOptions{}), []namedQuery{
			{"a dot product", search.Query{Node: dot}},
			{"too many hits", search.Query{Node: dot, K: 2000}},
			{"a dot product that is filtered", search.Query{Node: query.Bool{Must: []query.Node{dot}, Filter: []query.Node{query.Range{Field: "n", Min: schema.IntegerValue(0, 3)}}}}},
		}},
	} {
		if c.name == "impacts" {
			if err := c.s.x.LoadAll(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, q := range c.cases {
			all, err := c.s.x.Plan(t.Context(), q.q)
			if err != nil {
				t.Fatalf("%s: %v", q.name, err)
			}
			alone, err := c.s.Plan(t.Context(), q.q)
			if err != nil {
				t.Fatalf("%s: %v", q.name, err)
			}
			fmt.Fprintf(&out, "# %s: %s\n%valone:\n%v\n", c.name, q.name, all, alone)
		}
	}
	const file = "testdata/plans.txt"
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != out.String() {
		t.Errorf("%v: %s, which -update writes, should be\n%s", err, file, out.String())
	}
}

type namedQuery struct {
	name string
	q    search.Query
}

// An Executor does what its plan says: it leaves a query to the CPU for the reason of the plan, or answers it, unless one of the
// reasons comes up that no plan knows. Refuse says what plans say, and less.
func TestPlansFollowed(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	shop := newShop(t, rng, 1500, 3)
	world := newImpactsWorld(t, 9, true, 700, 900)
	defer world.close()
	kinds := map[Reason]int{}
	for _, w := range []struct {
		s    stepper
		draw func() search.Query
	}{
		{newStepper(t, shop.snapshot, Options{Memory: 8 << 20}, StepOptions{}), func() search.Query { return shop.query(rng) }},
		{newStepper(t, world.s, Options{Memory: 8 << 20}, StepOptions{}), func() search.Query { return drawDot(rng, 1600) }},
		{newStepper(t, stepIndex(t, "", 1500, 2), Options{Memory: 8 << 20}, StepOptions{}), func() search.Query {
			return drawQuery(rng, query.Mode(rng.IntN(3)))
		}},
	} {
		for range few(60, 600) {
			q := w.draw()
			switch rng.IntN(9) {
			case 0:
				q.Total = q.Mode != query.ModeAndOr
			case 1:
				if q.Mode != query.ModeAndOr {
					q.After = &search.Position{Score: 1}
				}
			case 2:
				q.Params.B = 0.5
			case 3:
				q.Filter = docset.GlobalOf(1, 2, 3)
			}
			own := slices.Clone([]search.Query{q})
			plan, err := w.s.x.Plan(t.Context(), q)
			before := w.s.x.Stats().OnCPU
			if _, failed := w.s.x.Execute(t.Context(), own); failed != nil || err != nil {
				if failed == nil {
					t.Errorf("%+v: planned with %v", q, err)
				}
				continue // the CPU says what is wrong with some
			}
			why := OnDevice
			now := w.s.x.Stats().OnCPU
			for r := range now {
				if now[r] > before[r] {
					why = Reason(r)
				}
			}
			kinds[why]++
			later := why == reasonTable || why == reasonMisfit || why == reasonKeys || why == reasonTies
			if why != plan.Why && !(plan.Why == OnDevice && later) && plan.Why != reasonField {
				t.Errorf("%+v: left to the CPU because of %q, not as planned:\n%v", q, why, plan)
			}
			if early := Refuse(&q); early != OnDevice && early != reasonEmpty && early != reasonNodes && early != plan.Why {
				t.Errorf("%+v: refused because of %q, but planned:\n%v", q, early, plan)
			}
		}
	}
	for _, r := range []Reason{OnDevice, reasonTotal, ReasonAfter, reasonParams, reasonTable} {
		if kinds[r] == 0 {
			t.Errorf("no query that %s", r.Clause())
		}
	}
}
