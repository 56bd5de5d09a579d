package records

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// LogQuery asks for the newest lines of a level that have all words, from From to before To.
type LogQuery struct {
	From, To time.Time
	Level    string
	Words    []string // one or two
}

// LogShare is the part of the lines that lies in the time of a LogQuery.
const LogShare = 0.01

// Queries draws n queries, each with the words and the level of a line in its time. Half of
// them ask for errors. A log without lines has none.
func (s Logs) Queries(n int) []LogQuery {
	if s.Lines == 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(s.Seed, 3))
	wide := max(int(math.Round(LogShare*float64(s.Lines))), 1)
	type want struct{ query, from, line int }
	var wants []want
	for i := range n {
		from := rng.IntN(s.Lines - wide + 1)
		wants = append(wants, want{i, from, from + rng.IntN(wide)})
	}
	times := make([]time.Time, 0, s.Lines)
	out := make([]LogQuery, n)
	byLine := make(map[int][]int) // queries by the line that they are drawn from
	for _, w := range wants {
		byLine[w.line] = append(byLine[w.line], w.query)
	}
	for l := range s.All() {
		for _, q := range byLine[len(times)] {
			out[q].Level, out[q].Words = l.Level, pick(rng, l.Message, 1+q%2)
			if q/2%2 == 0 {
				out[q].Level = "error"
			}
		}
		times = append(times, l.Time)
	}
	for _, w := range wants {
		out[w.query].From = times[w.from]
		out[w.query].To = times[min(w.from+wide, s.Lines-1)].Add(time.Millisecond)
		if w.from+wide < s.Lines {
			out[w.query].To = times[w.from+wide]
		}
	}
	return out
}

// pick draws up to n different words of a text, in the order in which they stand there.
func pick(rng *rand.Rand, text string, n int) []string {
	var all, out []string
	for _, w := range strings.Fields(text) {
		if len(w) == wordBits/3 && w[0] >= 'b' && w[1] >= 'a' && !slices.Contains(all, w) { // no number, no id
			all = append(all, w)
		}
	}
	for i, w := range all {
		if rng.IntN(len(all)-i) < n-len(out) {
			out = append(out, w)
		}
	}
	return out
}

// ShopQuery asks for products with all words at Min to Max, the cheapest first, and how many
// of all matches have each brand, category and color.
type ShopQuery struct {
	Words    []string // one or two
	Min, Max float64
}

// Queries draws n queries, each with words of a product's title. Its price is from Min to Max. A shop
// without products has none.
func (s Shop) Queries(n int) []ShopQuery {
	if s.Products == 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(s.Seed, 4))
	byProduct := make(map[int][]int)
	for i := range n {
		p := rng.IntN(s.Products)
		byProduct[p] = append(byProduct[p], i)
	}
	out := make([]ShopQuery, n)
	i := 0
	for p := range s.All() {
		for _, q := range byProduct[i] {
			title := strings.Fields(p.Title)
			words := strings.Join(title[1:3], " ") // of the category
			out[q].Words = pick(rng, words, 1+q%2)
			out[q].Min = math.Floor(p.Price * (0.3 + float64(0.7*rng.Float64())))
			out[q].Max = math.Ceil(p.Price * (1 + float64(2*rng.Float64())))
		}
		i++
	}
	return out
}
