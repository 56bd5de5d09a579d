package htmlreport

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/tools/svgchart"
)

// palettes returns the variables of the page in the light and in the dark.
func palettes(t *testing.T) map[string]map[string]string {
	variable := regexp.MustCompile(`--([a-z0-9]+): (#[0-9a-f]{3,6});`)
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(pageCSS, -1)
	if len(blocks) != 3 {
		t.Fatalf("%d palettes, want light, dark and print", len(blocks))
	}
	out, light := map[string]map[string]string{}, map[string]string{}
	for i, name := range []string{"light", "dark", "print"} {
		p := map[string]string{}
		if name == "print" { // differs from the light only where it says so
			for k, v := range light {
				p[k] = v
			}
		}
		for _, m := range variable.FindAllStringSubmatch(blocks[i][1], -1) {
			p[m[1]] = m[2]
		}
		if name == "light" {
			light = p
		}
		out[name] = p
	}
	return out
}

// luminance is the relative luminance of WCAG 2.2.
func luminance(t *testing.T, color string) float64 {
	hex := strings.TrimPrefix(color, "#")
	if len(hex) == 3 {
		hex = fmt.Sprintf("%c%[1]c%c%[2]c%c%[3]c", hex[0], hex[1], hex[2])
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatalf("%q: %v", color, err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestContrast checks that text has a contrast of 4.5 to what is behind it, and that
// what charts draw has one of 3, in every palette (WCAG 2.2, 1.4.3 and 1.4.11). Lines
// of grids and tables only guide the eye.
func TestContrast(t *testing.T) {
	decoration := map[string]bool{"page": true, "card": true, "grid": true, "line": true}
	for name, p := range palettes(t) {
		check := func(what, behind string, least float64) {
			if got := contrast(t, p[what], p[behind]); got < least {
				t.Errorf("%s: --%s on --%s has a contrast of %.2f, want %v", name, what, behind, got, least)
			}
		}
		for v := range p {
			switch {
			case decoration[v]:
			case v[0] == 'k':
				check("tile", v, 4.5)
				check("edge", v, 3)
			case v == "ink", v == "soft", v == "link", v == "good", v == "bad", v == "auto":
				check(v, "card", 4.5)
				check(v, "page", 4.5)
			case v == "tile":
			default: // --c0 to --c7, --axis, --edge
				check(v, "card", 3)
			}
		}
		if len(p) < 25 {
			t.Errorf("%s: %d colors", name, len(p))
		}
	}
}

// TestColors checks that pages take all colors from the palettes, and make none fainter.
func TestColors(t *testing.T) {
	rules := regexp.MustCompile(`(?s):root \{.*?\}`).ReplaceAllString(pageCSS, "") + svgchart.CSS
	for _, text := range []string{rules, pageHTML, pageJS} {
		if m := regexp.MustCompile(`#[0-9a-fA-F]{3,6}\b[;"]|rgba?\(|[^-]opacity: *\.?\d|stroke-opacity`).FindString(text); m != "" {
			t.Errorf("a color outside the palettes: %q", m)
		}
	}
	used := regexp.MustCompile(`var\(--([a-z0-9]+)\)`).FindAllStringSubmatch(rules, -1)
	p := palettes(t)["light"]
	for _, m := range used {
		if p[m[1]] == "" && m[1] != "s" && m[1] != "state" {
			t.Errorf("no color --%s", m[1])
		}
	}
}
