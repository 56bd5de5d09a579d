package exchange

import (
	"bytes"
	"fmt"
	"html"

	xhtml "golang.org/x/net/html"
)

// markup finds the markup of news text in one document; TREC describes what that is.
type markup struct {
	uncommented bool // no comment that begins later ends
}

// length returns the length of the markup that b begins with, which is "<": 0 if that is
// text, and -1 if there is no markup in all of b.
func (m *markup) length(b []byte) int {
	if len(b) < 3 {
		return -1
	}
	if !m.uncommented && bytes.HasPrefix(b, []byte("<!--")) {
		if end := bytes.Index(b[4:], []byte("-->")); end >= 0 {
			return 4 + end + len("-->")
		}
		m.uncommented = true
	}
	switch {
	case b[1] == '!' || b[1] == '?':
		if end := bytes.IndexByte(b, '>'); end >= 0 {
			return end + 1
		}
		return -1
	case isLetter(b[1]) || b[1] == '/' && isLetter(b[2]):
	default:
		return 0
	}
	for i, c := range b[1:] { // tags are short
		switch c {
		case '<':
			return 0
		case '>':
			return i + 2
		}
	}
	return -1
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// element is an element of a DOC element.
type element struct {
	name string // lower-case; empty if there is none
	at   int    // offset of its start tag
	body []byte // its content, if that is read
	rest []byte // what follows it
}

// element finds the first element in b. An element without an end tag, which SGML allows
// for many, has no content.
func (m *markup) element(b []byte) (e element, err error) {
	for at := 0; ; {
		open := bytes.IndexByte(b[at:], '<')
		if open < 0 {
			return e, nil
		}
		at += open
		n := m.length(b[at:])
		switch {
		case n < 0:
			return e, nil
		case n == 0:
			at++
			continue
		case !isLetter(b[at+1]):
			at += n
			continue
		}
		tag := b[at+1 : at+n-1]
		if i := bytes.IndexAny(tag, " \t\r\n"); i >= 0 {
			tag = tag[:i]
		}
		e = element{name: string(bytes.ToLower(tag)), at: at, rest: b[at+n:]}
		if e.name != "docno" && e.name != "dochdr" && !trecText[e.name] {
			return e, nil
		}
		shut := "</" + e.name + ">"
		end := foldIndex(e.rest, shut)
		if end < 0 {
			return e, fmt.Errorf("<%s> without </%s>", tag, tag)
		}
		e.body, e.rest = e.rest[:end], e.rest[end+len(shut):]
		return e, nil
	}
}

// appendText appends body with blanks for markup and characters for their references.
func (m *markup) appendText(dst, body []byte) []byte {
	body = bytes.TrimSpace(body)
	from := len(dst)
	for at := 0; ; {
		open := bytes.IndexByte(body[at:], '<')
		if open < 0 {
			break
		}
		at += open
		n := m.length(body[at:])
		if n < 0 {
			break
		}
		if n == 0 {
			at++
			continue
		}
		dst = append(append(dst, body[:at]...), ' ')
		body, at = body[at+n:], 0
	}
	dst = append(dst, body...)
	if bytes.IndexByte(dst[from:], '&') >= 0 {
		return append(dst[:from], html.UnescapeString(string(dst[from:]))...)
	}
	return dst
}

// appendPage appends the text of a web page, with blanks for tags and comments and
// without what scripts and styles hold.
func appendPage(dst, page []byte) []byte {
	z := xhtml.NewTokenizer(bytes.NewReader(page))
	from := len(dst)
	hidden := false // in a script or style
	for {
		switch z.Next() {
		case xhtml.ErrorToken: // the end: reading from memory cannot fail
			return append(dst[:from], bytes.TrimSpace(dst[from:])...)
		case xhtml.TextToken:
			if !hidden {
				dst = append(dst, z.Text()...)
			}
			continue
		case xhtml.StartTagToken:
			name, _ := z.TagName()
			if hidden = string(name) == "script" || string(name) == "style"; !hidden {
				z.NextIsNotRawText() // the text of a title or frameless page may have tags
			}
		default:
			hidden = false
			z.NextIsNotRawText() // XHTML's <script/> is empty
		}
		if n := len(dst); n > 0 && dst[n-1] != ' ' {
			dst = append(dst, ' ')
		}
	}
}
