package segment

// Automaton accepts some terms. It reads them byte by byte, and is deterministic: state 0 is the one
// from which no term is accepted, whatever follows.
type Automaton interface {
	// Start returns the state before the first byte.
	Start() uint32
	// Next returns the state after state, which is not 0, and b.
	Next(state uint32, b byte) uint32
	// Accepts reports whether a term that ends in state, which is not 0, is accepted.
	Accepts(state uint32) bool
}

// matching is what a TermIterator has that iterates over the terms which an Automaton accepts.
type matching struct {
	a      Automaton
	states []uint32 // before the first byte of a term, and after each
	term   []byte   // whose states they are
	key    [8]byte
	found  []match // in the loaded block
	bytes  []byte  // of their terms
	next   int     // of found
}

// match is a term of a block.
type match struct {
	at       int // its number in the block
	from, to int // in matching.bytes
	entry    Entry
}

// run sets the states after bytes of term, of which those up to from are known. It returns how many bytes lead
// to state 0, or len(term)+1 if they do not.
func (m *matching) run(term []byte, from int) int {
	states := m.states[:from+1]
	for i := from; i < len(term); i++ {
		s := m.a.Next(states[i], term[i])
		if s == 0 {
			m.states = states
			return i + 1
		}
		states = append(states, s)
	}
	m.states = states
	return len(term) + 1
}

// after returns the least beginning of terms that are above term and may be accepted, if there is one. It
// overwrites term, all bytes of which lead to state 0, but not fewer.
func (m *matching) after(term []byte) ([]byte, bool) {
	for i := len(term) - 1; i >= 0; i-- {
		for term[i] < 0xff {
			term[i]++
			if m.a.Next(m.states[i], term[i]) != 0 {
				return term[:i+1], true
			}
		}
	}
	return nil, false
}
