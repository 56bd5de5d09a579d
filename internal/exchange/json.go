package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// outermost finds the outermost objects of JSON text: the elements of an array, or objects one after the other, over any
// number of lines. It holds one object at a time.
type outermost struct {
	lines *lines
	line  int64 // on which the last object begins
	where place
}

// place is where in the text an object is looked for.
type place int

const (
	outside place = iota // of an array
	opened               // behind [
	behind               // an element
	before               // an element, behind a comma
)

// next returns the next object, or io.EOF. It is valid until the next call.
func (o *outermost) next() ([]byte, error) {
	l := o.lines
	if l == nil {
		return nil, ErrClosed
	}
	for {
		c, err := o.skipSpace()
		switch {
		case err == io.EOF && o.where == outside:
			return nil, err
		case err == io.EOF:
			return nil, o.broken("the file ends inside the array")
		case err != nil:
			return nil, err
		case c == '{' && o.where != behind:
			if o.where != outside {
				o.where = behind
			}
			return o.object()
		case c == '[' && o.where == outside:
			o.where = opened
		case c == ']' && (o.where == opened || o.where == behind):
			o.where = outside
		case c == ',' && o.where == behind:
			o.where = before
		case o.where == behind:
			return nil, o.broken(fmt.Sprintf("a comma or ] is wanted, not %q", c))
		default:
			return nil, o.broken(fmt.Sprintf("an object is wanted, not %q", c))
		}
		l.pos++
	}
}

// broken is an error after which nothing can be read.
func (o *outermost) broken(msg string) error {
	return &Error{File: o.lines.file, Line: o.lines.line, Offset: -1, Msg: "broken JSON: " + msg}
}

// skipSpace returns the next byte that is no white space, which it leaves unread.
func (o *outermost) skipSpace() (byte, error) {
	l := o.lines
	if l.line == 0 {
		for l.end < len("\ufeff") && l.err == nil {
			l.more()
		}
		if l.line = 1; bytes.HasPrefix(l.buf[:l.end], []byte("\ufeff")) {
			l.pos = len("\ufeff")
		}
	}
	for {
		for ; l.pos < l.end; l.pos++ {
			switch c := l.buf[l.pos]; c {
			case '\n':
				l.line++
			case ' ', '\t', '\r':
			default:
				return c, nil
			}
		}
		if l.err == io.EOF {
			return 0, io.EOF
		}
		if l.err != nil {
			return 0, readFailure(l.file, l.line, -1, l.err)
		}
		l.more()
	}
}

// object returns the object that begins here. Whether what is in it is JSON is for others to find.
func (o *outermost) object() ([]byte, error) {
	l, n := o.lines, 0 // bytes of it
	o.line = l.line
	depth, quoted, long := 0, false, false
	for {
		for ; l.pos+n < l.end; n++ {
			c := l.buf[l.pos+n]
			switch {
			case c == '\n':
				l.line++
			case quoted && c == '\\':
				n++
			case c == '"':
				quoted = !quoted
			case quoted:
			case c == '{':
				depth++
			case c == '}':
				if depth--; depth > 0 {
					continue
				}
				b := l.buf[l.pos : l.pos+n+1]
				l.pos += n + 1
				if long || len(b) > l.limit {
					return nil, o.bad(fmt.Sprintf("the object is longer than %d bytes", l.limit), true)
				}
				return b, nil
			}
		}
		if n > l.limit { // the rest is passed over
			cut := min(n, l.end-l.pos)
			long, l.pos, n = true, l.pos+cut, n-cut
		}
		if l.err == io.EOF {
			return nil, o.bad("the file ends inside this object: is a quote or a brace missing?", false)
		}
		if l.err != nil {
			return nil, readFailure(l.file, l.line, -1, l.err)
		}
		l.more()
	}
}

// bad is an error about the last object.
func (o *outermost) bad(msg string, recoverable bool) error {
	return &Error{File: o.lines.file, Line: o.line, Offset: -1, Recoverable: recoverable, Msg: msg}
}

