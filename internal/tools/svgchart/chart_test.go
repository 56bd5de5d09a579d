package svgchart

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// draw returns the chart, which must be well-formed, with every coordinate a number.
func draw(t interface{ Fatalf(string, ...any) }, c *Chart) string {
	var b strings.Builder
	if _, err := c.WriteTo(&b); err != nil {
		t.Fatalf("%v", err)
	}
	s := b.String()
	for d := xml.NewDecoder(strings.NewReader(s)); ; {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v: %s", err, s)
		}
		e, _ := tok.(xml.StartElement)
		for _, a := range e.Attr {
			if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
				t.Fatalf("%s of %s is %s", a.Name.Local, e.Name.Local, a.Value)
			}
		}
	}
	return s
}

const hostile = `<b>"&'`

func TestChart(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for name, test := range map[string]struct {
		c      Chart
		titles int
		want   []string
	}{
		"bars": {Chart{X: Axis{Label: "docIDs", Log: true}, Y: Axis{Label: "terms", Zero: true}, Label: hostile,
			Bars: []Bar{{1, 2, 10, hostile}, {2, 4, 20, "b"}, {4, 8, 0, "none"}}}, 2, []string{">docIDs (log scale)<", ">terms<", ">5<", ">20<"}},
		"gap": {Chart{X: Axis{Log: true}, Y: Axis{Log: true, Least: 1},
			Bars: []Bar{{1, 2, 1e7, "a"}, {2, 4, 0, "none"}, {4, 8, 3, "b"}}}, 2, []string{">1M<"}},
		"marks": {Chart{Y: Axis{Log: true}, Marks: []Mark{{1, 0.1, "a", hostile, 0}, {1, 0.1, "a", "same place", 1}, {2, 100, "b", "t", 5}, {1, 0, "zero", "none", 1}}}, 3, []string{">a<", ">b<", ">0.1<"}},
		"lines": {Chart{X: Axis{Label: hostile}, Series: []Series{{hostile, []Point{{1, 1}, {2, nan}, {3, 4}, {4, inf}}}, {"other", []Point{{1, 2}}}}}, 3, []string{">other<", "M"}},
		"one":   {Chart{Series: []Series{{"not in a legend", []Point{{5, 5}}}}}, 1, nil},
		"none":  {Chart{X: Axis{Log: true}, Y: Axis{Zero: true}}, 0, nil},
	} {
		test.c.Width, test.c.Height = 300, 200
		s := draw(t, &test.c)
		if !strings.HasPrefix(s, `<svg class="chart" viewBox="0 0 300 200" role="img"`) || strings.Contains(s, hostile) {
			t.Errorf("%s: %.200s", name, s)
		}
		if n := strings.Count(s, "<title>"); n != test.titles {
			t.Errorf("%s: %d titles, want %d", name, n, test.titles)
		}
		for _, want := range test.want {
			if !strings.Contains(s, want) {
				t.Errorf("%s: no %s in %s", name, want, s)
			}
		}
		if strings.Contains(s, ">not in a legend<") || regexp.MustCompile(`#[0-9A-Fa-f]{6}|font-family`).MatchString(s) {
			t.Errorf("%s: %s", name, s)
		}
	}
}

var coordinate = regexp.MustCompile(` (x|x1|x2|cx|y|y1|y2|cy)="(-?[0-9.]+)"`)

// TestInside checks that everything lies inside a chart of any values, that both axes have
// at least two ticks, and that ticks ascend.
func TestInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Map(rapid.Float64Range(-300, 300), func(e float64) float64 { return math.Copysign(math.Pow(10, math.Abs(e)/10-5), e) })
		c := &Chart{Width: 300, Height: 200, X: Axis{Log: rapid.Bool().Draw(t, "x"), Zero: true}, Y: Axis{Log: rapid.Bool().Draw(t, "y")}}
		for i := range rapid.IntRange(0, 5).Draw(t, "n") {
			x, y := value.Draw(t, "x"), value.Draw(t, "y")
			c.Marks = append(c.Marks, Mark{X: x, Y: y, Name: fmt.Sprint("name ", i)})
			c.Bars = append(c.Bars, Bar{X0: x, X1: x + math.Abs(x), Y: y})
			c.Series = append(c.Series, Series{Name: "s", Points: []Point{{x, y}, {y, x}}})
		}
		s := draw(t, c)
		for _, m := range coordinate.FindAllStringSubmatch(s, -1) {
			v, err := strconv.ParseFloat(m[2], 64)
			most := c.Width
			if strings.Contains(m[1], "y") {
				most = c.Height + 200 // a legend of many series makes the axes short, not the chart high
			}
			if err != nil || v < -10 || v > most+10 {
				t.Fatalf("%s is outside: %s", m[0], s)
			}
		}
		d := &drawing{Chart: c, x: scale{log: c.X.Log}, y: scale{log: c.Y.Log}}
		d.ranges()
		for _, a := range []*scale{&d.x, &d.y} {
			ticks := a.ticks(5)
			if len(ticks) < 2 {
				t.Fatalf("%v has the ticks %v", a, ticks)
			}
			for i := range ticks[1:] {
				if ticks[i].value >= ticks[i+1].value {
					t.Fatalf("ticks %v", ticks)
				}
			}
		}
	})
}

func TestLabel(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.05: "0.05", 1: "1", 999: "999", 1500: "1.5k", -2e6: "-2M", 3e9: "3G", 1e12: "1T", 1e20: "1e+20"} {
		if got := label(v); got != want {
			t.Errorf("%g: %s, want %s", v, got, want)
		}
	}
}
