package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pinion-index/pinion/schema"
)

// JSONL reads one JSON object per line. It takes the fields of Fields, in any order: the
// id is a string or a number, which is taken as it is written, and the parts of the text
// are strings; title and headings may be null. Other fields are ignored and counted. It skips blank
// lines. Field names are case-sensitive and must not repeat, and lines must be valid
// UTF-8. Half a surrogate pair (\ud800) becomes U+FFFD in a text, and is an error in an id.
type JSONL struct {
	lines   *lines
	whole   *outermost // nil: objects are lines
	bulk    *bulk      // nil: no lines are actions
	in      input
	scanner scanner
	made    *madeIDs // nil: ids are read
	ignored ignored
	objects *objects // nil: documents are text alone
	one     [1]schema.Value
}

// NewJSONL reads from r; file is its name in errors.
func NewJSONL(file string, r io.Reader) *JSONL {
	j := &JSONL{lines: newLines(file, r), in: asInput(r), ignored: ignored{}}
	j.SetFields(Fields{})
	return j
}

// SetFields names the fields to read. It must be called before Next.
func (j *JSONL) SetFields(f Fields) { j.scanner.fields = f.set(j.givesID(f)) }

// givesID reports whether the id is not one of the fields f.
func (j *JSONL) givesID(f Fields) bool {
	if j.bulk != nil {
		j.bulk.named = f.ID != ""
		return j.made != nil || !j.bulk.named
	}
	return j.made != nil
}

// record returns the bytes of the next object.
func (j *JSONL) record() ([]byte, error) {
	switch {
	case j.whole != nil:
		return j.whole.next()
	case j.bulk != nil:
		return j.bulk.next()
	}
	return j.lines.next()
}

// line returns the line on which the last record begins.
func (j *JSONL) line() int64 {
	switch {
	case j.whole != nil:
		return j.whole.line
	case j.bulk != nil:
		return j.bulk.line
	}
	return j.lines.line
}

// given returns the id of the last record, if that is made up or in its action, and else id.
func (j *JSONL) given(id []byte) ([]byte, error) {
	switch {
	case j.made != nil:
		id = j.made.id(j.line())
	case j.bulk != nil && !j.bulk.named:
		if id = j.bulk.id; len(id) == 0 {
			return nil, errors.New(`the action has no "_id"`)
		}
	}
	return id, checkID(id)
}

// Ignored returns how many fields were not read.
func (j *JSONL) Ignored() uint64 {
	n := uint64(0)
	for _, k := range j.ignored {
		n += k
	}
	return n
}

func (j *JSONL) ignoredFields() ignored { return j.ignored }

func (j *JSONL) zeroedWeights() uint64 {
	if j.objects == nil {
		return 0
	}
	return j.objects.zeroed
}

// Next implements Source.
func (j *JSONL) Next() (Document, error) {
	for {
		b, err := j.record()
		if err != nil {
			return Document{}, err
		}
		d, ok := j.scanner.scan(b)
		if !ok {
			if len(bytes.Trim(b, " \t\r")) == 0 {
				continue
			}
			if d, err = j.scanner.decode(b); err != nil {
				return Document{}, j.bad(b, err)
			}
		}
		if d.ID, err = j.given(d.ID); err != nil {
			return Document{}, j.bad(b, err)
		}
		for _, name := range j.scanner.unread {
			j.ignored.count(name, 1)
		}
		return d, nil
	}
}

// SetSchema makes j read objects into the fields of a schema, by NextValues. It must be called before that; the error is
// that f does not fit the schema.
func (j *JSONL) SetSchema(f Fields, s *schema.Schema) error {
	switch {
	case s == nil:
		return fmt.Errorf("%w: no schema", ErrInvalid)
	case s.IsImplicit():
		j.SetFields(f)
		return nil
	}
	return j.takeFields(f, s)
}

// NextValues returns the id and the values of the next object, or io.EOF after the last, as Documents.NextValues does.
func (j *JSONL) NextValues() (id []byte, values []schema.Value, err error) {
	if j.objects == nil {
		d, err := j.Next()
		if err != nil {
			return nil, nil, err
		}
		j.one[0] = schema.TextValue(0, d.Contents)
		return d.ID, j.one[:], nil
	}
	return j.nextValues()
}

// nextValues implements fieldSource.
func (j *JSONL) nextValues() (id []byte, values []schema.Value, err error) {
	for {
		b, err := j.record()
		if err != nil {
			return nil, nil, err
		}
		if len(bytes.Trim(b, " \t\r")) == 0 {
			continue
		}
		id, values, err := j.objects.read(b)
		if err == nil {
			id, err = j.given(id)
		}
		if err != nil {
			return nil, nil, j.bad(b, err)
		}
		return id, values, nil
	}
}

