package records

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/schema"
)

// TestSame holds that a number and a seed give the same records and queries on every machine.
func TestSame(t *testing.T) {
	logs, shop := Logs{3000, 1}, Shop{3000, 1}
	h := sha256.New()
	e := json.NewEncoder(h)
	for l := range logs.All() {
		if err := e.Encode(l); err != nil {
			t.Fatal(err)
		}
	}
	for p := range shop.All() {
		if err := e.Encode(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Encode(logs.Queries(50)); err != nil {
		t.Fatal(err)
	}
	if err := e.Encode(shop.Queries(50)); err != nil {
		t.Fatal(err)
	}
	const want = "75602fba3a75f57f"
	if got := hex.EncodeToString(h.Sum(nil)[:8]); got != want {
		t.Errorf("records have the checksum %s, not %s: figures that were measured on others do not compare", got, want)
	}
	first := func(seed uint64) string {
		for l := range (Logs{1, seed}).All() {
			return l.Message
		}
		return ""
	}
	if first(1) == first(2) {
		t.Error("two seeds give one message")
	}
}

// TestFewer holds that fewer records are the first ones of more.
func TestFewer(t *testing.T) {
	few := slices.Collect(Shop{50, 7}.All())
	i := 0
	for p := range (Shop{100, 7}).All() {
		if i < len(few) && (p.Title != few[i].Title || p.Price != few[i].Price) {
			t.Fatalf("product %d differs", i)
		}
		i++
	}
	for range (Shop{}).All() {
		t.Error("a product of none")
	}
	if (Shop{}).Queries(3) != nil || (Logs{}).Queries(3) != nil {
		t.Error("queries over no records")
	}
}

// TestLogs holds, within wide limits, what lines are like.
func TestLogs(t *testing.T) {
	const n = 40_000
	levels, served, words, tenants := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	var last time.Time
	ids := map[string]bool{}
	window, most := 0, 0 // errors of 1,000 lines
	for l := range (Logs{n, 1}).All() {
		if l.Time.Before(last) || l.Time.Nanosecond()%1e6 != 0 {
			t.Fatalf("line %s: %v after %v", l.ID, l.Time, last)
		}
		last, ids[l.ID] = l.Time, true
		levels[l.Level]++
		served[l.Service]++
		tenants[l.Tenant]++
		for _, w := range strings.Fields(l.Message) {
			words[w]++
		}
		if l.Level == "error" {
			window++
		}
		if len(ids)%1000 == 0 {
			window, most = 0, max(most, window)
		}
	}
	between := func(what string, got, low, high int) {
		if got < low || got > high {
			t.Errorf("%s: %d, not %d to %d", what, got, low, high)
		}
	}
	between("ids", len(ids), n, n)
	between("debug", levels["debug"], n/10, n/6)
	between("info", levels["info"], n*6/10, n*8/10)
	between("error", levels["error"], n/50, n/8)
	between("fatal", levels["fatal"], n/2000, n/50)
	between("errors in the worst thousand", most, 200, 600)
	between("services", len(served), services, services)
	between("tenants", len(tenants), 4000, 10_000)
	between("seconds", int(last.Sub(LogStart).Seconds()), n*3/10/2, n*3/10)
	counts := make([]int, 0, len(words))
	for _, c := range words {
		counts = append(counts, c)
	}
	slices.Sort(counts)
	slices.Reverse(counts)
	between("the most frequent word", counts[0], n*95/100, n)
	between("word 1000", counts[999], n/2000, n/50)
}

// TestLogQueries holds that each query has a line that it matches, in 1 % of the lines.
func TestLogQueries(t *testing.T) {
	s := Logs{20_000, 1}
	lines := slices.Collect(s.All())
	errors, two := 0, 0
	for i, q := range s.Queries(100) {
		in, words := 0, 0
		for _, l := range lines {
			if l.Time.Before(q.From) || !l.Time.Before(q.To) {
				continue
			}
			in++
			has := strings.Fields(l.Message)
			if !slices.ContainsFunc(q.Words, func(w string) bool { return !slices.Contains(has, w) }) {
				words++
			}
		}
		if math.Abs(float64(in)-200) > 5 || words == 0 {
			t.Errorf("query %d: %d lines in its time, %d of them with its words", i, in, words)
		}
		if len(q.Words) == 2 {
			two++
		}
		if q.Level == "error" {
			errors++
		}
	}
	if errors < 45 || errors > 80 || two < 40 {
		t.Errorf("of 100 queries %d ask for errors, %d have two words", errors, two)
	}
}

// TestShop holds, within wide limits, what products are like, and that each query has a match.
func TestShop(t *testing.T) {
	s := Shop{20_000, 1}
	products := slices.Collect(s.All())
	brands, categories, unrated, colors := map[string]int{}, map[string]int{}, 0, 0
	for _, p := range products {
		if p.Price < 0.5 || p.Price > 50_000 || p.Price != math.Round(p.Price*100)/100 {
			t.Fatalf("%s costs %v", p.ID, p.Price)
		}
		if p.Rating != 0 && (p.Rating < 1 || p.Rating > 5) || p.Sold < 1 || p.Sold > 100_000 {
			t.Fatalf("%s: rating %v, %d sold", p.ID, p.Rating, p.Sold)
		}
		if p.Rating == 0 {
			unrated++
		}
		if !slices.IsSorted(p.Colors) {
			t.Fatalf("%s: %v", p.ID, p.Colors)
		}
		colors = max(colors, len(p.Colors))
		brands[p.Brand]++
		categories[p.Category]++
	}
	if len(brands) < 1500 || len(categories) != 150 || unrated < 7000 || unrated > 9000 || colors != 3 {
		t.Errorf("%d brands, %d categories, %d without a rating, up to %d colors", len(brands), len(categories), unrated, colors)
	}
	for i, q := range s.Queries(50) {
		if !slices.ContainsFunc(products, func(p *Product) bool {
			has := strings.Fields(p.Title)
			return p.Price >= q.Min && p.Price <= q.Max && !slices.ContainsFunc(q.Words, func(w string) bool { return !slices.Contains(has, w) })
		}) || len(q.Words) == 0 {
			t.Errorf("query %d, %v: no match", i, q)
		}
	}
}

// TestWords holds that words differ.
func TestWords(t *testing.T) {
	seen := map[string]bool{}
	for language := range ends {
		for i := range 1 << 12 {
			seen[word(language, i)] = true
		}
	}
	if len(seen) != len(ends)<<12 {
		t.Errorf("%d words", len(seen))
	}
	for _, s := range [][]string{Levels, Colors} {
		for _, w := range s {
			if seen[w] {
				t.Errorf("%s is a word too", w)
			}
		}
	}
}

// TestSchemas holds that every key of a record but its id is a field.
func TestSchemas(t *testing.T) {
	var line, product any
	for l := range (Logs{1, 1}).All() {
		line = l
	}
	for p := range (Shop{40, 1}).All() {
		if p.Rating != 0 && p.Colors != nil {
			product = p
		}
	}
	for record, s := range map[any]interface{ MarshalJSON() ([]byte, error) }{line: LogSchema(), product: ShopSchema()} {
		var keys map[string]any
		b, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &keys); err != nil {
			t.Fatal(err)
		}
		text, err := s.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var fields struct{ Fields []struct{ Name string } }
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatal(err)
		}
		delete(keys, "id")
		for _, f := range fields.Fields {
			if _, ok := keys[f.Name]; !ok {
				t.Errorf("no record has %s", f.Name)
			}
			delete(keys, f.Name)
		}
		if len(keys) > 0 {
			t.Errorf("no field for %v", keys)
		}
	}
	if err := LogSchema().Check(); err != nil {
		t.Error(err)
	}
	if err := ShopSchema().Check(); err != nil {
		t.Error(err)
	}
}

// TestFilters holds that the filters of queries are ones of the schema.
func TestFilters(t *testing.T) {
	for _, q := range (Logs{1000, 1}).Queries(5) {
		f, err := filter.Parse(LogSchema(), q.Filter())
		if err != nil {
			t.Fatal(err)
		}
		want := filter.And{
			filter.Range{Field: "ts", Min: schema.TimeValue(0, q.From), Max: schema.TimeValue(0, q.To), BelowMax: true},
			filter.In{Field: "level", Values: []schema.Value{schema.KeywordValue(0, []byte(q.Level))}},
		}
		if fmt.Sprint(f) != fmt.Sprint(want) {
			t.Errorf("%v, not %v", f, want)
		}
	}
	for _, q := range (Shop{1000, 1}).Queries(5) {
		f, err := filter.Parse(ShopSchema(), q.Filter())
		if want := (filter.Range{Field: "price", Min: schema.FloatValue(0, q.Min), Max: schema.FloatValue(0, q.Max)}); err != nil || fmt.Sprint(f) != fmt.Sprint(want) {
			t.Errorf("%v, not %v: %v", f, want, err)
		}
	}
}
