// Package encodings finds out how a text is encoded, and decodes what is not UTF-8.
//
// A text declares its encoding by a byte order mark, an XML declaration, or a meta element of HTML; the first of these counts.
package encodings

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"regexp"
	"strings"
	"sync/atomic"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Encoding is an encoding of text. The zero value is UTF-8.
type Encoding struct {
	of   encoding.Encoding
	name string
}

// UTF8 reports whether text in e is UTF-8 as it stands.
func (e Encoding) UTF8() bool { return e.of == nil }

// String returns the name that the web has for e.
func (e Encoding) String() string {
	if e.UTF8() {
		return "utf-8"
	}
	return e.name
}

// Named returns the encoding that has a name on the web, such as windows-1252; "" is UTF-8.
func Named(name string) (Encoding, error) {
	if name == "" {
		return Encoding{}, nil
	}
	of, err := htmlindex.Get(name)
	if err != nil {
		return Encoding{}, unknown(name)
	}
	canonical, err := htmlindex.Name(of)
	switch {
	case err != nil || of == encoding.Replacement:
		return Encoding{}, unknown(name)
	case canonical == "utf-8":
		return Encoding{}, nil
	}
	return Encoding{of, canonical}, nil
}

func unknown(name string) error {
	return fmt.Errorf("unknown encoding %q: they have the names of the web, such as windows-1252, iso-8859-2, koi8-r, utf-16le, shift_jis and gbk", name)
}

// DeclarationSize is how many bytes of a text Of looks at.
const DeclarationSize = 1024

// Of returns the encoding of a text that begins with head: the one that it declares, or else other.
func Of(head []byte, other Encoding) Encoding {
	if e, ok := marked(head); ok {
		return e
	}
	text := bytes.TrimLeft(head, " \t\r\n\f")
	if len(text) == 0 || text[0] != '<' {
		return other
	}
	if m := declaration.FindSubmatch(text); m != nil {
		if e, err := Named(string(m[1])); err == nil {
			return readable(e)
		}
	}
	if page.Match(text) {
		return OfPage(head, "", other)
	}
	return other
}

var (
	declaration = regexp.MustCompile(`^<\?xml(?:\s[^>]*?)?\sencoding\s*=\s*["']([^"'>]+)["']`)
	page        = regexp.MustCompile(`(?i)^(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)*<(?:!doctype\s+html|html|head|meta)[\s>]`)
)

// OfPage returns the encoding of a page of HTML that begins with head, as a browser finds it that was told contentType, which may be
// empty; without a declaration it is other.
func OfPage(head []byte, contentType string, other Encoding) Encoding {
	if e, ok := marked(head); ok {
		return e
	}
	if m := declaration.FindSubmatch(bytes.TrimLeft(head, " \t\r\n\f")); m != nil && contentType == "" {
		if e, err := Named(string(m[1])); err == nil {
			return readable(e)
		}
	}
	if e, ok := parameter(contentType); ok {
		return readable(e)
	}
	z := html.NewTokenizer(bytes.NewReader(head[:min(len(head), DeclarationSize)]))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return other
		case html.StartTagToken, html.SelfClosingTagToken:
			if e, ok := meta(z.Token()); ok {
				return readable(e)
			}
		}
	}
}

// meta returns the encoding that an element of HTML declares.
func meta(t html.Token) (Encoding, bool) {
	if t.DataAtom != atom.Meta {
		return Encoding{}, false
	}
	content, isType := "", false
	for _, a := range t.Attr {
		switch a.Key {
		case "charset":
			e, err := Named(a.Val)
			return e, err == nil && a.Val != ""
		case "content":
			content = a.Val
		case "http-equiv":
			isType = strings.EqualFold(a.Val, "content-type")
		}
	}
	if !isType {
		return Encoding{}, false
	}
	return parameter(content)
}

// parameter returns the encoding in what HTTP calls a content type.
func parameter(contentType string) (Encoding, bool) {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil || params["charset"] == "" {
		return Encoding{}, false
	}
	e, err := Named(params["charset"])
	return e, err == nil
}

// readable returns what a declaration of e means that could be read as ASCII: UTF-16 is not what it says.
func readable(e Encoding) Encoding {
	if e.name == "utf-16le" || e.name == "utf-16be" {
		return Encoding{}
	}
	return e
}

// marked returns the encoding of which head begins with the byte order mark.
func marked(head []byte) (Encoding, bool) {
	switch {
	case bytes.HasPrefix(head, []byte("\ufeff")):
		return Encoding{}, true
	case bytes.HasPrefix(head, []byte("\xff\xfe\x00\x00")): // UTF-32, which is not read
		return Encoding{}, true
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return Encoding{unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16le"}, true
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return Encoding{unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "utf-16be"}, true
	}
	return Encoding{}, false
}

// Decode returns text as UTF-8, without a byte order mark. What is not in the encoding becomes U+FFFD.
func (e Encoding) Decode(text []byte) []byte {
	if !e.UTF8() {
		if decoded, err := e.of.NewDecoder().Bytes(text); err == nil {
			text = decoded
		}
	}
	return bytes.TrimPrefix(text, []byte("\ufeff"))
}

// NewReader returns a reader of r as UTF-8, which tells lost of what is not in the encoding: it becomes U+FFFD. UTF-8 is left as it is.
func (e Encoding) NewReader(r io.Reader, lost *Lost) io.Reader {
	if e.UTF8() {
		return r
	}
	return transform.NewReader(r, &watched{Transformer: e.of.NewDecoder(), to: lost})
}

// Lost counts characters that were not in their encoding. It is safe for concurrent use.
type Lost struct{ n, line atomic.Int64 }

// Count returns how many there are, and the line of the first, from 1.
func (l *Lost) Count() (n, line int64) { return l.n.Load(), l.line.Load() }

// watched is a decoder that looks at what it makes.
type watched struct {
	transform.Transformer
	to    *Lost
	lines int64 // line feeds before
}

// Transform implements transform.Transformer.
func (w *watched) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	nDst, nSrc, err = w.Transformer.Transform(dst, src, atEOF)
	text := dst[:nDst]
	if n := bytes.Count(text, []byte("\ufffd")); n > 0 {
		if w.to.n.Load() == 0 {
			first := text[:bytes.Index(text, []byte("\ufffd"))]
			w.to.line.Store(w.lines + int64(bytes.Count(first, []byte("\n"))) + 1)
		}
		w.to.n.Add(int64(n))
	}
	w.lines += int64(bytes.Count(text, []byte("\n")))
	return nDst, nSrc, err
}
