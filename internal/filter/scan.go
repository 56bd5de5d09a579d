package filter

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/internal/kind"
	"github.com/pinion-index/pinion/schema"
)

// reserved are the words that stand for something where the name of a field could stand.
var reserved = map[string]bool{"and": true, "or": true, "not": true, "in": true, "exists": true, "ids": true}

// bare returns how many bytes at the beginning of a text may stand without quotes. Two dots end them.
func bare(text string) int {
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) && r != utf8.RuneError, unicode.IsDigit(r), strings.ContainsRune("+-_:/@", r):
		case r == '.' && !strings.HasPrefix(text[i:], "..") && i > 0:
		default:
			return i
		}
	}
	return len(text)
}

// space passes over white space.
func (p *parser) space() {
	p.at = len(p.text) - len(strings.TrimLeftFunc(p.text[p.at:], unicode.IsSpace))
}

// next passes over white space, and over a mark if it comes next, which it reports.
func (p *parser) next(mark string) bool {
	p.space()
	if strings.HasPrefix(p.text[p.at:], mark) {
		p.at += len(mark)
		return true
	}
	return false
}

// word passes over white space, and over one of the reserved words if it comes next, which it reports.
func (p *parser) word(word string) bool {
	p.space()
	n := bare(p.text[p.at:])
	if strings.EqualFold(p.text[p.at:p.at+n], word) {
		p.at += n
		return true
	}
	return false
}

// expect is next for what must come.
func (p *parser) expect(mark string) error {
	if !p.next(mark) {
		return p.errorf(p.at, "%s is missing here", mark)
	}
	return nil
}

// token returns the next word or quoted text, what being missing if there is none.
func (p *parser) token(what string) (text string, err error) {
	p.space()
	rest := p.text[p.at:]
	if strings.HasPrefix(rest, `"`) {
		q, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return "", p.errorf(p.at, "nothing closes this quote, or what is in it is not as in Go")
		}
		p.at += len(q)
		return strconv.Unquote(q)
	}
	n := bare(rest)
	if n == 0 {
		return "", p.errorf(p.at, "%s is missing here", what)
	}
	p.at += n
	return rest[:n], nil
}

// name returns the field of the name that comes next.
func (p *parser) name() (*schema.Field, error) {
	p.space()
	from := p.at
	name, err := p.token("the name of a field")
	if err != nil {
		return nil, err
	}
	f, err := column(p.schema, name)
	if err != nil {
		return nil, p.errorf(from, "%s", reason(err))
	}
	return f, nil
}

// value returns the value of a field that comes next.
func (p *parser) value(f *schema.Field) (schema.Value, error) {
	p.space()
	from := p.at
	text, err := p.token("a value")
	if err != nil {
		return schema.Value{}, err
	}
	v, err := Value(f, text)
	if err != nil {
		return v, p.errorf(from, "%s", reason(err))
	}
	return v, nil
}

// Value returns the value of a field, which has a column, that a text says as Parse reads it. The error matches
// ErrInvalid.
func Value(f *schema.Field, text string) (schema.Value, error) {
	v, err := valueOf(f, text)
	if err == nil {
		err = checkValue(f, v)
	}
	return v, err
}

// valueOf returns the value of a field that a text says.
func valueOf(f *schema.Field, text string) (schema.Value, error) {
	n := kind.Of(uint8(f.Kind))
	if n == nil {
		return schema.KeywordValue(0, []byte(text)), nil
	}
	bits, ok := n.Parse(text, f.Unit.Nanoseconds())
	if !ok {
		unit := ""
		if f.Unit != schema.UnitNanosecond {
			unit = f.Unit.String()
		}
		return schema.Value{}, invalid(f, "%.40q is no %s", text, n.Want(unit))
	}
	return schema.BitsValue(0, f.Kind, bits), nil
}

// SyntaxError says what in the text of a filter is not in the language, or not in the index, and where. It matches
// ErrInvalid.
type SyntaxError struct {
	Text   string // of the filter
	Offset int    // in bytes
	Reason string
}

// Error says where it is in characters from 1, what is there, and what is wrong with it.
func (e *SyntaxError) Error() string {
	if e.Offset == len(e.Text) {
		return "filter: at the end: " + e.Reason
	}
	return fmt.Sprintf("filter: at character %d, %.20q: %s", utf8.RuneCountInString(e.Text[:e.Offset])+1, e.Text[e.Offset:], e.Reason)
}

// Is reports whether target is ErrInvalid.
func (e *SyntaxError) Is(target error) bool { return errors.Is(ErrInvalid, target) }

func (p *parser) errorf(at int, format string, args ...any) error {
	return &SyntaxError{Text: p.text, Offset: at, Reason: fmt.Sprintf(format, args...)}
}
