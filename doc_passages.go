package pinion

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"strings"
	"unsafe"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Passage is a part of a stored text.
type Passage struct {
	// Field is the name of the field that the text is in.
	Field string
	// Text is the passage, as it is in the stored text.
	Text string
	// Spans are the words of the query in Text, in order.
	Spans []Span
	// Start is the byte at which the passage begins in the stored text, and Line the number of the line of that byte, from 1.
	// Of several texts of a document in the field they are those of the one that the passage is from.
	Start, Line int
	// Before and Behind say whether the stored text goes on there.
	Before, Behind bool
	tag            string // Snippet.Tag
}

// HTML returns the passage as HTML: its text as package html escapes it, with the words of the query in an element of
// Snippet.Tag.
func (p *Passage) HTML() string {
	var b strings.Builder
	p.appendHTML(&b)
	return b.String()
}

func (p *Passage) appendHTML(b *strings.Builder) {
	tag, at := cmp.Or(p.tag, defaultTag), 0
	for _, s := range p.Spans {
		if s.Start < at || s.End < s.Start || s.End > len(p.Text) {
			continue
		}
		b.WriteString(html.EscapeString(p.Text[at:s.Start]))
		b.WriteString("<" + tag + ">")
		b.WriteString(html.EscapeString(p.Text[s.Start:s.End]))
		b.WriteString("</" + tag + ">")
		at = s.End
	}
	b.WriteString(html.EscapeString(p.Text[at:]))
}

// defaultTag is the default of Snippet.Tag.
const defaultTag = "mark"

// HTML returns the passages that the hit has of a field as HTML, as Passage.HTML does, with an ellipsis between two. It is "" if there are none.
func (h *Hit) HTML(field string) string {
	var b strings.Builder
	for i := range h.Passages {
		if p := &h.Passages[i]; p.Field == nameOf(field) {
			if b.Len() > 0 {
				b.WriteString(" … ")
			}
			p.appendHTML(&b)
		}
	}
	return b.String()
}

// Passage returns the first passage of the hit, or the zero Passage if it has none.
func (h *Hit) Passage() Passage {
	if len(h.Passages) == 0 {
		return Passage{}
	}
	return h.Passages[0]
}

// check returns what is wrong with s for an index with fields.
func (s *Snippet) check(of *fields) error {
	switch {
	case s.Length < 0:
		return fmt.Errorf("%w: a snippet of %d characters", query.ErrInvalid, s.Length)
	case s.Count < 0:
		return fmt.Errorf("%w: a snippet of %d passages", query.ErrInvalid, s.Count)
	case s.Field != "" && len(s.Fields) > 0:
		return fmt.Errorf("%w: a snippet of field %q and of the fields %q: one of Field and Fields is set", query.ErrInvalid, s.Field, s.Fields)
	case strings.ContainsFunc(s.Tag, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-')
	}):
		return fmt.Errorf("%w: a snippet with the tag %q: it is the name of an element", query.ErrInvalid, s.Tag)
	case len(s.Fields) > 0:
		for _, name := range s.Fields {
			if err := checkTexts(of, name); err != nil {
				return err
			}
		}
	case s.Field != "":
		return checkTexts(of, s.Field)
	case len(of.all) == 1 && of.all[0].Kind == schema.Text:
		return checkTexts(of, of.all[0].Name)
	}
	return nil
}

// checkTexts returns an error if passages cannot be of a field.
func checkTexts(of *fields, name string) error {
	i, err := of.stored(name)
	if err == nil && of.all[i].Kind != schema.Text {
		err = fmt.Errorf("%w: a snippet of field %q, which is of kind %v", query.ErrInvalid, name, of.all[i].Kind)
	}
	return err
}

// setPassages sets the passages of a hit.
func (st *scratch) setPassages(h *Hit, d *document, s *Snippet, own *memory) error {
	from := len(own.passages)
	for i := range max(len(s.Fields), 1) {
		name := s.Field
		if len(s.Fields) > 0 {
			name = s.Fields[i]
		}
		if err := st.appendPassages(d, name, s, own); err != nil {
			return err
		}
	}
	h.Passages = own.passages[from:len(own.passages):len(own.passages)]
	return nil
}

// appendPassages appends the passages of one field, or of the one with the best if the name is "".
func (st *scratch) appendPassages(d *document, name string, s *Snippet, own *memory) error {
	c, p, err := st.passage(d, name, cmp.Or(s.Length, DefaultSnippetLength))
	if err != nil || c.text == nil {
		return err
	}
	parts := append(st.found[:0], region{p.from, p.to})
	for len(parts) < s.Count {
		more, ok := st.another(c, parts, cmp.Or(s.Length, DefaultSnippetLength))
		if !ok {
			break
		}
		parts = more
	}
	for i, x := range parts {
		marks := p.marks
		if len(parts) > 1 {
			marks = st.parts.join(st.marks, x.from, x.to)
		}
		lines, at := 1, 0
		if i > 0 {
			lines, at = own.passages[len(own.passages)-1].Line, parts[i-1].from
		}
		own.passages = append(own.passages, Passage{
			Field: d.fields.nameOf(c.field), Text: asString(own.keep(c.text[x.from:x.to])), Spans: own.spansOf(marks, x.from), tag: s.Tag,
			Start: x.from, Line: lines + bytes.Count(c.text[at:x.from], newline), Before: x.from > 0, Behind: x.to < len(c.text)})
	}
	st.found = parts
	return nil
}

var newline = []byte{'\n'}

// region is a part of a text.
type region struct{ from, to int }

// another returns parts, which are in order, with the best passage that overlaps none of them. It reports whether there is one with a word of the query.
func (st *scratch) another(c candidate, parts []region, length int) ([]region, bool) {
	var best region
	var weight float32
	place, at := 0, 0
	terms := st.words.fields[c.field].terms
	for i := 0; i <= len(parts); i++ {
		end := len(c.text)
		if i < len(parts) {
			end = parts[i].from
		}
		st.inside = st.inside[:0]
		for _, m := range st.marks {
			if m.start >= at && m.end <= end {
				m.start, m.end = m.start-at, m.end-at
				st.inside = append(st.inside, m)
			}
		}
		if len(st.inside) > 0 {
			text := c.text[at:end]
			w := st.parts.heaviest(text, st.inside, terms, length)
			if w.weight > weight*(1+nearly) {
				p := st.parts.around(text, st.inside, w, length)
				best, weight, place = region{at + p.from, at + p.to}, w.weight, i
			}
		}
		if i < len(parts) {
			at = parts[i].to
		}
	}
	if weight == 0 {
		return parts, false
	}
	parts = append(parts, region{})
	copy(parts[place+1:], parts[place:])
	parts[place] = best
	return parts, true
}

// spansOf returns marks as spans of a passage that begins at from.
func (m *memory) spansOf(marks []mark, from int) []Span {
	n := len(m.spans)
	for _, x := range marks {
		m.spans = append(m.spans, Span{x.start - from, x.end - from})
	}
	return m.spans[n:len(m.spans):len(m.spans)]
}

// asString returns bytes that do not change any more as a string.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
