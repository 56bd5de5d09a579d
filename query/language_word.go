package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/schema"
)

// spelling is a word as it was written.
type spelling struct {
	text    strings.Builder // without what escapes
	pattern strings.Builder // as Wildcard.Pattern
	stars   int
	marks   int  // ?
	star    bool // the last character is a star
}

// add adds a character that stands for itself.
func (s *spelling) add(text string) {
	s.text.WriteString(text)
	if strings.Contains(`*?\`, text) {
		s.pattern.WriteByte('\\')
	}
	s.pattern.WriteString(text)
	s.star = false
}

// wild adds * or ?.
func (s *spelling) wild(c byte) {
	if s.pattern.WriteByte(c); c == '?' {
		s.marks++
	} else {
		s.stars++
	}
	s.star = c == '*'
}

// word parses a word, with a field before it and a tilde behind it.
func (x *language) word() (Node, error) {
	from, field, column := x.at, x.field, x.column
	s, colon, err := x.spell(true)
	if err != nil {
		return nil, err
	}
	if colon {
		if err := x.within(s, from); err != nil {
			return nil, err
		}
		defer func() { x.field, x.column = field, column }()
		from = x.at
		switch r, _ := utf8.DecodeRuneInString(x.text[x.at:]); {
		case r == '(':
			return x.brackets()
		case x.column != nil:
			return x.comparison()
		case r == '"':
			return x.quoted()
		}
		if s, _, err = x.spell(false); err != nil {
			return nil, err
		}
	}
	if s.pattern.Len() == 0 {
		if x.at < len(x.text) && strings.IndexByte("^~", x.text[x.at]) >= 0 {
			return nil, x.errorf(x.at, `nothing precedes %c (the character is written \%c)`, x.text[x.at], x.text[x.at])
		}
		return nil, x.errorf(from, "a word is missing")
	}
	return x.node(s)
}

// within makes the field that s spells the one that is searched.
func (x *language) within(s *spelling, from int) error {
	name := s.text.String()
	if x.p.schema == nil {
		return x.errorf(from, `the index has no fields (a colon in a word is written \:)`)
	}
	if s.stars+s.marks > 0 {
		return x.errorf(from, `* and ? cannot stand in the name of a field (a colon in a word is written \:)`)
	}
	f, ok := x.p.schema.Field(name)
	switch {
	case ok && f.Column && f.Indexing() == schema.IndexNone:
		x.column = f
	case ok && f.Indexing() == schema.IndexNone:
		return x.errorf(from, `field %q, of kind %v, is neither indexed nor a column (a colon in a word is written \:)`, name, f.Kind)
	default:
		if _, err := x.p.number(name); err != nil {
			return x.errorf(from, `%s%s (a colon in a word is written \:)`, reason(err), x.columns())
		}
	}
	x.field = name
	return nil
}

// spell parses the characters of a word. It ends behind a colon, which it reports, unless fields is false.
func (x *language) spell(fields bool) (s *spelling, colon bool, err error) {
	s = new(spelling)
	if x.at < len(x.text) && strings.IndexByte("[{", x.text[x.at]) >= 0 {
		return nil, false, x.errorf(x.at, `a range is written 1..2, in a field that is only a column (the character is written \%c)`, x.text[x.at])
	}
	for x.at < len(x.text) {
		r, n := utf8.DecodeRuneInString(x.text[x.at:])
		switch {
		case unicode.IsSpace(r), strings.ContainsRune(`()"^~`, r):
			return s, false, nil
		case r == '\\':
			if x.at++; x.at == len(x.text) {
				return nil, false, x.errorf(x.at-1, `nothing follows \`)
			}
			_, n = utf8.DecodeRuneInString(x.text[x.at:])
			s.add(x.text[x.at : x.at+n])
		case r == '*' || r == '?':
			s.wild(byte(r))
		case r == ':' && fields:
			x.at++
			return s, true, nil
		default:
			s.add(x.text[x.at : x.at+n])
		}
		x.at += n
	}
	return s, false, nil
}

// node returns the node of a word, after the tilde that may follow it.
func (x *language) node(s *spelling) (Node, error) {
	wild := s.stars+s.marks > 0
	if x.at < len(x.text) && x.text[x.at] == '~' {
		from := x.at
		x.at++
		f := Fuzzy{Field: x.field, Text: s.text.String(), Edits: 2}
		end := x.at
		for end < len(x.text) && (x.text[end] >= '0' && x.text[end] <= '9' || x.text[end] == '.') {
			end++
		}
		switch edits := x.text[x.at:end]; {
		case wild:
			return nil, x.errorf(from, "~ goes with a word, not with a pattern")
		case edits == "1":
			f.Edits = 1
		case edits != "" && edits != "2":
			return nil, x.errorf(from, "a word takes ~, ~1 or ~2: the greatest number of edits")
		}
		x.at = end
		return f, nil
	}
	switch {
	case s.pattern.String() == "*" && x.field == "":
		return All{}, nil
	case s.stars == 1 && s.star && s.marks == 0 && s.text.Len() > 0:
		return Prefix{Field: x.field, Prefix: s.text.String()}, nil
	case wild:
		return Wildcard{Field: x.field, Pattern: s.pattern.String()}, nil
	}
	return Match{Field: x.field, Text: s.text.String(), Mode: And}, nil
}