// bulk reads the lines of an Elasticsearch bulk request, which are in turn actions, such as {"index": {"_id": "1"}}, and documents.
type bulk struct {
	lines *lines
	line  int64 // of the last action
	id    []byte
	named bool // the id is a field of the document
}

// next returns the next document, or io.EOF. It is valid until the next call.
func (x *bulk) next() ([]byte, error) {
	for {
		b, err := x.lines.next()
		if err != nil {
			return nil, err
		}
		if len(bytes.Trim(b, " \t\r")) == 0 {
			continue
		}
		x.line = x.lines.line
		action, id, err := parseAction(b)
		if err != nil {
			return nil, x.bad(err)
		}
		x.id = append(x.id[:0], id...)
		if action == "delete" {
			return nil, x.bad(errors.New("the action delete is not read: documents are deleted by a list of ids"))
		}
		if b, err = x.lines.next(); err == io.EOF {
			return nil, x.bad(errors.New("the file ends behind this action"))
		}
		if err == nil && action == "update" {
			err = x.bad(errors.New("the action update is not read: it has a part of a document"))
		}
		return b, err
	}
}

func (x *bulk) bad(err error) error {
	return &Error{File: x.lines.file, Line: x.line, Offset: -1, Recoverable: true, Err: err}
}

// actions are those that a bulk request can have.
var actions = map[string]bool{"index": true, "create": true, "update": true, "delete": true}

// parseAction returns the action of a line of a bulk request, and the id, which is empty if the line has none.
func parseAction(line []byte) (action string, id []byte, err error) {
	var object map[string]struct {
		ID json.RawMessage `json:"_id"`
	}
	if err = json.Unmarshal(line, &object); err == nil && len(object) == 1 {
		for name, of := range object {
			if action = name; actions[name] {
				if of.ID != nil && string(of.ID) != "null" {
					if id, err = idOf(of.ID); err != nil {
						err = fmt.Errorf("_id %w", err)
					}
				}
				return action, id, err
			}
		}
	}
	return "", nil, errors.New(`an action such as {"index": {"_id": "1"}} is wanted`)
}

// jsonFormat returns which form of JSON a text has that begins with head, or "". All says whether head is the whole text.
func jsonFormat(head []byte, all bool) Format {
	if len(head) == 0 || head[0] != '{' && head[0] != '[' {
		return ""
	}
	dec := json.NewDecoder(bytes.NewReader(head))
	if head[0] == '[' {
		dec.Token()
		rest := bytes.TrimLeft(head[1:], " \t\r\n")
		if len(rest) > 0 && rest[0] != '{' || len(rest) == 0 && all {
			return ""
		}
	}
	var first json.RawMessage
	err := dec.Decode(&first)
	cut := !all && (err == io.EOF || err == io.ErrUnexpectedEOF) // the end of head
	if err != nil && !cut {
		return ""
	}
	if head[0] == '[' {
		return FormatJSON
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	switch {
	case cut && len(line) < len(head), err == nil && len(bytes.TrimSpace(line)) != int(dec.InputOffset()):
		return FormatJSON
	case err != nil:
		return FormatJSONL
	}
	if _, _, err := parseAction(line); err == nil {
		return FormatBulk
	}
	return FormatJSONL
}

// firstKeys returns the keys of the first object in JSON that begins with head, as far as head has them.
func firstKeys(head []byte) (keys []string) {
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimLeft(head, "[ \t\r\n")))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for dec.More() {
		t, err := dec.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return keys
		}
		keys = append(keys, key)
		if dec.Decode(new(json.RawMessage)) != nil {
			return keys
		}
	}
	return keys
}

// arrayOf returns the first key of an object that has an array of objects, or "".
func arrayOf(object []byte) string {
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.Token()
	for dec.More() {
		key, _ := dec.Token()
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			break
		}
		if rest, ok := bytes.CutPrefix(value, []byte("[")); ok && bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte("{")) {
			name, _ := key.(string)
			return name
		}
	}
	return ""
}
