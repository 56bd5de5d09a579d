package query

import (
	"strings"
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
	at      int  // of the first star or mark, in the text
}

// wild reports whether there are stars or marks.
func (s *spelling) wild() bool { return s.stars+s.marks > 0 }

// add adds a character that stands for itself.
func (s *spelling) add(text string) {
	s.text.WriteString(text)
	if strings.Contains(`*?\`, text) {
		s.pattern.WriteByte('\\')
	}
	s.pattern.WriteString(text)
	s.star = false
}

// mark adds * or ?, which is at a place of the text.
func (s *spelling) mark(c byte, at int) {
	if !s.wild() {
		s.at = at
	}
	if s.pattern.WriteByte(c); c == '?' {
		s.marks++
	} else {
		s.stars++
	}
	s.star = c == '*'
}

// word parses a word, with a field before it and a tilde behind it.
func (x *language) word() (Node, error) {
	from, field, values := x.at, x.field, x.values
	x.begin = from
	x.parts++
	s, colon, err := x.spell(true)
	if err != nil {
		return nil, err
	}
	if colon {
		if err := x.within(s, from); err != nil {
			return nil, err
		}
		defer func() { x.field, x.values = field, values }()
		from = x.at
		switch {
		case strings.HasPrefix(x.text[from:], "("):
			return x.brackets()
		case x.values != nil:
			return comparing{x}.comparison()
		case x.family() != "":
			return x.quoted()
		}
		if s, _, err = x.spell(false); err != nil {
			return nil, err
		}
	}
	if s.pattern.Len() == 0 {
		if x.at < len(x.text) && strings.IndexByte("^~", x.text[x.at]) >= 0 {
			return nil, x.errorFrom(x.begin, x.at, `nothing precedes %c (the character is written \%c)`, x.text[x.at], x.text[x.at])
		}
		return nil, x.errorFrom(x.begin, from, "a word is missing")
	}
	return x.node(s)
}

// within makes the field that s spells the one that is searched.
func (x *language) within(s *spelling, from int) error {
	name := s.text.String()
	if name == "" {
		return x.errorf(from, `%s%s (a colon in a word is written \:)`, reason(x.p.Nameless()), comparing{x}.columns())
	}
	if s.wild() {
		return x.errorf(from, `* and ? cannot stand in the name of a field (a colon in a word is written \:)`)
	}
	f, ok := x.p.Schema.Field(name)
	switch {
	case ok && (f.Column || f.Kind == schema.Keyword && f.Indexing() != schema.IndexNone):
		x.values = f
	case ok && f.Indexing() == schema.IndexNone:
		return x.errorf(from, `field %q, of kind %v, is neither indexed nor a column (a colon in a word is written \:)`, name, f.Kind)
	default:
		if _, err := x.p.Number(name); err != nil {
			return x.errorf(from, `%s%s (a colon in a word is written \:)`, reason(err), comparing{x}.columns())
		}
	}
	x.field = name
	return nil
}

// spell parses the characters of a word. It ends behind a colon, which it reports, unless fields is false, and before the
// dots of a range.
func (x *language) spell(fields bool) (s *spelling, colon bool, err error) {
	s = new(spelling)
	if x.at < len(x.text) && strings.IndexByte("[{", x.text[x.at]) >= 0 {
		return nil, false, x.errorf(x.at, `a range is written 1..2, in a field that is a column (the character is written \%c)`, x.text[x.at])
	}
	for x.at < len(x.text) {
		r, n := utf8.DecodeRuneInString(x.text[x.at:])
		switch {
		case endsWord(r), !fields && x.dots():
			return s, false, nil
		case r == '\\':
			if x.at++; x.at == len(x.text) {
				return nil, false, x.errorf(x.at-1, `nothing follows \`)
			}
			_, n = utf8.DecodeRuneInString(x.text[x.at:])
			s.add(x.source[x.at : x.at+n])
		case r == '?':
			n = x.questions(s)
		case r == '*':
			s.mark('*', x.at)
		case r == ':' && fields:
			x.at++
			return s, true, nil
		default:
			s.add(x.source[x.at : x.at+n])
		}
		x.at += n
	}
	return s, false, nil
}

// node returns the node of a word, after the tilde that may follow it.
func (x *language) node(s *spelling) (Node, error) {
	if x.at < len(x.text) && x.text[x.at] == '~' {
		from := x.at
		x.at++
		f := Fuzzy{Field: x.field, Text: s.text.String()}
		switch edits := x.run(); {
		case s.wild():
			return nil, x.errorf(from, "~ goes with a word, not with a pattern")
		case edits == "1":
			f.Edits = 1
		case edits == "2":
			f.Edits = 2
		case edits != "":
			return nil, x.errorf(from, `a word takes ~, ~1 or ~2: the greatest number of edits (the character is written \~)`)
		}
		return f, nil
	}
	switch {
	case s.pattern.String() == "*" && x.field == "":
		return All{}, nil
	case s.stars == 1 && s.star && s.marks == 0 && s.text.Len() > 0:
		return Prefix{Field: x.field, Text: s.text.String()}, nil
	case s.wild():
		return Wildcard{Field: x.field, Pattern: s.pattern.String()}, nil
	}
	return Match{Field: x.field, Text: s.text.String(), Mode: ModeAnd}, nil
}
