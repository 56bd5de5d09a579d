package query

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoted parses a text in quotes, and the star and the slop that may follow it.
func (x *language) quoted() (Node, error) {
	from := x.at
	text, err := x.quotes()
	if err != nil {
		return nil, err
	}
	n := Phrase{Field: x.field, Text: text}
	if n.Prefix = x.at < len(x.text) && x.text[x.at] == '*'; n.Prefix {
		x.at++
	}
	if x.at < len(x.text) && x.text[x.at] == '~' {
		if n.Slop, err = x.slop(); err != nil {
			return nil, err
		}
		if x.at < len(x.text) && x.text[x.at] == '*' {
			return nil, x.errorf(x.at, "* stands directly behind the quote, before ~")
		}
	}
	fields := x.p.texts
	if x.field != "" || x.p.schema == nil {
		i, err := x.p.number(x.field)
		if err != nil {
			return nil, x.errorf(from, "%s", reason(err))
		}
		fields = []int{i}
	}
	most, lacking, err := x.p.phrase(fields, text)
	switch {
	case err != nil:
		return nil, x.errorf(from, "%s", reason(err))
	case len(lacking) > 0:
		return nil, x.errorf(from, "a phrase of %d words cannot be searched for: %s. (a AND b) finds documents with both", most, x.p.unplaced(lacking))
	case n.Prefix && len(fields) == 1 && x.p.fields[fields[0]].analyzer == nil:
		return Prefix{Field: x.field, Prefix: text}, nil
	case most > 1 || n.Prefix:
		return n, nil
	}
	return Match{Field: x.field, Text: text, Mode: And}, nil
}

// quotes parses a text in quotes.
func (x *language) quotes() (string, error) {
	from := x.at
	var s strings.Builder
	for x.at++; ; {
		r, n := utf8.DecodeRuneInString(x.text[x.at:])
		if n == 0 {
			return "", x.errorf(from, "nothing closes this quote")
		}
		if r == '"' {
			x.at++
			return s.String(), nil
		}
		if r == '\\' {
			if x.at++; x.at == len(x.text) {
				continue
			}
			_, n = utf8.DecodeRuneInString(x.text[x.at:])
		}
		s.WriteString(x.text[x.at : x.at+n])
		x.at += n
	}
}

// slop parses the tilde behind a quote, and its number.
func (x *language) slop() (int, error) {
	from := x.at
	x.at++
	end := x.at
	for end < len(x.text) && (x.text[end] >= '0' && x.text[end] <= '9' || x.text[end] == '.') {
		end++
	}
	n, err := strconv.ParseUint(x.text[x.at:end], 10, 31)
	if err != nil {
		return 0, x.errorf(from, "~ behind a quote takes a number: by how many places words may be out of place, up to %d", MaxSlop)
	}
	x.at = end
	return int(n), nil
}

// phrase returns how many words a text has as a phrase in the one of fields where it has most, and in which of them it
// has several but no positions.
func (p *Parser) phrase(fields []int, text string) (most int, lacking []int, err error) {
	for _, i := range fields {
		n, err := p.fields[i].places(text)
		if err != nil {
			return 0, nil, err
		}
		if most = max(most, n); n > 1 && !p.fields[i].positions {
			lacking = append(lacking, i)
		}
	}
	return most, lacking, nil
}

// places returns at how many places of a text there are words.
func (f *fieldParser) places(text string) (n int, err error) {
	if f.err != nil {
		return 0, f.err
	}
	if f.analyzer == nil {
		return 1, nil
	}
	t := f.tokenize(text)
	defer f.pool.Put(t)
	for token := range t.tokens.All() {
		if token.Increment > 0 || n == 0 {
			n++
		}
	}
	return n, nil
}
