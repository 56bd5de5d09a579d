package automata

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Automaton is a deterministic automaton over bytes, as segment.Automaton describes. It is not safe for
// concurrent use.
type Automaton struct {
	m       machine
	classes [256]uint8 // of bytes between which the machine does not distinguish
	width   int        // number of classes
	next    []uint32   // by state and class; unknown until it is asked for
	states  []string   // as key writes them
	numbers map[string]uint32
	accepts []answer // by state
	key     []byte
	err     error
}

// machine is an automaton over code points whose states are strings of bytes, of which the empty one is the
// state from which nothing is accepted.
type machine interface {
	// start appends the first state.
	start(dst []byte) []byte
	// step appends the state after state and r.
	step(dst []byte, state string, r rune) []byte
	accepts(state string) bool
	// bounds calls f with code points: between one and the next the machine does not distinguish.
	bounds(f func(r rune))
}

// answer is what is known of a question.
type answer uint8

const (
	unasked answer = iota
	no
	yes
)

// MaxStates is how many states an Automaton has at most.
const MaxStates = 20000

// ErrComplex is matched by the errors for patterns that need too many instructions or states.
var ErrComplex = errors.New("pattern is too complex")

// unknown stands for a state that was not asked for.
const unknown = ^uint32(0)

// The first states.
const (
	dead = iota
	first
)

func newAutomaton(m machine) *Automaton {
	a := &Automaton{m: m, numbers: map[string]uint32{}}
	a.classify()
	a.add("")
	for c := range a.width {
		a.next[c] = dead
	}
	a.add(string(m.start([]byte{0})))
	return a
}

// edges are the bytes from which on UTF-8 may go on differently than before.
var edges = [...]byte{0x80, 0x90, 0xa0, 0xc0, 0xc2, 0xe0, 0xe1, 0xed, 0xee, 0xf0, 0xf1, 0xf4, 0xf5}

// classify numbers the classes of bytes: those between edges, and between bytes of the bounds. Since UTF-8 keeps
// the order of code points, two of them with bytes of the same classes are on the same side of each bound.
func (a *Automaton) classify() {
	var begins [257]bool
	for _, b := range edges {
		begins[b] = true
	}
	a.m.bounds(func(r rune) {
		if r < utf8.RuneSelf {
			begins[r] = true
			return
		}
		for _, b := range utf8.AppendRune(nil, r) {
			begins[b], begins[b+1] = true, true
		}
	})
	for b := range a.classes {
		if b > 0 && begins[b] {
			a.width++
		}
		a.classes[b] = uint8(a.width)
	}
	a.width++
}

// Start returns the state before the first byte.
func (a *Automaton) Start() uint32 { return first }

// Next returns the state after state and b. It is 0 if no term that goes on like that is accepted.
func (a *Automaton) Next(state uint32, b byte) uint32 {
	at := int(state)*a.width + int(a.classes[b])
	if n := a.next[at]; n != unknown {
		return n
	}
	n := a.step(a.states[state], b)
	a.next[at] = n
	return n
}

// Accepts reports whether a term that ends in state is accepted.
func (a *Automaton) Accepts(state uint32) bool {
	if a.accepts[state] == unasked {
		a.accepts[state] = no
		if a.end(a.states[state]) {
			a.accepts[state] = yes
		}
	}
	return a.accepts[state] == yes
}

// Matches reports whether a term is accepted.
func (a *Automaton) Matches(term []byte) bool {
	s := a.Start()
	for i := 0; i < len(term) && s != dead; i++ {
		s = a.Next(s, term[i])
	}
	return a.Accepts(s)
}

// Err returns an error matching ErrComplex if the automaton has needed too many states; then it may not have
// accepted all terms that it should.
func (a *Automaton) Err() error { return a.err }

// A state is a string: the number of bytes of a code point that has begun, those bytes, and the state of the
// machine before it.

// step returns the number of the state after s and b.
func (a *Automaton) step(s string, b byte) uint32 {
	var buf [utf8.UTFMax]byte
	begun := append(append(buf[:0], s[1:1+s[0]]...), b)
	s = s[1+s[0]:]
	for len(begun) > 0 && utf8.FullRune(begun) {
		r, n := utf8.DecodeRune(begun)
		begun = begun[n:]
		a.key = a.m.step(a.key[:0], s, r)
		if s = string(a.key); s == "" {
			return dead
		}
	}
	a.key = append(append(append(a.key[:0], byte(len(begun))), begun...), s...)
	if n, ok := a.numbers[string(a.key)]; ok {
		return n
	}
	if len(a.states) == MaxStates {
		if a.err == nil {
			a.err = fmt.Errorf("%w: it needs more than %d states", ErrComplex, MaxStates)
		}
		return dead
	}
	return a.add(string(a.key))
}

// end reports whether the machine accepts what has led to s, with the bytes of a code point that has begun as
// U+FFFD each.
func (a *Automaton) end(s string) bool {
	if s == "" {
		return false
	}
	begun := s[0]
	for s = s[1+begun:]; begun > 0 && s != ""; begun-- {
		s = string(a.m.step(nil, s, utf8.RuneError))
	}
	return s != "" && a.m.accepts(s)
}

// add adds a state.
func (a *Automaton) add(s string) uint32 {
	n := uint32(len(a.states))
	a.states, a.accepts, a.numbers[s] = append(a.states, s), append(a.accepts, unasked), n
	for range a.width {
		a.next = append(a.next, unknown)
	}
	return n
}
