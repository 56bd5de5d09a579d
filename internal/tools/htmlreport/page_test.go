package htmlreport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/tools/inspect"
)

func write(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// inside returns what is between two marks, which must be there.
func inside(t *testing.T, page, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, from)
	in, _, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		t.Fatalf("no %s...%s", from, to)
	}
	return in
}

// hostile is text that breaks out of HTML, attributes, scripts and comments unless escaped.
const hostile = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'><!--{{.}}&amp;\u2028"

// TestEscapes checks that text of an index stays text, wherever the page has it.
func TestEscapes(t *testing.T) {
	list := List{Term: hostile, Segment: hostile, Codecs: hostile, To: []uint32{1}, Count: []int{1}, Width: []float64{1}, Exceptions: []int{1}, Bounds: []float64{1}}
	r := &Report{Title: hostile, Generator: hostile, Facts: []inspect.Fact{{Name: hostile, Value: hostile}}, Notes: []string{hostile}, Advice: []string{hostile},
		Health:   Health{Summary: hostile, Damage: []Damage{{hostile, hostile, hostile}}},
		Segments: []Segment{{SegmentSummary: inspect.SegmentSummary{File: hostile, Bytes: 2}, Parts: []Part{{Name: hostile, Bytes: 1}}}, {SegmentSummary: inspect.SegmentSummary{File: "b", Bytes: 2}, Parts: []Part{{Name: hostile, Bytes: 1}}}},
		Codecs: &Codecs{Sample: hostile, Docs: inspect.CodecTable{Codecs: []inspect.CodecSize{{Codec: hostile, Bits: 1, DecodeNS: 1}}, Auto: inspect.CodecSize{Codec: "auto", Bits: 2, DecodeNS: 2}},
			Freqs: inspect.CodecTable{Codecs: []inspect.CodecSize{{Codec: hostile, Bits: 1, DecodeNS: 1}}, Auto: inspect.CodecSize{Codec: "auto", Bits: 2, DecodeNS: 2}}},
		Lists:   []List{list},
		Queries: []Query{{ID: hostile, Text: hostile, Hits: []Hit{{ID: hostile}}, Passes: []Pass{{Lists: []Visited{{Term: hostile}}}}}},
	}
	page := write(t, r)
	if strings.Contains(page, "alert(1)</script>") || strings.Contains(page, "<img") || strings.Contains(page, "<!--") {
		t.Error("text of the index is markup in the page")
	}
	if n := strings.Count(page, "<script"); n != 2 {
		t.Errorf("%d scripts", n)
	}
	var d data
	if err := json.Unmarshal([]byte(inside(t, page, `<script type="application/json" id="data">`, "</script>")), &d); err != nil {
		t.Fatal(err)
	}
	if d.Lists[0].Term != hostile || d.Queries[0].Passes[0].Lists[0].Term != hostile {
		t.Errorf("data does not hold the term: %q", d.Lists[0].Term)
	}
}

// TestOffline checks that the page names no other resource.
func TestOffline(t *testing.T) {
	page := write(t, large())
	for _, bad := range []string{"http:", "https:", "src=", "@import", "url(", "//cdn"} {
		for rest := page; ; {
			i := strings.Index(rest, bad)
			if i < 0 {
				break
			}
			if at := rest[max(0, i-20):min(len(rest), i+60)]; !strings.Contains(at, "www.w3.org/") { // names of namespaces
				t.Errorf("the page has %q", at)
			}
			rest = rest[i+1:]
		}
	}
}