// takeFields implements fieldSource.
func (j *JSONL) takeFields(f Fields, s *schema.Schema) error {
	t, err := f.taker(s, j.givesID(f), usualIDs...)
	if err == nil {
		t.ignored = j.ignored
		j.objects = &objects{taker: t}
	}
	return err
}

// bad is an error about the last record, b.
func (j *JSONL) bad(b []byte, err error) error {
	if errors.Is(err, ErrNoField) {
		if key := arrayOf(b); key != "" {
			err = fmt.Errorf("%w; what jq -c '.[%.40q][]' prints of the file are the objects of that array, which can be read", err, key)
		}
	}
	return &Error{File: j.lines.file, Line: j.line(), Offset: -1, Recoverable: true, Err: err}
}

// BytesRead implements Source.
func (j *JSONL) BytesRead() int64 { return bytesRead(j.in) }

// Close implements Source.
func (j *JSONL) Close() error { return closeInput(j.in) }

// decode decodes a line with encoding/json. It decides whenever scan gives up, and
// returns the document or the reason why there is none.
func (s *scanner) decode(line []byte) (d Document, err error) {
	if !utf8.Valid(line) {
		return d, invalidLine(line)
	}
	var whole json.RawMessage
	if err := json.Unmarshal(line, &whole); err != nil {
		return d, jsonFailure(line, err)
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return d, errors.New("a JSON object is wanted")
	}
	values, names := make([]json.RawMessage, len(s.fields.names)), []string(nil)
	s.unread = s.unread[:0]
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return d, err
		}
		name, _ := t.(string) // the decoder accepts only strings here
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return d, err
		}
		slot := s.fields.find([]byte(name))
		names = append(names, name)
		switch {
		case slot < 0:
			s.unread = append(s.unread, []byte(name))
		case values[slot] != nil:
			return d, fmt.Errorf("field %q comes twice", name)
		default:
			values[slot] = value
		}
	}
	if d, err = s.assemble(values); errors.Is(err, ErrNoField) {
		err = thereAre(err, names)
	}
	return d, err
}

// assemble makes a document of the values of fields.
func (s *scanner) assemble(values []json.RawMessage) (d Document, err error) {
	for slot, v := range values {
		if s.fields.optional(slot) && string(v) == "null" {
			values[slot] = nil // as if it were not there
		}
	}
	id, text, err := s.fields.choose(nil, func(slot int) bool { return values[slot] != nil })
	if err != nil {
		return d, err
	}
	if id >= 0 {
		if d.ID, err = idOf(values[id]); err != nil {
			return d, fmt.Errorf("field %q %w", s.fields.names[id], err)
		}
		values[id] = nil
	}
	var parts []string
	for _, slot := range text {
		var part *string
		if err := json.Unmarshal(values[slot], &part); err != nil || part == nil {
			return d, fmt.Errorf("field %q is not a string", s.fields.names[slot])
		}
		if *part != "" {
			parts = append(parts, *part)
		}
		values[slot] = nil
	}
	for slot, v := range values {
		if v != nil {
			s.unread = append(s.unread, []byte(s.fields.names[slot]))
		}
	}
	d.Contents = []byte(strings.Join(parts, "\n"))
	return d, nil
}

// idOf returns the id that a JSON value stands for: a string or a number.
func idOf(v json.RawMessage) ([]byte, error) {
	switch jsontext.Value(v).Kind() {
	case '0':
		return v, nil
	case '"':
		id, err := jsontext.AppendUnquote(nil, []byte(v))
		if err != nil {
			return nil, fmt.Errorf("is %.80s, which has half a surrogate pair: it is no text", v)
		}
		return id, nil
	}
	return nil, errors.New("is not a string or a number")
}

// namedKeys is how many keys of a record an error names.
const namedKeys = 8

// thereAre adds to err, that a field is missing, which others there are.
func thereAre(err error, names []string) error {
	if len(names) == 0 {
		return err
	}
	list := fmt.Sprintf("%.40q", names[:min(len(names), namedKeys)])
	if len(names) > namedKeys {
		list += " and more"
	}
	return fmt.Errorf("%w; there are %s", err, list)
}

// jsonFailure describes err, which encoding/json returned for line.
func jsonFailure(line []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("broken JSON: %w", err)
	}
	if syntax.Error() == "unexpected end of JSON input" {
		return errors.New("broken JSON: the line ends inside the object")
	}
	return fmt.Errorf("broken JSON at byte %d of the object: %w", syntax.Offset, err)
}

// invalidLine is the error for an object that is not UTF-8.
func invalidLine(line []byte) error {
	return fmt.Errorf("byte %d of the object is %w", invalidUTF8(line)+1, ErrNotUTF8)
}

// invalidUTF8 returns the index of the first byte that is not valid UTF-8.
func invalidUTF8(b []byte) int {
	i := 0
	for i < len(b) {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return i
}
