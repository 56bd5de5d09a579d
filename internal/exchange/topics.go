package exchange

import (
	"bytes"
	"fmt"
	"io"
)

// Topics reads queries in the formats of TREC's topics: elements top or topic, which end at
// their end tag or where the next begins. The number is the attribute number of the topic or
// its element num, number or id; the query is its element query or title, or the text of a
// topic without elements. These end at their end tags or, without them, at the next tag. The
// words "Number:" and "Topic:" at the beginning are dropped, markup inside becomes a blank,
// references become their characters, and white space is joined; what is markup, TREC says.
// Other elements, such as desc and narr, are skipped, as is text
// between topics. Tag names are case-insensitive, and the start tag of a topic must not span
// lines.
type Topics struct {
	lines *lines
	in    input
	buf   []byte // the topic being collected, without its start tag
	line  int64  // line of its beginning
	rest  []byte // unread part of the current line
}

// NewTopics reads from r; file is its name in errors.
func NewTopics(file string, r io.Reader) *Topics {
	return &Topics{lines: newLines(file, r), in: asInput(r)}
}

// Next implements Source.
func (t *Topics) Next() (Document, error) {
	start, err := t.gather()
	if err != nil {
		return Document{}, err
	}
	id := topicNumber(start)
	for _, name := range []string{"num", "number", "id"} {
		if len(id) == 0 {
			id = topicField(t.buf, name, "Number:")
		}
	}
	text := topicField(t.buf, "query", "")
	if len(text) == 0 {
		text = topicField(t.buf, "title", "Topic:")
	}
	if markupIn(t.buf) < 0 {
		text = plainText(t.buf, "")
	}
	switch err := checkID(id); {
	case len(id) == 0:
		return Document{}, t.bad("a topic without a number")
	case err != nil:
		return Document{}, t.bad(err.Error())
	case len(text) == 0:
		return Document{}, t.bad(fmt.Sprintf("topic %s has neither a query nor a title", id))
	}
	return Document{ID: id, Contents: text}, nil
}

func (t *Topics) bad(msg string) error {
	return &Error{File: t.lines.file, Line: t.line, Offset: -1, Recoverable: true, Msg: msg}
}

// gather collects the next topic in t.buf, and returns its start tag.
func (t *Topics) gather() (start []byte, err error) {
	tag, from := topicStart(t.rest)
	for ; tag == ""; tag, from = topicStart(t.rest) {
		if t.rest, err = t.lines.next(); err != nil {
			return nil, err
		}
	}
	t.line = t.lines.line
	start, rest, ok := bytes.Cut(from, []byte(">"))
	if !ok {
		t.rest = nil
		return nil, t.bad("the start tag of the topic does not end on its line")
	}
	start, t.rest, t.buf = bytes.Clone(start), rest, t.buf[:0]
	shut := "</" + tag + ">"
	for {
		own, next := t.rest, []byte(nil)
		tag, from := topicStart(t.rest)
		if tag != "" {
			own, next = t.rest[:len(t.rest)-len(from)], from
		}
		if end := foldIndex(own, shut); end >= 0 {
			t.buf, t.rest = append(t.buf, own[:end]...), t.rest[end+len(shut):]
			return start, nil
		}
		if t.buf = append(t.buf, own...); tag != "" { // the end tag is missing
			t.rest = next
			return start, nil
		}
		t.buf = append(t.buf, '\n')
		if len(t.buf) > MaxRecord {
			t.rest = nil
			return nil, t.bad(fmt.Sprintf("the topic is longer than %d bytes", MaxRecord))
		}
		if t.rest, err = t.lines.next(); err == io.EOF {
			return nil, t.bad("the file ends inside this topic")
		} else if err != nil {
			return nil, err
		}
	}
}

// topicStart returns the name of the first start tag of a topic in b, and b from that tag
// on; nothing if there is none.
func topicStart(b []byte) (tag string, from []byte) {
	for {
		at := foldIndex(b, "<top")
		if at < 0 {
			return "", nil
		}
		b = b[at:]
		for _, name := range []string{"top", "topic"} {
			if at, _ := startTag(b[:min(len(b), len("<topic>"))], name); at == 0 {
				return name, b
			}
		}
		b = b[1:]
	}
}

// startTag returns where the first start tag of a name begins in b, and what follows its
// name; -1 if there is none.
func startTag(b []byte, name string) (at int, rest []byte) {
	for from := 0; ; {
		i := foldIndex(b[from:], "<"+name)
		if i < 0 {
			return -1, nil
		}
		at = from + i
		rest = b[at+1+len(name):]
		if len(rest) == 0 || bytes.IndexByte([]byte("> \t\r\n"), rest[0]) >= 0 {
			return at, rest
		}
		from = at + 1
	}
}

// topicField returns the text of an element without a prefix: up to its end tag, or to the
// next tag if it has none.
func topicField(topic []byte, name, prefix string) []byte {
	_, rest := startTag(topic, name)
	_, text, _ := bytes.Cut(rest, []byte(">"))
	end := foldIndex(text, "</"+name+">")
	if next, _ := startTag(text, name); next >= 0 && next < end {
		end = -1
	}
	if end < 0 {
		end = markupIn(text)
	}
	if end >= 0 {
		text = text[:end]
	}
	return plainText(text, prefix)
}

// plainText returns text without markup and a prefix, with single blanks between words.
func plainText(text []byte, prefix string) []byte {
	out := new(markup).appendText(nil, text)
	if len(out) >= len(prefix) && bytes.EqualFold(out[:len(prefix)], []byte(prefix)) {
		out = out[len(prefix):]
	}
	return bytes.Join(bytes.Fields(out), []byte(" "))
}

// markupIn returns where the first markup begins in b; -1 if there is none.
func markupIn(b []byte) int {
	var m markup
	for at := 0; ; at++ {
		i := bytes.IndexByte(b[at:], '<')
		if i < 0 {
			return -1
		}
		at += i
		switch n := m.length(b[at:]); {
		case n < 0:
			return -1
		case n > 0:
			return at
		}
	}
}

// topicNumber returns the attribute number of a start tag.
func topicNumber(tag []byte) []byte {
	_, value, _ := bytes.Cut(tag, []byte("number="))
	if len(value) < 2 || value[0] != '"' && value[0] != '\'' {
		return nil
	}
	value, _, ok := bytes.Cut(value[1:], value[:1])
	if !ok {
		return nil
	}
	return bytes.TrimSpace(value)
}

// BytesRead implements Source.
func (t *Topics) BytesRead() int64 { return bytesRead(t.in) }

// Close implements Source.
func (t *Topics) Close() error { return closeInput(t.in) }
