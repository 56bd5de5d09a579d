// Package htmlreport writes the page of `idxinspect report`: one HTML file that needs
// nothing else, with charts as SVG and what its script draws as JSON.
//
//	data.go       Report, what the page shows
//	page.go       Write: the template and what it needs
//	figures.go    charts, by package svgchart
//	treemap.go    the treemap of bytes
//	page.html page.css page.js
//
// Whatever comes from an index is text to the template, which escapes it.
package htmlreport

import "github.com/pinion-index/pinion/internal/tools/inspect"

// Report is what the page shows. Parts that are nil or empty are left out.
type Report struct {
	Title     string
	Generator string         // the program and its version
	Origin    []inspect.Fact // index, time and machine of the page
	Facts     []inspect.Fact
	Health    Health
	Notes     []string // what the numbers leave out, and why
	Segments  []Segment
	Stats     *inspect.Stats
	Codecs    *Codecs
	Lists     []List
	Queries   []Query
	Omitted   int // queries of the log that are not traced
	Plan      *Plan
	Advice    []string
}

// Health is what verification found.
type Health struct {
	Sound   bool
	Summary string
	Damage  []Damage // at most MaxDamage
	More    int      // places that are not in Damage
}

// MaxDamage is how many damaged places a page shows.
const MaxDamage = 200

// Damage is one damaged place.
type Damage struct{ File, Place, What string }

// Segment is a segment and its bytes by what they are for.
type Segment struct {
	inspect.SegmentSummary
	Parts []Part
}

// Part is bytes of one kind.
type Part struct {
	Kind  Kind
	Name  string
	Bytes int64
}

// Kind is what bytes are for; it decides their color.
type Kind int

// The kinds.
const (
	Text Kind = iota
	IDs
	Dictionary
	Docs
	Freqs
	Skips
	Lengths
	Columns
	Positions
	Other
)

// Codecs is what codecs need for a sample of the postings, on both sides.
type Codecs struct {
	Sample      string // says what the sample is
	Docs, Freqs inspect.CodecTable
}

// List is a posting list of the explorer. Columns stand for adjacent blocks.
type List struct {
	Term     string  `json:"term"`
	Segment  string  `json:"segment"`
	Base     uint32  `json:"base"` // of the segment
	Postings int     `json:"n"`
	Bytes    int64   `json:"bytes"`
	Codecs   string  `json:"codecs"`
	Blocks   int     `json:"blocks"`
	First    uint32  `json:"first"`
	Bound    float32 `json:"bound"` // no posting scores more

	To         []uint32  `json:"to"`         // last docID of each column
	Count      []int     `json:"count"`      // blocks of each column
	Width      []float64 `json:"width"`      // of docIDs, of one block of the column
	Exceptions []int     `json:"exceptions"` // of that block; -1 without
	Bounds     []float64 `json:"bounds"`     // the greatest of the column's blocks
}

// Query is a traced query.
type Query struct {
	ID         string       `json:"id"`
	Text       string       `json:"text"`
	Algorithm  string       `json:"algorithm"`
	Micros     float64      `json:"micros"`
	Docs       uint64       `json:"docs"` // documents of the index
	Hits       []Hit        `json:"hits"`
	Thresholds [][2]float64 `json:"thresholds"` // docID and score, at rises
	Passes     []Pass       `json:"passes"`
}

// Hit is a result.
type Hit struct {
	ID    string  `json:"id"`
	Doc   uint32  `json:"doc"`
	Score float32 `json:"score"`
}

// Pass is what a query did in one segment.
type Pass struct {
	Segment    string    `json:"segment"`
	Candidates uint64    `json:"candidates"`
	Scored     uint64    `json:"scored"`
	Lists      []Visited `json:"lists"`
}

// Visited is what a query did with a list. The counts are of blocks.
type Visited struct {
	Term     string `json:"term"`
	List     int    `json:"list"` // index in Report.Lists, -1 if it is not there
	Blocks   int    `json:"blocks"`
	Decoded  int    `json:"decoded"`
	ByBound  int    `json:"by_bound"`
	ByHeader int    `json:"by_header"`
	Columns  []Fate `json:"columns,omitempty"` // of the list's columns
}

// Fate counts blocks of a column: decoded, and skipped by their bounds.
type Fate [2]int

// Plan is what a GPU would hold of the lists that the log asks for.
type Plan struct {
	Queries int
	Lists   int
	Bytes   int64
	Steps   []inspect.PlanStep
}
