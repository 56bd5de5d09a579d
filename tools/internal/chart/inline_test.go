package chart

import (
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"
)

// TestInline checks that an inline chart is one well-formed element that takes its colours
// from the page, and that titles are escaped and lie on the chart.
func TestInline(t *testing.T) {
	const hostile = `<b>"&'`
	for name, c := range map[string]*Inline{
		"bars": {Width: 300, Height: 200, Label: hostile, Panel: Panel{X: Axis{Label: "x", Log: true}, Y: Axis{Label: "y", Zero: true}},
			Bars: []Bar{{1, 2, 10, hostile}, {2, 4, 20, "b"}, {4, 8, 0, "none"}}},
		"marks": {Width: 300, Height: 200, Panel: Panel{Y: Axis{Log: true}}, Marks: []Mark{{1, 0.1, "a", hostile, 0}, {1, 0.1, "a", "same place", 1}, {2, 100, "b", "t", 5}}},
		"gap": {Width: 300, Height: 200, Least: 1, Panel: Panel{X: Axis{Log: true}, Y: Axis{Log: true, Zero: true}},
			Bars: []Bar{{1, 2, 1e7, "a"}, {2, 4, 0, "none"}, {4, 8, 3, "b"}}},
		"lines": {Width: 300, Height: 200, Panel: Panel{Series: []Series{{Name: "s", Points: []Point{{1, 1}, {2, 4}}}}}},
		"none":  {Width: 300, Height: 200},
	} {
		var b strings.Builder
		if _, err := c.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		s := b.String()
		if m := regexp.MustCompile(`#[0-9A-Fa-f]{6}|Liberation`).FindString(s); m != "" {
			t.Errorf("%s: %s is left", name, m)
		}
		if !strings.HasPrefix(s, `<svg class="chart" viewBox="0 0 300 200"`) || strings.Contains(s, hostile) {
			t.Errorf("%s: %.200s", name, s)
		}
		titles := 0
		for d := xml.NewDecoder(strings.NewReader(s)); ; {
			tok, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "title" {
				titles++
			}
		}
		if want := map[string]int{"bars": 2, "gap": 2, "marks": 3}[name]; titles != want {
			t.Errorf("%s: %d titles, want %d", name, titles, want)
		}
	}
}
