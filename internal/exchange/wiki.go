package exchange

import (
	"bytes"
	"fmt"
	"html"
	"io"

	"github.com/pinion-index/pinion/schema"
)

// keyed makes documents of records which have values under names that are always the same.
type keyed struct {
	names  []string
	made   *madeIDs // nil: ids are read
	id     int      // number of the name of the id; -1: made up
	text   []int
	unread []int
	buf    []byte
	taker  *taker // nil: documents are without fields

	ignored ignored
}

// setFields names the values to read.
func (k *keyed) setFields(file string, f Fields) error {
	k.ignored = ignored{}
	set := f.set(k.made != nil)
	number := func(slot int) int {
		for i, name := range k.names {
			if name == set.names[slot] {
				return i
			}
		}
		return -1
	}
	id, text, err := set.choose(nil, func(slot int) bool { return number(slot) >= 0 })
	if err != nil {
		return fmt.Errorf("%s: %w", file, thereAre(err, k.names))
	}
	used := map[int]bool{}
	if k.id = -1; id >= 0 {
		k.id = number(id)
		used[k.id] = true
	}
	for _, slot := range text {
		k.text = append(k.text, number(slot))
		used[number(slot)] = true
	}
	for i := range k.names {
		if !used[i] {
			k.unread = append(k.unread, i)
		}
	}
	return nil
}

// takeFields implements fieldSource.
func (k *keyed) takeFields(f Fields, s *schema.Schema) (err error) {
	if k.taker, err = f.taker(s, k.made != nil, usualIDs...); err == nil {
		k.ignored = k.taker.ignored
	}
	return err
}

func (k *keyed) ignoredFields() ignored { return k.ignored }

// document returns the document of the values of a record that begins at a line.
func (k *keyed) document(values [][]byte, line int64) (d Document, err error) {
	k.buf = k.buf[:0]
	for _, i := range k.text {
		if len(values[i]) > 0 && len(k.buf) > 0 {
			k.buf = append(k.buf, '\n')
		}
		k.buf = append(k.buf, values[i]...)
	}
	if d.Contents = k.buf; k.id >= 0 {
		d.ID = values[k.id]
	} else {
		d.ID = k.made.id(line)
	}
	if err = checkID(d.ID); err == nil {
		for _, i := range k.unread {
			k.ignored.count([]byte(k.names[i]), 1)
		}
	}
	return d, err
}

// take returns the id and the values of fields of a record that begins at a line.
func (k *keyed) take(values [][]byte, line int64) (id []byte, taken []schema.Value, err error) {
	k.taker.begin()
	for i, name := range k.names {
		if err := k.taker.cell([]byte(name), values[i]); err != nil {
			return nil, nil, err
		}
	}
	if id, taken, err = k.taker.end(); err == nil {
		if k.made != nil {
			id = k.made.id(line)
		}
		err = checkID(id)
	}
	return id, taken, err
}

// wiki reads pages of a wiki: of WikiExtractor, or of a dump.
type wiki struct {
	keyed
	pages interface {
		next() ([][]byte, error) // the values of the next page
		place() (file string, line int64)
	}
	in input
}

// Next implements Source.
func (w *wiki) Next() (d Document, err error) {
	values, err := w.pages.next()
	if err != nil {
		return d, err
	}
	_, line := w.place()
	if d, err = w.document(values, line); err != nil {
		return Document{}, w.bad(err)
	}
	return d, nil
}

// nextValues implements fieldSource.
func (w *wiki) nextValues() (id []byte, taken []schema.Value, err error) {
	values, err := w.pages.next()
	if err != nil {
		return nil, nil, err
	}
	_, line := w.place()
	if id, taken, err = w.take(values, line); err != nil {
		return nil, nil, w.bad(err)
	}
	return id, taken, nil
}

func (w *wiki) place() (file string, line int64) { return w.pages.place() }

func (w *wiki) bad(err error) error {
	file, line := w.place()
	return &Error{File: file, Line: line, Offset: -1, Recoverable: true, Err: err}
}

// BytesRead implements Source.
func (w *wiki) BytesRead() int64 { return bytesRead(w.in) }

// Close implements Source.
func (w *wiki) Close() error { return closeInput(w.in) }

// extracted reads what WikiExtractor writes: elements <doc id="..." url="..." title="...">, in which text follows the title.
type extracted struct {
	*TREC
	markup markup
}

// extractedKeys are those of the JSON objects that it can write too.
var extractedKeys = []string{"id", "url", "title", "text"}

func newExtracted(file string, r io.Reader) (*wiki, *lines) {
	t := NewTREC(file, r)
	return &wiki{keyed: keyed{names: extractedKeys}, pages: &extracted{TREC: t}, in: t.in}, t.lines
}

// startsExtracted reports whether text begins with an element of WikiExtractor.
func startsExtracted(text []byte) bool {
	at, _, tag := docTag(text[:min(len(text), 1<<10)])
	return at == 0 && bytes.Contains(tag, []byte(` url="`)) && bytes.Contains(tag, []byte(` title="`))
}

