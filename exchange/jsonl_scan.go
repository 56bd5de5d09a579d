package exchange

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pinion-index/pinion/writer"
)

// scanObject decodes the common shape: {"id": "...", "contents": "..."} with the
// fields in either order. It reports false for everything else, valid or not, and
// has not changed b then; otherwise the document lies in b, escapes undone in place.
func scanObject(b []byte) (writer.Document, bool) {
	i := skipBlanks(b, 0)
	if i >= len(b) || b[i] != '{' {
		return writer.Document{}, false
	}
	i++
	var f [2]scanned
	for n := 0; ; n++ {
		var which int
		if which, i = scanName(b, i); which < 0 || f[which].seen || n == 2 {
			return writer.Document{}, false
		}
		if f[which], i = scanString(b, i); i < 0 {
			return writer.Document{}, false
		}
		if i = skipBlanks(b, i); i == len(b) {
			return writer.Document{}, false
		}
		i++
		if b[i-1] == '}' {
			break
		}
		if b[i-1] != ',' {
			return writer.Document{}, false
		}
	}
	if !f[0].seen || !f[1].seen || skipBlanks(b, i) != len(b) {
		return writer.Document{}, false
	}
	return writer.Document{ID: f[0].bytes(b), Contents: f[1].bytes(b)}, true
}

// skipBlanks returns the index of the first byte at or after i that is not a
// JSON blank. Newlines cannot occur in a line.
func skipBlanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// scanName reads a field name and the colon behind it. It returns which of
// fieldNames it is, or -1, and the index behind the colon.
func scanName(b []byte, i int) (which, next int) {
	i = skipBlanks(b, i)
	rest := b[i:]
	switch {
	case len(rest) > 4 && string(rest[:4]) == `"id"`:
		which, i = 0, i+4
	case len(rest) > 10 && string(rest[:10]) == `"contents"`:
		which, i = 1, i+10
	default:
		return -1, 0
	}
	if i = skipBlanks(b, i); i == len(b) || b[i] != ':' {
		return -1, 0
	}
	return which, i + 1
}

// scanned is a string found in a line.
type scanned struct {
	seen       bool
	escaped    bool
	start, end int // between the quotes
}

// scanString finds the string at i, behind blanks. It returns the index behind
// it, or -1 for anything that is not a valid string.
func scanString(b []byte, i int) (scanned, int) {
	i = skipBlanks(b, i)
	if i == len(b) || b[i] != '"' {
		return scanned{}, -1
	}
	i++
	s := scanned{seen: true, start: i}
	high := uint64(0) // some bit 7 set where bytes beyond ASCII came
	for {
		var h uint64
		i, h = plainRun(b, i)
		high |= h
		if i == len(b) {
			return scanned{}, -1
		}
		switch c := b[i]; {
		case c == '"':
			s.end = i
			if high != 0 && !utf8.Valid(b[s.start:s.end]) {
				return scanned{}, -1
			}
			return s, i + 1
		case c == '\\':
			n := escapeLen(b[i:])
			if n == 0 {
				return scanned{}, -1
			}
			s.escaped = true
			i += n
		default: // a control character
			return scanned{}, -1
		}
	}
}

// plainRun returns the index of the first quote, backslash or control character
// at or after i, or len(b), and a word whose bit 7 of some byte is set if the run
// may hold a byte beyond ASCII.
func plainRun(b []byte, i int) (int, uint64) {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	high := uint64(0)
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		q := w ^ ones*'"'
		e := w ^ ones*'\\'
		// The lowest byte flagged is one that matches; higher ones may not be.
		m := ((q-ones)&^q | (e-ones)&^e | (w-ones*0x20)&^w) & tops
		high |= w
		if m != 0 {
			return i + bits.TrailingZeros64(m)/8, high & tops
		}
	}
	for ; i < len(b); i++ {
		c := b[i]
		if c == '"' || c == '\\' || c < 0x20 {
			break
		}
		high |= uint64(c)
	}
	return i, high & tops
}

// escapeLen returns the length of the escape at the start of b, 0 if it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if hex4(b[2:]) >= 0 {
			return 6
		}
	}
	return 0
}

// hex4 returns the value of the four hex digits that b begins with, or -1.
func hex4(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	v := rune(0)
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		v = v<<4 | rune(c)
	}
	return v
}

// bytes returns the string's bytes, undoing its escapes in place.
func (s scanned) bytes(b []byte) []byte {
	b = b[s.start:s.end:s.end]
	if !s.escaped {
		return b
	}
	return unescape(b)
}

// unescape undoes the escapes of a valid JSON string in place: no escape is
// shorter than what it stands for. Halves of surrogate pairs that stand alone
// become U+FFFD, as with encoding/json.
func unescape(b []byte) []byte {
	w, i := 0, 0
	for {
		n := bytes.IndexByte(b[i:], '\\')
		if n < 0 {
			w += copy(b[w:], b[i:])
			return b[:w]
		}
		w += copy(b[w:], b[i:i+n])
		i += n
		if b[i+1] != 'u' {
			b[w] = unescaped[b[i+1]]
			w++
			i += 2
			continue
		}
		r := hex4(b[i+2:])
		i += 6
		if utf16.IsSurrogate(r) {
			low := rune(-1)
			if i+6 <= len(b) && b[i] == '\\' && b[i+1] == 'u' {
				low = hex4(b[i+2:])
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				i += 6
			}
		}
		w += utf8.EncodeRune(b[w:w+utf8.RuneLen(r)], r)
	}
}

var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
