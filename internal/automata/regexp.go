package automata

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SyntaxError says what is wrong with a pattern, and where.
type SyntaxError struct {
	At   int // offset in the pattern
	What string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("offset %d: %s", e.At, e.What) }

// Regexp returns the Automaton of a regular expression, which matches whole terms. It consists of
//
//	x        a code point, unless it is one of . [ ] ( ) { } | * + ? \ ^ $
//	\x       x, which is none of letters and digits
//	.        any code point
//	[a-z_]   one of these; [^a-z_] any other. Within brackets ] ^ - [ and \ are written behind \
//	\d \w \s one of [0-9], [0-9A-Za-z_], [\t\n\f\r ]; in capitals any other. They can be in brackets
//	xy  x|y  x, then y; x or y
//	(x)      x
//	x* x+ x? any number of x, at least one, at most one; {n}, {n,} and {n,m} with n and m up to 1000
//
// which means what it means in package regexp with its flag s. An error matches ErrComplex or is a SyntaxError.
func Regexp(pattern string) (*Automaton, error) {
	x := expression{text: pattern}
	n, err := x.either(0)
	if err != nil {
		return nil, err
	}
	if x.at < len(pattern) { // only a bracket ends either before the end
		return nil, x.errorf(x.at, "nothing opens this )")
	}
	var p program
	end, err := p.emit(instruction{op: opAccept})
	if err != nil {
		return nil, err
	}
	if p.entry, err = n.compile(&p, end); err != nil {
		return nil, err
	}
	return p.automaton(), nil
}

// expression is a regular expression that is parsed.
type expression struct {
	text string
	at   int
}

// tree is a part of a regular expression: ranges of one code point, parts one after the other, one of several
// parts, or a part repeated.
type tree struct {
	kind     kind
	ranges   []rune
	parts    []*tree
	min, max int // of times; max -1 is any number
}

type kind uint8

const (
	one kind = iota
	sequence
	either
	repeat
)

const (
	maxNested = 200  // of brackets
	maxTimes  = 1000 // as in package regexp
)

func (x *expression) errorf(at int, format string, args ...any) error {
	return &SyntaxError{At: at, What: fmt.Sprintf(format, args...)}
}

// has reports whether c follows, and moves behind it.
func (x *expression) has(c byte) bool {
	if x.at < len(x.text) && x.text[x.at] == c {
		x.at++
		return true
	}
	return false
}

// rune returns the code point that follows, and moves behind it.
func (x *expression) rune() rune {
	r, n := utf8.DecodeRuneInString(x.text[x.at:])
	x.at += n
	return r
}

// either parses alternatives, up to the end or a closing bracket.
func (x *expression) either(depth int) (*tree, error) {
	if depth > maxNested {
		return nil, x.errorf(x.at, "more than %d brackets within each other", maxNested)
	}
	n := &tree{kind: either}
	for {
		s := &tree{kind: sequence}
		for x.at < len(x.text) && x.text[x.at] != '|' && x.text[x.at] != ')' {
			part, err := x.repeated(depth)
			if err != nil {
				return nil, err
			}
			s.parts = append(s.parts, part)
		}
		n.parts = append(n.parts, s)
		if !x.has('|') {
			return n, nil
		}
	}
}

// repeated parses a part and how often it comes.
func (x *expression) repeated(depth int) (*tree, error) {
	n, err := x.part(depth)
	if err != nil {
		return nil, err
	}
	lo, hi := 1, 1
	switch from := x.at; {
	case x.has('*'):
		lo, hi = 0, -1
	case x.has('+'):
		lo, hi = 1, -1
	case x.has('?'):
		lo, hi = 0, 1
	case x.has('{'):
		end := strings.IndexByte(x.text[x.at:], '}')
		if end < 0 {
			return nil, x.errorf(from, "nothing closes this {")
		}
		if lo, hi, err = times(x.text[x.at : x.at+end]); err != nil {
			return nil, x.errorf(from, "%v", err)
		}
		x.at += end + 1
	default:
		return n, nil
	}
	if x.at < len(x.text) && strings.IndexByte("*+?{", x.text[x.at]) >= 0 {
		return nil, x.errorf(x.at, "%q follows a repetition", x.text[x.at])
	}
	return &tree{kind: repeat, parts: []*tree{n}, min: lo, max: hi}, nil
}

// times parses what is between braces.
func times(text string) (lo, hi int, err error) {
	from, to, several := strings.Cut(text, ",")
	if lo, err = strconv.Atoi(from); err == nil {
		switch hi = lo; {
		case several && to == "":
			hi = -1
		case several:
			hi, err = strconv.Atoi(to)
		}
	}
	if err != nil || lo < 0 || lo > maxTimes || hi > maxTimes || hi >= 0 && hi < lo || strings.ContainsAny(text, "+-") {
		return 0, 0, fmt.Errorf("{%s} is none of {n}, {n,} and {n,m} with numbers up to %d", text, maxTimes)
	}
	return lo, hi, nil
}

// part parses a code point, a class, or what is in brackets.
func (x *expression) part(depth int) (*tree, error) {
	from := x.at
	switch r := x.rune(); r {
	case '(':
		if x.at < len(x.text) && x.text[x.at] == '?' {
			return nil, x.errorf(x.at, "nothing precedes ?")
		}
		n, err := x.either(depth + 1)
		if err == nil && !x.has(')') {
			err = x.errorf(from, "nothing closes this (")
		}
		return n, err
	case '.':
		return &tree{ranges: anything}, nil
	case '[':
		ranges, err := x.class(from)
		return &tree{ranges: ranges}, err
	case '\\':
		ranges, err := x.escape()
		return &tree{ranges: ranges}, err
	case '*', '+', '?', '{':
		return nil, x.errorf(from, "nothing precedes %c", r)
	case ']', '}', '^', '$':
		return nil, x.errorf(from, "%c is written \\%c (the pattern matches whole terms)", r, r)
	default:
		return &tree{ranges: []rune{r, r}}, nil
	}
}

