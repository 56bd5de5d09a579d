package chart

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite goldens")

func example() *Figure {
	up := func(f float64) []Point {
		var p []Point
		for _, x := range []float64{1, 2, 4, 8, 16} {
			p = append(p, Point{x, f * x})
		}
		return p
	}
	return &Figure{
		Title: "Cores & <queries>", Notes: []string{"made up"},
		Panels: []Panel{
			{
				Title: "throughput", X: Axis{Label: "cores", Log: true, Ticks: []float64{1, 2, 4, 8, 16}}, Y: Axis{Label: "queries/s", Zero: true},
				Series: []Series{{Name: "inter", Points: up(850)}, {Name: "fgqp", Points: up(826)}, {Name: "docp-ui", Points: up(500)}},
			},
			{
				Title: "latency", X: Axis{Label: "queries/s"}, Y: Axis{Label: "us", Log: true},
				Series: []Series{{Name: "fgqp", Points: []Point{{100, 161}, {400, 170}, {700, math.NaN()}, {800, 20000}}}, {Name: "inter", Points: []Point{{100, 927}, {800, 900000}, {900, 0}}}},
			},
		},
	}
}

func TestGolden(t *testing.T) {
	var b strings.Builder
	if _, err := example().WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "example.svg")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(want), "\r\n", "\n") != b.String() {
		t.Error("the figure differs from testdata/example.svg; -update rewrites it")
	}
}

// TestWellFormed draws figures with missing or unusable values.
func TestWellFormed(t *testing.T) {
	for name, f := range map[string]*Figure{
		"empty":           {},
		"no series":       {Panels: []Panel{{X: Axis{Log: true}}}},
		"no points":       {Panels: []Panel{{Series: []Series{{Name: "a"}}, Y: Axis{Zero: true}}}},
		"one point":       {Panels: []Panel{{Series: []Series{{Name: "a", Points: []Point{{5, 5}}}}}}},
		"nothing to show": {Panels: []Panel{{Y: Axis{Log: true}, Series: []Series{{Name: "a", Points: []Point{{1, 0}, {2, -1}, {math.Inf(1), 3}}}}}}},
		"many":            {Panels: []Panel{{Series: slices.Repeat([]Series{{Name: strings.Repeat("name ", 9), Points: []Point{{1, 1}, {2, 3}}}}, 3)}}},
		"bars":            {Panels: []Panel{{Kind: Bars, Names: []string{"a", "b", "c", "d", "e"}, Series: []Series{{Name: "x", Points: []Point{{0, 1}, {4, 3}}}, {Name: "paper", Beside: "x", Points: []Point{{0, 2}}}}}}},
		"log bars":        {Panels: []Panel{{Kind: Bars, Y: Axis{Log: true}, Series: []Series{{Name: "x", Points: []Point{{0, 1}, {1, 1000}, {2, 0}}}}}}},
		"histogram":       {Panels: []Panel{{Kind: Histogram, Series: []Series{{Name: "x", Points: []Point{{1, 5}, {2, 9}, {3, 1}}}}}}},
		"scatter":         {Panels: []Panel{{Kind: Scatter, Series: []Series{{Name: "x", Points: []Point{{1, 5}, {2, math.NaN()}, {3, 1}}}}}}},
		"example":         example(),
	} {
		var b strings.Builder
		if _, err := f.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(strings.NewReader(b.String()))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%s: a coordinate is not a number", name)
		}
	}
}
