package serve

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/query"
)

// piece is a part of a text that is shown: a word of the query, or what is between them.
type piece struct {
	Text  string
	Match bool
}

// passageLen is the number of characters of the passages of hits.
const passageLen = 280

// passage returns the passage of a hit.
func passage(h *pinion.Hit) []piece {
	var out []piece
	p := h.Passage()
	if p.Before {
		out = append(out, piece{Text: "…"})
	}
	out = append(out, cut([]byte(p.Text), p.Spans, func(b []byte) string {
		return strings.Map(func(r rune) rune {
			if r == utf8.RuneError || !unicode.IsPrint(r) {
				return ' '
			}
			return r
		}, string(b))
	})...)
	if p.Behind {
		out = append(out, piece{Text: "…"})
	}
	return out
}

// whole returns all of a text of a field, which is "" without a schema, with the words of a query, of which there may be none.
func (x *source) whole(text []byte, field, q string) ([]piece, error) {
	var spans []pinion.Span
	if x.pages != nil && q != "" {
		var err error
		if spans, err = x.pages.Marks(query.Match{Text: q}, field, text); err != nil {
			return nil, err
		}
	}
	return cut(text, spans, func(b []byte) string { return cli.Printable(string(b)) }), nil
}

// cut returns the pieces of a text as show makes them printable.
func cut(text []byte, spans []pinion.Span, show func([]byte) string) (out []piece) {
	from := 0
	for _, s := range spans {
		if s.Start > from {
			out = append(out, piece{Text: show(text[from:s.Start])})
		}
		out = append(out, piece{show(text[s.Start:s.End]), true})
		from = s.End
	}
	if from < len(text) {
		out = append(out, piece{Text: show(text[from:])})
	}
	return out
}
