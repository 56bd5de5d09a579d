package site

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/pinion-index/pinion/httpapi"
)

// hit is a document that matches.
type hit struct {
	Text, To string
	ID       string  // unless Text is it
	Heading  []piece // Text, with words of the query marked, if it is what matches
	Passage  []piece
}

// piece is a part of a text: a word of the query, or what is between them.
type piece struct {
	Text string
	Mark bool
}

func newHit(x *shown, h *httpapi.Hit) (to hit) {
	to.Text, to.To = printable(string(h.ID)), "doc?"+url.Values{"id": {string(h.ID)}}.Encode()
	if title := first(h, x.title); title != "" {
		to.ID, to.Text = to.Text, title
	}
	if at := first(h, x.url); leads(at) {
		to.To = at
	}
	switch p := h.Passage; {
	case p == nil:
	case to.ID != "" && !p.Before && !p.Behind && strings.TrimSpace(printable(string(p.Text))) == to.Text:
		to.Heading = pieces(p) // which need not be there twice
	default:
		to.Passage = pieces(p)
	}
	return to
}

// leads reports whether a text is a link to a page. The templates refuse all others too.
func leads(text string) bool {
	u, err := url.Parse(text)
	return err == nil && text != "" && (u.Scheme == "" && u.Host == "" || u.Scheme == "http" || u.Scheme == "https")
}

// first returns the first value of a field, if there is one.
func first(h *httpapi.Hit, field string) string {
	if field == "" {
		return ""
	}
	return strings.TrimSpace(printable(stored(h, field)))
}

// pieces returns a passage with the words of the query marked.
func pieces(p *httpapi.Passage) (out []piece) {
	add := func(text httpapi.Text, mark bool) {
		if len(text) > 0 {
			out = append(out, piece{printable(string(text)), mark})
		}
	}
	if p.Before {
		out = append(out, piece{Text: "… "})
	}
	from := 0
	for _, x := range p.Spans {
		add(p.Text[from:x[0]], false)
		add(p.Text[x[0]:x[1]], true)
		from = x[1]
	}
	add(p.Text[from:], false)
	if p.Behind {
		out = append(out, piece{Text: " …"})
	}
	return out
}

// facetsOf returns the counts of keywords, those that are filters first, with links that add or remove them.
func facetsOf(a asked, all []httpapi.FacetCounts) (facets []facet) {
	for _, f := range all {
		to, most := facet{Field: printable(f.Field)}, fewValues
		if slices.Contains(a.more, f.Field) {
			most = manyValues
		}
		counts := map[string]uint64{}
		var values []string
		for _, c := range f.Counts {
			if text, ok := c.Value.(httpapi.Text); ok && c.Count > 0 {
				counts[string(text)] = c.Count
				values = append(values, string(text))
			}
		}
		for _, p := range a.picks {
			if p.field == f.Field {
				to.Values = append(to.Values, choice{printable(p.value), a.without(p).link(), counts[p.value], true})
			}
		}
		for _, value := range values[:min(len(values), most)] {
			if p := (pair{f.Field, value}); !slices.Contains(a.picks, p) {
				to.Values = append(to.Values, choice{printable(value), a.with(p).link(), counts[value], false})
			}
		}
		if len(values) > fewValues && most == fewValues {
			to.More = a.showing(f.Field).link()
		}
		if len(to.Values) > 0 {
			facets = append(facets, to)
		}
	}
	return facets
}

// printable replaces control characters, and those that turn the direction of the text behind them.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, s)
}