// large returns a report as large as idxinspect makes them: 54,000 columns of lists, 40,000
// of queries, 4,000 lists of queries, and every damaged place.
func large() *Report {
	rng := rand.New(rand.NewPCG(1, 1))
	r := &Report{Title: "large", Stats: &inspect.Stats{All: &inspect.Sizes{}}, Plan: &Plan{Steps: []inspect.PlanStep{{Budget: 1 << 20, Lists: .5}, {Budget: 1 << 30, Lists: 1}}}}
	for range MaxDamage {
		r.Health.Damage = append(r.Health.Damage, Damage{"segment-000000000001.pin", "postings, bytes 1,000,000,000 to 1,000,004,095", "bytes 1000000000 to 1000004095 do not match their checksum"})
	}
	for i := range 54000 / 160 {
		l := List{Term: fmt.Sprintf("a-rather-long-term-%d", i), Segment: "segment-000000000001.pin", Base: 1 << 31, Postings: 1 << 31, Bytes: 1 << 32, Codecs: "docIDs newpfd, frequencies newpfd", Blocks: 1 << 20}
		for c := range 160 {
			l.To = append(l.To, uint32(1e7*(c+1)))
			l.Count = append(l.Count, 1<<20/160)
			l.Width = append(l.Width, math.Round(100*rng.Float64())/100)
			l.Exceptions = append(l.Exceptions, rng.IntN(100))
			l.Bounds = append(l.Bounds, math.Round(1000*rng.Float64())/1000)
		}
		r.Lists = append(r.Lists, l)
	}
	for i := range 20 {
		q := Query{ID: "q", Text: "a query of eight terms", Docs: 1 << 31}
		for range 200 {
			q.Thresholds = append(q.Thresholds, [2]float64{float64(rng.Uint32()), math.Round(1e5*rng.Float64()) / 1000})
		}
		p := Pass{Segment: "segment-000000000001.pin"}
		for j := range 200 {
			v := Visited{Term: "a-rather-long-term", List: (200*i + j) % 300, Blocks: 1 << 20}
			for range 10 {
				v.Columns = append(v.Columns, Fate{rng.IntN(10000), rng.IntN(10000)})
			}
			p.Lists = append(p.Lists, v)
		}
		q.Passes = []Pass{p}
		r.Queries = append(r.Queries, q)
	}
	for i := range 1000 {
		s := Segment{SegmentSummary: inspect.SegmentSummary{File: fmt.Sprintf("segment-%d", i), Bytes: 1000}}
		for k := range 30 {
			s.Parts = append(s.Parts, Part{Kind: Kind(k % 9), Name: fmt.Sprint("part ", k), Bytes: int64(30 - k)})
		}
		r.Segments = append(r.Segments, s)
	}
	return r
}

// TestSize checks the promise that no page exceeds 3 MB.
func TestSize(t *testing.T) {
	if n := len(write(t, large())); n > 3e6 {
		t.Errorf("the page has %d bytes", n)
	}
}

// TestEmpty checks a page of an index that could not be opened.
func TestEmpty(t *testing.T) {
	page := write(t, &Report{Title: "x", Health: Health{Summary: "Damage found in 1 of 1 files."}})
	if !strings.Contains(page, "Damage found") || !strings.Contains(page, ">damaged<") || strings.Contains(page, "<figure") {
		t.Error(page)
	}
}

// TestSquarify checks that boxes have the areas of their sizes, lie in the box and do not
// overlap.
// TestGap checks histograms with empty bins between others.
func TestGap(t *testing.T) {
	h := &inspect.Histogram{Title: "gap", Unit: "documents", Of: "terms", Count: 10_000_003,
		Bins: []inspect.Bin{{From: 1, To: 1, Count: 10_000_000}, {From: 2, To: 3}, {From: 4, To: 7, Count: 3}}}
	chart, err := histogram(h)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(chart), "<title>"); n != 2 {
		t.Errorf("%d bars, want 2", n)
	}
}

func TestSquarify(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		sizes, total := []float64{}, 0.0
		for range 1 + rng.IntN(40) {
			s := math.Exp(6 * rng.Float64())
			sizes, total = append(sizes, s), total+s
		}
		slices.SortFunc(sizes, func(a, b float64) int {
			if a > b {
				return -1
			}
			return 1
		})
		in := box{10, 20, 300, 100 + 400*rng.Float64()}
		boxes := squarify(in, sizes)
		if len(boxes) != len(sizes) {
			t.Fatalf("%d boxes of %d sizes", len(boxes), len(sizes))
		}
		const slack = 1e-6
		for i, b := range boxes {
			if want := in.W * in.H * sizes[i] / total; math.Abs(b.W*b.H-want) > want*1e-6+slack {
				t.Errorf("box %d has area %v, want %v", i, b.W*b.H, want)
			}
			if b.X < in.X-slack || b.Y < in.Y-slack || b.X+b.W > in.X+in.W+slack || b.Y+b.H > in.Y+in.H+slack {
				t.Errorf("box %d, %v, is outside %v", i, b, in)
			}
			for _, c := range boxes[:i] {
				if b.X < c.X+c.W-slack && c.X < b.X+b.W-slack && b.Y < c.Y+c.H-slack && c.Y < b.Y+b.H-slack {
					t.Errorf("boxes %v and %v overlap", b, c)
				}
			}
		}
	}
}