// next returns the values of the next element.
func (e *extracted) next() ([][]byte, error) {
	if err := e.gather(); err != nil {
		return nil, err
	}
	title := attribute(e.tag, "title")
	if _, rest, ok := bytes.Cut(e.tag, []byte(` title="`)); ok { // titles may have quotation marks
		if end := bytes.LastIndexByte(rest, '"'); end >= 0 {
			title = rest[:end]
		}
	}
	text := bytes.TrimSpace(e.buf)
	if rest, ok := bytes.CutPrefix(text, title); ok && (len(rest) == 0 || rest[0] == '\n' || rest[0] == '\r') {
		text = rest
	}
	e.markup = markup{}
	e.text = e.markup.appendText(e.text[:0], text)
	title = []byte(html.UnescapeString(string(title)))
	return [][]byte{attribute(e.tag, "id"), attribute(e.tag, "url"), title, bytes.TrimSpace(e.text)}, nil
}

// dump reads the pages of a dump of a wiki as MediaWiki exports it, in XML: the last revision of each article. Pages of other
// namespaces than that of articles, and redirects, are passed over and counted.
type dump struct {
	lines  *lines
	rest   []byte // what follows the last page on its line
	buf    []byte // a page
	text   []byte
	line   int64 // on which the page begins
	passed map[string]uint64
}

var dumpKeys = []string{"id", "title", "text"}

func newDump(file string, r io.Reader) (*wiki, *lines) {
	d := &dump{lines: newLines(file, r), passed: map[string]uint64{}}
	return &wiki{keyed: keyed{names: dumpKeys}, pages: d, in: asInput(r)}, d.lines
}

// startsDump reports whether text begins with a dump.
func startsDump(text []byte) bool {
	if bytes.HasPrefix(text, []byte("<?xml")) {
		if _, rest, ok := bytes.Cut(text, []byte("?>")); ok {
			text = bytes.TrimLeft(rest, " \t\r\n")
		}
	}
	return bytes.HasPrefix(text, []byte("<mediawiki"))
}

func (d *dump) place() (file string, line int64) { return d.lines.file, d.line }

// next returns the values of the next article.
func (d *dump) next() ([][]byte, error) {
	for {
		if err := d.gather(); err != nil {
			return nil, err
		}
		head, _, _ := bytes.Cut(d.buf, []byte("<revision"))
		switch {
		case !bytes.Equal(inside(head, "ns"), []byte("0")) && bytes.Contains(head, []byte("<ns>")):
			d.passed["pages that are no articles"]++
		case bytes.Contains(head, []byte("<redirect")):
			d.passed["redirects"]++
		default:
			d.text = appendWikitext(d.text[:0], lastText(d.buf))
			return [][]byte{bytes.TrimSpace(inside(head, "id")), unescaped(inside(head, "title")), bytes.TrimSpace(d.text)}, nil
		}
	}
}

// gather collects the next page in d.buf.
func (d *dump) gather() error {
	d.buf = d.buf[:0]
	within, long := false, false
	for {
		b, err := d.rest, error(nil)
		if d.rest = nil; len(b) == 0 {
			b, err = d.lines.next()
		}
		switch {
		case err == io.EOF && within:
			return d.bad("the file ends inside this page")
		case Recoverable(err) && within:
			long = true
			continue
		case Recoverable(err):
			d.line = d.lines.line
			return err
		case err != nil:
			return err
		}
		if !within {
			_, rest, ok := bytes.Cut(b, []byte("<page>"))
			if !ok {
				continue
			}
			within, d.line, b = true, d.lines.line, rest
		}
		page, rest, ended := bytes.Cut(b, []byte("</page>"))
		d.rest = rest
		if long = long || len(d.buf)+len(page) > d.lines.limit; !long {
			d.buf = append(append(d.buf, page...), '\n')
		}
		if ended && long {
			return d.bad(fmt.Sprintf("the page is longer than %d bytes", d.lines.limit))
		}
		if ended {
			return nil
		}
	}
}

func (d *dump) bad(msg string) error {
	return &Error{File: d.lines.file, Line: d.line, Offset: -1, Recoverable: true, Msg: msg}
}

// inside returns what the first element of a name holds; elements of dumps have no others of their name in them.
func inside(b []byte, name string) []byte {
	_, rest, ok := bytes.Cut(b, []byte("<"+name+">"))
	if !ok {
		return nil
	}
	content, _, _ := bytes.Cut(rest, []byte("</"+name+">"))
	return content
}

// lastText returns the text of the last revision of a page, which is empty if it was deleted.
func lastText(page []byte) []byte {
	at := bytes.LastIndex(page, []byte("<text"))
	if at < 0 {
		return nil
	}
	tag, rest, ok := bytes.Cut(page[at:], []byte(">"))
	if !ok || bytes.HasSuffix(tag, []byte("/")) {
		return nil
	}
	content, _, _ := bytes.Cut(rest, []byte("</text>"))
	return unescaped(content)
}

// unescaped returns b with characters for their references.
func unescaped(b []byte) []byte {
	if bytes.IndexByte(b, '&') < 0 {
		return b
	}
	return []byte(html.UnescapeString(string(b)))
}
