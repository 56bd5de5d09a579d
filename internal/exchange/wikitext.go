package exchange

import (
	"bytes"
	"html"
)

// appendWikitext appends the text of a page of a wiki without its markup: templates, tables, references and comments are left
// out, of links what they show remains, and marks of headings, lists, bold and italic text go. What is not closed is text.
func appendWikitext(dst, text []byte) []byte {
	w := wikitext{dst: dst, from: len(dst)}
	for lineStart := true; len(text) > 0; {
		n := 0
		if lineStart {
			n = w.lineMark(text)
		}
		if n == 0 {
			n = w.mark(text)
		}
		if n == 0 {
			w.dst = append(w.dst, text[0])
			n = 1
		}
		lineStart = text[n-1] == '\n'
		text = text[n:]
	}
	if bytes.IndexByte(w.dst[w.from:], '&') >= 0 {
		return append(w.dst[:w.from], html.UnescapeString(string(w.dst[w.from:]))...)
	}
	return w.dst
}

// wikitext is text of which the markup has been removed so far.
type wikitext struct {
	dst    []byte
	from   int // where it begins in dst
	open   []wikiMark
	markup markup
	bare   bool // no tag follows
}

// wikiMark is a mark that is not closed: what it is, and where what it holds begins.
type wikiMark struct {
	kind byte // { for a template, | for a table, [ for a link, r for a reference
	at   int
}

// lineMark removes a mark at the beginning of a line and returns its length in text.
func (w *wikitext) lineMark(text []byte) int {
	n := 0
	for n < len(text) && bytes.IndexByte([]byte("*#:;="), text[n]) >= 0 {
		n++
	}
	return n
}

// mark removes the mark that text begins with and returns its length, 0 if there is none.
func (w *wikitext) mark(text []byte) int {
	begins := func(mark string) bool { return len(text) >= len(mark) && string(text[:len(mark)]) == mark }
	switch text[0] {
	case '\n': // a link has one line
		for w.top() == '[' {
			w.open = w.open[:len(w.open)-1]
		}
	case '{':
		if begins("{{") {
			return w.push('{', 2)
		}
		if begins("{|") {
			return w.push('|', 2)
		}
	case '}':
		if begins("}}") {
			return w.pop('{', 2)
		}
	case '|':
		if begins("|}") && !begins("|}}") && w.top() == '|' {
			return w.pop('|', 2)
		}
		if w.top() == '[' { // what the link shows follows
			w.dst = w.dst[:w.open[len(w.open)-1].at]
			return 1
		}
	case '[':
		if begins("[[") {
			return w.push('[', 2)
		}
		if begins("[http") || begins("[//") {
			return w.external(text)
		}
	case ']':
		if begins("]]") && w.top() == '[' {
			w.open = w.open[:len(w.open)-1]
			return 2
		}
	case '\'':
		n := len(text) - len(bytes.TrimLeft(text, "'"))
		if n > 1 {
			return n
		}
	case '=':
		n := len(text) - len(bytes.TrimLeft(text, "="))
		if n == 1 || n < len(text) && text[n] != '\n' { // not the end of a heading
			w.dst = append(w.dst, text[:n]...)
		}
		return n
	case '<':
		return w.tag(text)
	}
	return 0
}

// top returns the kind of the last mark that is not closed.
func (w *wikitext) top() byte {
	if len(w.open) == 0 {
		return 0
	}
	return w.open[len(w.open)-1].kind
}

func (w *wikitext) push(kind byte, n int) int {
	w.open = append(w.open, wikiMark{kind, len(w.dst)})
	return n
}

// pop leaves out what the last mark holds, if it is of a kind.
func (w *wikitext) pop(kind byte, n int) int {
	if w.top() != kind {
		return 0
	}
	w.dst = append(w.dst[:w.open[len(w.open)-1].at], ' ')
	w.open = w.open[:len(w.open)-1]
	return n
}

// external removes the address of a link to elsewhere.
func (w *wikitext) external(text []byte) int {
	for i, c := range text[1:] {
		switch c {
		case ' ':
			return i + 2 // the ] that follows the text separates words
		case ']':
			return i + 2
		case '\n', '[': // which no address has
			return 0
		}
	}
	return 0
}

// tag removes a comment, a reference or the tag of another element.
func (w *wikitext) tag(text []byte) int {
	if w.bare {
		return 0
	}
	n := w.markup.length(text)
	if n <= 0 {
		w.bare = n < 0
		return 0
	}
	name := bytes.ToLower(text[1:min(n, len("<references"))])
	isRef := bytes.HasPrefix(name, []byte("ref")) && (len(name) == 3 || bytes.IndexByte([]byte(" >/\n"), name[3]) >= 0)
	switch {
	case isRef && text[n-2] != '/':
		return w.push('r', n)
	case bytes.HasPrefix(name, []byte("/ref")) && w.top() == 'r':
		return w.pop('r', n)
	}
	w.dst = append(w.dst, ' ')
	return n
}