// escapes are the classes behind a backslash.
var escapes = map[rune][]rune{
	'd': {'0', '9'},
	's': {'\t', '\n', '\f', '\r', ' ', ' '},
	'w': {'0', '9', 'A', 'Z', '_', '_', 'a', 'z'},
}

// escape parses what follows a backslash.
func (x *expression) escape() ([]rune, error) {
	if x.at == len(x.text) {
		return nil, x.errorf(x.at-1, `nothing follows \`)
	}
	at := x.at
	r := x.rune()
	switch {
	case escapes[r] != nil:
		return escapes[r], nil
	case r >= 'A' && r <= 'Z' && escapes[r-'A'+'a'] != nil:
		return others(escapes[r-'A'+'a']), nil
	case r < utf8.RuneSelf && within(escapes['w'], r) && r != '_':
		return nil, x.errorf(at-1, `unknown \%c`, r)
	}
	return []rune{r, r}, nil
}

// class parses what follows an opening bracket at offset from.
func (x *expression) class(from int) (ranges []rune, err error) {
	negated := x.has('^')
	for first := true; first || !x.has(']'); first = false {
		at := x.at
		r, err := x.member(from)
		if err != nil {
			return nil, err
		}
		// A hyphen makes a range of two code points, unless it is the last in the class.
		if len(r) == 2 && r[0] == r[1] && x.at+1 < len(x.text) && x.text[x.at] == '-' && x.text[x.at+1] != ']' {
			x.at++
			to, err := x.member(from)
			if err != nil {
				return nil, err
			}
			if len(to) > 2 || to[0] != to[1] || to[0] < r[0] {
				return nil, x.errorf(at, "%s is no range", x.text[at:x.at])
			}
			r = []rune{r[0], to[0]}
		}
		ranges = append(ranges, r...)
	}
	ranges = ordered(ranges)
	if negated {
		ranges = others(ranges)
	}
	return ranges, nil
}

// member parses a code point of a class, or a class within it.
func (x *expression) member(from int) ([]rune, error) {
	if x.at == len(x.text) {
		return nil, x.errorf(from, "nothing closes this [")
	}
	at := x.at
	switch r := x.rune(); r {
	case '\\':
		return x.escape()
	case '[', ']':
		return nil, x.errorf(at, "%c in a class is written \\%c", r, r)
	default:
		return []rune{r, r}, nil
	}
}

// ordered returns the union of ranges in ascending order, without ranges that touch.
func ordered(ranges []rune) []rune {
	var pairs [][2]rune
	for ; len(ranges) > 0; ranges = ranges[2:] {
		pairs = append(pairs, [2]rune{ranges[0], ranges[1]})
	}
	slices.SortFunc(pairs, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	var all []rune
	for _, p := range pairs {
		if n := len(all); n > 0 && p[0] <= all[n-1]+1 {
			all[n-1] = max(all[n-1], p[1])
		} else {
			all = append(all, p[0], p[1])
		}
	}
	return all
}

// others returns the ranges of all code points that are not in ranges, which are ordered.
func others(ranges []rune) (all []rune) {
	from := rune(0)
	for ; len(ranges) > 0; ranges = ranges[2:] {
		if from < ranges[0] {
			all = append(all, from, ranges[0]-1)
		}
		from = ranges[1] + 1
	}
	if from <= utf8.MaxRune {
		all = append(all, from, utf8.MaxRune)
	}
	return all
}

// compile emits the instructions of n, which go on at out, and returns where they begin.
func (n *tree) compile(p *program, out uint16) (at uint16, err error) {
	switch n.kind {
	case one:
		return p.emit(instruction{op: opRead, out: out, ranges: n.ranges})
	case sequence:
		for _, part := range slices.Backward(n.parts) {
			if out, err = part.compile(p, out); err != nil {
				return 0, err
			}
		}
		return out, nil
	case either:
		for i, part := range slices.Backward(n.parts) {
			from, err := part.compile(p, out)
			if err != nil {
				return 0, err
			}
			if i == len(n.parts)-1 {
				at = from
			} else if at, err = p.emit(instruction{op: opSplit, out: from, alt: at}); err != nil {
				return 0, err
			}
		}
		return at, nil
	}
	return n.times(p, out)
}

// times is compile for a part that is repeated.
func (n *tree) times(p *program, out uint16) (at uint16, err error) {
	part := n.parts[0]
	if at = out; n.max < 0 {
		if at, err = p.emit(instruction{op: opSplit, alt: out}); err != nil {
			return 0, err
		}
		from, err := part.compile(p, at)
		if err != nil {
			return 0, err
		}
		p.code[at].out = from
	}
	for i := n.max; i > n.min; i-- { // the part may be left out, and all behind it
		from, err := part.compile(p, at)
		if err != nil {
			return 0, err
		}
		if at, err = p.emit(instruction{op: opSplit, out: from, alt: out}); err != nil {
			return 0, err
		}
	}
	for range n.min {
		if at, err = part.compile(p, at); err != nil {
			return 0, err
		}
	}
	return at, nil
}
