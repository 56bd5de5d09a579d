package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/pinion-index/pinion/internal/encodings"
)

// TREC reads the text format of the TREC collections: DOC elements, each with a DOCNO,
// or an attribute id of the tag, and text.
//
// Without markup of a web page the contents are the text of the elements TEXT, TITLE,
// TTL, HEAD, HEADLINE, HL, LP and LEADPARA in order; other elements are skipped. Markup
// inside them becomes blanks, and character references are resolved. Markup is a comment,
// and whatever lies between "<" and the next ">" if no other "<" does and the first is
// followed by a letter, "/" and a letter, "!" or "?": "p < 0.05" is text.
//
// What follows DOCHDR, or begins with an element HTML or BODY, is a web page. Its
// contents are the text of the page as HTML's rules find it, without scripts and styles. A
// page that is not UTF-8 is decoded as it declares, or else as the type of its content in DOCHDR does.
//
// Tag names are case-insensitive, and the tags DOC and DOCNO must not span lines.
type TREC struct {
	lines *lines
	in    input
	made  *madeIDs // nil: ids are read
	buf   []byte   // the DOC element being collected, without its tags
	tag   []byte   // what its tag has behind the name
	id    []byte   // its attribute id
	line  int64    // line of its beginning
	rest  []byte   // unread part of the current line
	text  []byte

	lost     uint64 // characters of pages that were not in the encoding that the page declares
	lostLine int64  // of the DOC element with the first of them
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
func (t *TREC) Next() (Document, error) {
	if err := t.gather(); err != nil {
		return Document{}, err
	}
	d, err := t.parse(t.buf)
	if err == nil && t.made != nil {
		d.ID = t.made.id(t.line)
	}
	if err == nil {
		err = checkID(d.ID)
	}
	if err != nil {
		return Document{}, t.bad(err.Error())
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
		var err error
		if t.rest, err = t.lines.next(); err == io.EOF {
			return t.bad("the file ends inside this DOC element")
		} else if err != nil {
			return err
		}
		if len(t.buf) > t.lines.limit {
			return t.skipLong()
		}
	}
}

// skipLong passes over the rest of a DOC element that is too long.
func (t *TREC) skipLong() error {
	for {
		if at := foldIndex(t.rest, "</doc>"); at >= 0 {
			t.rest = t.rest[at+len("</doc>"):]
			return t.bad(fmt.Sprintf("the DOC element is longer than %d bytes", t.lines.limit))
		}
		var err error
		if t.rest, err = t.lines.next(); err == io.EOF {
			return t.bad("the file ends inside this DOC element")
		} else if err != nil && !Recoverable(err) {
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
	at, n, tag := docTag(t.rest)
	if at < 0 {
		t.rest = nil
		return t.bad("text outside a DOC element")
	}
	before := bytes.TrimSpace(t.rest[:at])
	t.rest = t.rest[at:]
	if len(before) > 0 {
		return t.bad("text outside a DOC element")
	}
	t.tag = append(t.tag[:0], tag...)
	t.id = attribute(t.tag, "id")
	t.rest = t.rest[n:]
	return nil
}

// docTag returns where the first start tag of a DOC element begins in b, its length, and
// what it has behind its name; -1 if there is none.
func docTag(b []byte) (at, n int, tag []byte) {
	for from := 0; ; from = at + 1 {
		i := foldIndex(b[from:], "<doc")
		if i < 0 {
			return -1, 0, nil
		}
		at = from + i
		tag = b[at:]
		end := bytes.IndexByte(tag, '>')
		if end < 0 {
			return -1, 0, nil
		}
		switch inside := tag[len("<doc"):end]; {
		case len(inside) == 0:
			return at, end + 1, nil
		case inside[0] == ' ' || inside[0] == '\t':
			return at, end + 1, inside
		}
	}
}

// attribute returns the quoted value of an attribute of a tag.
func attribute(tag []byte, name string) []byte {
	for _, start := range []string{" ", "\t"} {
		for _, quote := range []string{`"`, "'"} {
			_, value, ok := bytes.Cut(tag, []byte(start+name+"="+quote))
			if !ok {
				continue
			}
			value, _, _ = bytes.Cut(value, []byte(quote))
			return bytes.TrimSpace(value)
		}
	}
	return nil
}

// startsDoc reports whether text begins with the start tag of a DOC element.
func startsDoc(text []byte) bool {
	at, _, _ := docTag(text[:min(len(text), 1<<10)])
	return at == 0
}

// parse extracts id and text from the inside of a DOC element.
func (t *TREC) parse(b []byte) (Document, error) {
	id, haveID := t.id, len(t.id) > 0
	named := false // by a DOCNO
	text := t.text[:0]
	m := markup{}
	for {
		e, err := m.element(b)
		if err != nil {
			return Document{}, err
		}
		if e.name == "" {
			break
		}
		if e.name == "html" || e.name == "body" {
			text = t.appendPage(text, b[e.at:], nil)
			break
		}
		b = e.rest
		if e.name == "dochdr" {
			text = t.appendPage(text, b, e.body)
			break
		}
		switch {
		case e.name == "docno" && named:
			return Document{}, errors.New("a second DOCNO; is </DOC> missing?")
		case e.name == "docno":
			id, haveID, named = bytes.TrimSpace(e.body), true, true
		case trecText[e.name]:
			if len(text) > 0 {
				text = append(text, '\n')
			}
			text = m.appendText(text, e.body)
		}
	}
	t.text = text
	if !haveID && t.made == nil {
		return Document{}, errors.New("no DOCNO in this DOC element")
	}
	return Document{ID: id, Contents: text}, nil
}

// appendPage appends the text of a web page that came with a header of HTTP.
func (t *TREC) appendPage(dst, page, header []byte) []byte {
	const escape = 0x1b // what is in ISO-2022-JP looks like ASCII
	if !utf8.Valid(page) || bytes.IndexByte(page, escape) >= 0 {
		if e := encodings.OfPage(page, contentType(header), encodings.Encoding{}); !e.UTF8() {
			page = e.Decode(page)
			n := bytes.Count(page, []byte("\ufffd"))
			if n > 0 && t.lost == 0 {
				t.lostLine = t.line
			}
			t.lost += uint64(n)
		}
	}
	return appendPage(dst, page)
}

// contentType returns the type of the content that a header of HTTP has, or "".
func contentType(header []byte) string {
	for line := range bytes.Lines(header) {
		if name, value, ok := bytes.Cut(line, []byte(":")); ok && bytes.EqualFold(bytes.TrimSpace(name), []byte("content-type")) {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
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
func (t *TREC) BytesRead() int64 { return bytesRead(t.in) }

// Close implements Source.
func (t *TREC) Close() error { return closeInput(t.in) }
