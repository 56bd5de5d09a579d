package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"

	"github.com/pinion-index/pinion/writer"
)

// TREC reads the text format of the TREC collections: DOC elements, each with a
// DOCNO and any number of text elements. The contents are the text of the
// elements TEXT, TITLE, TTL, HEAD, HEADLINE, HL, LP and LEADPARA in order. Tags
// and comments inside them become blanks, and character references are resolved.
// Other elements are skipped. Tag names are case-insensitive, and a tag must not
// span lines.
type TREC struct {
	lines *lines
	in    input
	buf   []byte // the DOC element being collected
	line  int64  // line of its beginning
	rest  []byte // unread part of the current line
	text  []byte
}

// NewTREC reads from r; file is its name in errors.
func NewTREC(file string, r io.Reader) *TREC {
	return &TREC{lines: newLines(file, r), in: asInput(r)}
}

// trecText names the elements whose text is indexed.
var trecText = map[string]bool{
	"text": true, "title": true, "ttl": true, "head": true,
	"headline": true, "hl": true, "lp": true, "leadpara": true,
}

// Next implements Source.
func (t *TREC) Next() (writer.Document, error) {
	if err := t.gather(); err != nil {
		return writer.Document{}, err
	}
	d, err := t.parse(t.buf)
	if err == nil {
		err = checkID(d.ID)
	}
	if err != nil {
		return writer.Document{}, t.bad(err.Error())
	}
	return d, nil
}

func (t *TREC) bad(msg string) error {
	return &Error{File: t.lines.file, Line: t.line, Offset: -1, Recoverable: true, Msg: msg}
}

// gather collects the inside of the next DOC element in t.buf.
func (t *TREC) gather() error {
	if err := t.findDoc(); err != nil {
		return err
	}
	t.buf = t.buf[:0]
	for {
		if at := foldIndex(t.rest, "</doc>"); at >= 0 {
			t.buf = append(t.buf, t.rest[:at]...)
			t.rest = t.rest[at+len("</doc>"):]
			return nil
		}
		t.buf = append(append(t.buf, t.rest...), '\n')
		if len(t.buf) > MaxRecord {
			t.rest = nil
			return t.bad(fmt.Sprintf("the DOC element is longer than %d bytes", MaxRecord))
		}
		var err error
		if t.rest, err = t.lines.next(); err == io.EOF {
			return t.bad("the file ends inside this DOC element")
		} else if err != nil {
			return err
		}
	}
}

// findDoc moves t.rest past the next start tag of a DOC element.
func (t *TREC) findDoc() error {
	for len(bytes.TrimSpace(t.rest)) == 0 {
		var err error
		if t.rest, err = t.lines.next(); err != nil {
			return err
		}
	}
	t.line = t.lines.line
	at := foldIndex(t.rest, "<doc>")
	if at < 0 {
		t.rest = nil
		return t.bad("text outside a DOC element")
	}
	before := bytes.TrimSpace(t.rest[:at])
	t.rest = t.rest[at:]
	if len(before) > 0 {
		return t.bad("text outside a DOC element")
	}
	t.rest = t.rest[len("<doc>"):]
	return nil
}

// parse extracts id and text from the inside of a DOC element.
func (t *TREC) parse(b []byte) (writer.Document, error) {
	var id []byte
	haveID := false
	text := t.text[:0]
	for {
		name, body, rest, err := trecElement(b)
		if err != nil {
			return writer.Document{}, err
		}
		if name == "" {
			break
		}
		switch {
		case name == "docno" && haveID:
			return writer.Document{}, errors.New("a second DOCNO; is </DOC> missing?")
		case name == "docno":
			id, haveID = bytes.TrimSpace(body), true
		case trecText[name]:
			if len(text) > 0 {
				text = append(text, '\n')
			}
			text = appendText(text, body)
		}
		b = rest
	}
	t.text = text
	if !haveID {
		return writer.Document{}, errors.New("no DOCNO in this DOC element")
	}
	return writer.Document{ID: id, Contents: text}, nil
}

// trecElement finds the first element in b and returns its lower-case name, its
// content, and what follows it. The name is empty if there is none. An element
// without an end tag, which SGML allows for many, has no content.
func trecElement(b []byte) (name string, body, rest []byte, err error) {
	for {
		open := bytes.IndexByte(b, '<')
		if open < 0 {
			return "", nil, nil, nil
		}
		b = b[open+1:]
		end := tagEnd(b)
		if end < 0 {
			return "", nil, nil, nil
		}
		if end == 0 {
			continue
		}
		tag := b[:end]
		b = b[end+1:]
		if tag[0] == '/' || tag[0] == '!' || tag[0] == '?' {
			continue
		}
		if i := bytes.IndexAny(tag, " \t\r\n"); i >= 0 {
			tag = tag[:i]
		}
		name = string(bytes.ToLower(tag))
		shut := "</" + name + ">"
		at := -1
		if name == "docno" || trecText[name] {
			if at = foldIndex(b, shut); at < 0 {
				return "", nil, nil, fmt.Errorf("<%s> without </%s>", tag, tag)
			}
			return name, b[:at], b[at+len(shut):], nil
		}
		return name, nil, b, nil
	}
}

// tagEnd returns where the ">" of the tag is whose "<" precedes b: 0 if that begins no tag
// but is text, as in "p < 0.05", and -1 if nothing that follows is a tag.
func tagEnd(b []byte) int {
	if len(b) == 0 {
		return -1
	}
	switch c := b[0] | 0x20; {
	case b[0] == '!' || b[0] == '?': // a comment may hold tags
		return bytes.IndexByte(b, '>')
	case b[0] != '/' && (c < 'a' || c > 'z'):
		return 0
	}
	end := bytes.IndexAny(b, "<>")
	if end >= 0 && b[end] == '<' {
		return 0
	}
	return end
}

// appendText appends body with tags and comments replaced by a blank.
func appendText(dst, body []byte) []byte {
	body = bytes.TrimSpace(body)
	from := len(dst)
	comments := true // until one does not end
	for {
		open := bytes.IndexByte(body, '<')
		if open < 0 {
			break
		}
		end := -1
		if comments && bytes.HasPrefix(body[open:], []byte("<!--")) {
			if end = bytes.Index(body[open:], []byte("-->")); end >= 0 {
				end += len("-->")
			} else {
				comments = false
			}
		}
		if end < 0 {
			end = bytes.IndexByte(body[open:], '>') + 1
		}
		if end == 0 {
			break
		}
		dst = append(append(dst, body[:open]...), ' ')
		body = body[open+end:]
	}
	dst = append(dst, body...)
	if bytes.IndexByte(dst[from:], '&') >= 0 {
		return append(dst[:from], html.UnescapeString(string(dst[from:]))...)
	}
	return dst
}

// foldIndex returns the index of the lower-case ASCII tag in b in any case, or -1.
func foldIndex(b []byte, tag string) int {
	for i := 0; ; {
		n := bytes.IndexByte(b[i:], '<')
		if n < 0 || len(b)-i-n < len(tag) {
			return -1
		}
		i += n
		if bytes.EqualFold(b[i:i+len(tag)], []byte(tag)) {
			return i
		}
		i++
	}
}

// BytesRead implements Source.
func (t *TREC) BytesRead() int64 { return t.in.BytesRead() }

// Close implements Source.
func (t *TREC) Close() error { return t.in.Close() }
