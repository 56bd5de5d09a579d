// Package automata makes deterministic automata over the bytes of terms: of patterns with wildcards, of
// regular expressions, and of what is within one or two edits of a word. They accept whole terms.
//
// An automaton reads code points, as a Go program ranges over a string: each byte that is not part of valid
// UTF-8 is the code point U+FFFD. Its states are made when they are first reached, for a dictionary reaches few
// of them.
//
//	dfa.go                 Automaton: states over bytes, made from a machine over code points
//	fuzzy.go               the machine of edits
//	program.go             the machine of patterns: sets of instructions
//	wildcard.go regexp.go  patterns to instructions
package automata
