package exchange

import (
	"bytes"
	"fmt"
	"html"
	"io"

	"github.com/pinion-index/pinion/writer"
)

// QueryFormat is the format of a file of queries.
type QueryFormat string

// The formats of queries. QueriesAuto means that the format is detected.
const (
	QueriesAuto QueryFormat = "auto"
	QueriesTSV  QueryFormat = "tsv"  // lines of id, tab, text
	QueriesTREC QueryFormat = "trec" // topics: see Topics
)

// QueryFormats returns all formats of queries by their names on the command line.
func QueryFormats() []QueryFormat { return []QueryFormat{QueriesAuto, QueriesTSV, QueriesTREC} }

// OpenQueries opens a file of queries, Stdin for standard input. A query is a Document:
// its id and, as contents, its text. A file that begins with "<" is one of topics. The
// caller closes the Source.
func OpenQueries(path string, f QueryFormat) (Source, error) {
	s, err := openStream(path)
	if err != nil {
		return nil, err
	}
	if f == QueriesAuto {
		f = QueriesTSV
		if text := bytes.TrimLeft(bytes.TrimPrefix(s.peek(4<<10), []byte("\ufeff")), " \t\r\n"); len(text) > 0 && text[0] == '<' {
			f = QueriesTREC
		}
	}
	switch f {
	case QueriesTSV:
		return NewTSV(s.name, s), nil
	case QueriesTREC:
		return NewTopics(s.name, s), nil
	}
	s.Close()
	return nil, fmt.Errorf("unknown format of queries %q", f)
}

// Topics reads queries in the formats of TREC's topics: elements top with num and title,
// whose end tags may be missing, or topic with the attribute number and an element query
// or title. The words "Number:" and "Topic:" at the beginning are dropped, and white
// space is joined. Other elements, such as desc and narr, are skipped, as is text between
// topics. Tag names are case-insensitive, and a tag must not span lines.
type Topics struct {
	lines *lines
	in    input
	buf   []byte // the topic being collected
	line  int64  // line of its beginning
	rest  []byte // unread part of the current line
}

// NewTopics reads from r; file is its name in errors.
func NewTopics(file string, r io.Reader) *Topics {
	return &Topics{lines: newLines(file, r), in: asInput(r)}
}

// Next implements Source.
func (t *Topics) Next() (writer.Document, error) {
	tag, err := t.gather()
	if err != nil {
		return writer.Document{}, err
	}
	id := topicField(t.buf, "num", "Number:")
	if tag == "topic" {
		id = topicNumber(t.buf)
	}
	text := topicField(t.buf, "title", "Topic:")
	if query := topicField(t.buf, "query", ""); len(query) > 0 {
		text = query
	}
	switch err := checkID(id); {
	case err != nil:
		return writer.Document{}, t.bad("a topic without a number")
	case len(text) == 0:
		return writer.Document{}, t.bad(fmt.Sprintf("topic %s has no title", id))
	}
	return writer.Document{ID: id, Contents: text}, nil
}

func (t *Topics) bad(msg string) error {
	return &Error{File: t.lines.file, Line: t.line, Offset: -1, Recoverable: true, Msg: msg}
}

// gather collects the next topic in t.buf, from its start tag to before its end tag, and
// returns the name of these tags.
func (t *Topics) gather() (tag string, err error) {
	for tag, t.rest = topicStart(t.rest); tag == ""; tag, t.rest = topicStart(t.rest) {
		if t.rest, err = t.lines.next(); err != nil {
			return "", err
		}
	}
	t.line = t.lines.line
	shut := "</" + tag + ">"
	t.buf = t.buf[:0]
	for {
		if at := foldIndex(t.rest, shut); at >= 0 {
			t.buf = append(t.buf, t.rest[:at]...)
			t.rest = t.rest[at+len(shut):]
			return tag, nil
		}
		t.buf = append(append(t.buf, t.rest...), '\n')
		if len(t.buf) > MaxRecord {
			t.rest = nil
			return "", t.bad(fmt.Sprintf("the topic is longer than %d bytes", MaxRecord))
		}
		if t.rest, err = t.lines.next(); err == io.EOF {
			return "", t.bad("the file ends inside this topic")
		} else if err != nil {
			return "", err
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
		if len(rest) > 0 && bytes.IndexByte([]byte("> \t\r\n"), rest[0]) >= 0 {
			return at, rest
		}
		from = at + 1
	}
}

// topicField returns the text of an element, up to the next tag, without a prefix.
func topicField(topic []byte, name, prefix string) []byte {
	_, rest := startTag(topic, name)
	_, text, _ := bytes.Cut(rest, []byte(">"))
	text, _, _ = bytes.Cut(text, []byte("<"))
	words := bytes.Fields([]byte(html.UnescapeString(string(text))))
	if len(words) > 0 && prefix != "" && bytes.EqualFold(words[0], []byte(prefix)) {
		words = words[1:]
	}
	return bytes.Join(words, []byte(" "))
}

// topicNumber returns the attribute number of the topic's start tag.
func topicNumber(topic []byte) []byte {
	tag, _, _ := bytes.Cut(topic, []byte(">"))
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
func (t *Topics) BytesRead() int64 { return t.in.BytesRead() }

// Close implements Source.
func (t *Topics) Close() error { return t.in.Close() }
