package automata

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// maxProgram is how many instructions a pattern may need.
const maxProgram = 2000

// program is the machine of a pattern: a nondeterministic automaton of instructions. A state is the set of
// those that wait for a code point, or that accept, two bytes each, in ascending order.
type program struct {
	code  []instruction
	entry uint16
	seen  []uint32 // scratch memory of follow, by instruction: the number of the call
	calls uint32
	set   []uint16
}

// instruction is one step of a pattern.
type instruction struct {
	op       op
	out, alt uint16
	ranges   []rune // of opRead: pairs of the first and the last code point, ascending
}

type op uint8

const (
	opRead   op = iota // one of ranges, and go on at out
	opSplit            // go on at out, and at alt
	opAccept           // the term may end
)

// anything is the ranges of every code point.
var anything = []rune{0, utf8.MaxRune}

// emit appends an instruction.
func (p *program) emit(i instruction) (uint16, error) {
	if len(p.code) == maxProgram {
		return 0, fmt.Errorf("%w: it needs more than %d instructions", ErrComplex, maxProgram)
	}
	p.code = append(p.code, i)
	return uint16(len(p.code) - 1), nil
}

// automaton returns the Automaton of p, whose code is complete.
func (p *program) automaton() *Automaton {
	p.seen = make([]uint32, len(p.code))
	return newAutomaton(p)
}

func (p *program) bounds(bound func(r rune)) {
	for i := range p.code {
		for r := p.code[i].ranges; len(r) > 0; r = r[2:] {
			bound(r[0])
			bound(r[1] + 1)
		}
	}
}

func (p *program) start(dst []byte) []byte {
	p.begin()
	p.follow(p.entry)
	return p.state(dst)
}

func (p *program) step(dst []byte, s string, r rune) []byte {
	p.begin()
	for ; s != ""; s = s[2:] {
		i := &p.code[int(s[0])<<8|int(s[1])]
		if i.op == opRead && within(i.ranges, r) {
			p.follow(i.out)
		}
	}
	return p.state(dst)
}

func (p *program) accepts(s string) bool {
	for ; s != ""; s = s[2:] {
		if p.code[int(s[0])<<8|int(s[1])].op == opAccept {
			return true
		}
	}
	return false
}

// begin begins a set.
func (p *program) begin() {
	p.calls++
	p.set = p.set[:0]
}

// follow adds instruction at to the set, or what it splits to.
func (p *program) follow(at uint16) {
	for p.seen[at] != p.calls {
		p.seen[at] = p.calls
		i := &p.code[at]
		if i.op != opSplit {
			p.set = append(p.set, at)
			return
		}
		p.follow(i.out)
		at = i.alt
	}
}

// state appends the set as a state.
func (p *program) state(dst []byte) []byte {
	slices.Sort(p.set)
	for _, at := range p.set {
		dst = append(dst, byte(at>>8), byte(at))
	}
	return dst
}

// within reports whether r is in one of ranges.
func within(ranges []rune, r rune) bool {
	for ; len(ranges) > 0 && ranges[0] <= r; ranges = ranges[2:] {
		if r <= ranges[1] {
			return true
		}
	}
	return false
}
