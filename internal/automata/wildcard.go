package automata

import "unicode/utf8"

// Wildcard returns the Automaton of a pattern: * stands for any number of code points, ? for one, and \ takes
// away the meaning of the character behind it. An error matches ErrComplex or is a SyntaxError.
func Wildcard(pattern string) (*Automaton, error) {
	var p program
	for i := 0; i < len(pattern); {
		r, n := utf8.DecodeRuneInString(pattern[i:])
		next := uint16(len(p.code) + 1)
		step := instruction{op: opRead, out: next, ranges: []rune{r, r}}
		switch r {
		case '*': // a split between the code point that comes back to it, and what follows
			if _, err := p.emit(instruction{op: opSplit, out: next, alt: next + 1}); err != nil {
				return nil, err
			}
			step.out, step.ranges = next-1, anything
		case '?':
			step.ranges = anything
		case '\\':
			i += n
			if i == len(pattern) {
				return nil, &SyntaxError{At: i - n, What: `nothing follows \`}
			}
			r, n = utf8.DecodeRuneInString(pattern[i:])
			step.ranges = []rune{r, r}
		}
		if _, err := p.emit(step); err != nil {
			return nil, err
		}
		i += n
	}
	if _, err := p.emit(instruction{op: opAccept}); err != nil {
		return nil, err
	}
	return p.automaton(), nil
}
