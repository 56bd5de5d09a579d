package query

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pinion-index/pinion/internal/fields"
)

// quoted parses a text in quotes, and the star and the slop that may follow it.
func (x *language) quoted() (Node, error) {
	from := x.at
	x.parts++
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
	}
	fields := x.p.Texts
	if x.field != "" {
		i, err := x.p.Number(x.field)
		if err != nil {
			return nil, x.errorf(from, "%s", reason(err))
		}
		fields = []int{i}
	}
	most, lacking, err := x.phrase(fields, text)
	x.places += most * len(fields)
	if none := err != nil || x.places > MaxPlaces; x.lenient && (none || len(lacking) > 0) {
		return x.placeless(n, from, fields, lacking, none), nil
	}
	switch {
	case err != nil:
		return nil, x.errorf(from, "%s", reason(err))
	case most > MaxPlaces:
		return nil, x.errorf(from, "the phrases of a query have at most %d places together", MaxPlaces)
	case len(lacking) > 0:
		return nil, x.errorf(from, "a phrase of %d words cannot be searched for: %s. (a AND b) finds documents with both", most, x.p.Unplaced(lacking))
	case n.Prefix && len(fields) == 1 && x.p.Fields[fields[0]].Analyzer == nil:
		return Prefix{Field: x.field, Text: text}, nil
	case most > 1 || n.Prefix:
		return n, nil
	}
	return Match{Field: x.field, Text: text, Mode: ModeAnd}, nil
}

// families are the quotation marks that go with each other: a text that begins with one ends at the next of its family,
// since languages differ in which of them stands first.
var families = [...]string{`"`, "“”„‟", "«»", "‹›", "「」", "『』", "〝〞〟", "＂"}

// family returns the family of a quotation mark, or "" for other characters.
func family(r rune) string {
	if r == '"' {
		return families[0]
	}
	if r < '«' {
		return ""
	}
	for _, f := range families[1:] {
		if strings.ContainsRune(f, r) {
			return f
		}
	}
	return ""
}

// family returns the family of the quotation mark that comes next, or "" if none does.
func (x *language) family() string {
	r, _ := utf8.DecodeRuneInString(x.text[x.at:])
	return family(r)
}

// quotes parses a text in quotes.
func (x *language) quotes() (string, error) {
	from, marks := x.at, x.family()
	_, n := utf8.DecodeRuneInString(x.text[from:])
	var s strings.Builder
	for x.at += n; ; {
		r, n := utf8.DecodeRuneInString(x.text[x.at:])
		if n == 0 {
			return "", x.errorf(from, `nothing closes this quote (the character is written \%c)`, []rune(x.text[from:])[0])
		}
		if strings.ContainsRune(marks, r) {
			x.at += n
			return s.String(), nil
		}
		if r == '\\' {
			if x.at++; x.at == len(x.text) {
				continue
			}
			_, n = utf8.DecodeRuneInString(x.text[x.at:])
		}
		s.WriteString(x.source[x.at : x.at+n])
		x.at += n
	}
}

// slop parses the tilde behind a quote, and its number.
func (x *language) slop() (int, error) {
	from := x.at
	x.at++
	number, star := strings.CutSuffix(x.run(), "*")
	n, err := strconv.ParseUint(number, 10, 31)
	switch {
	case err != nil:
		return 0, x.errorf(from, "~ behind a quote takes a number: by how many places words may be out of place, up to %d", MaxSlop)
	case star:
		return 0, x.errorf(x.at-1, "* stands directly behind the quote, before ~")
	}
	return int(n), nil
}

// phrase returns how many words a text has as a phrase in the one of numbers where it has most, and in which of them it
// has several but no positions.
func (x *language) phrase(numbers []int, text string) (most int, lacking []int, err error) {
	for _, i := range numbers {
		n, err := countPlaces(x.p.Fields[i], text)
		if err != nil {
			return 0, nil, err
		}
		if most = max(most, n); n > 1 && !x.p.Fields[i].Positions {
			lacking = append(lacking, i)
		}
	}
	return most, lacking, nil
}

// countPlaces returns at how many places of a text there are words; a word that is typed alone is one.
func countPlaces(f *fields.Field, text string) (n int, err error) {
	if f.Err != nil {
		return 0, f.Err
	}
	if f.Analyzer == nil {
		return 1, nil
	}
	if f.Compound() != nil {
		words := f.CompoundWords(text)
		if len(words) < 2 {
			return len(words), nil
		}
		for _, w := range words {
			n += len(w.Parts)
		}
		return n, nil
	}
	t := f.Tokens(text)
	defer f.Release(t)
	for token := range t.All() {
		if token.Increment > 0 || n == 0 {
			n++
		}
	}
	return n, nil
}
