package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pinion-index/pinion/writer"
)

// JSONL reads one JSON object per line. The fields id and contents, or those that SetFields
// names, are strings, in any order; others are ignored and counted. It skips blank lines.
// Field names are case-sensitive and must not repeat, and lines must be valid UTF-8.
type JSONL struct {
	lines   *lines
	in      input
	scanner scanner
	fields  Fields
	ignored uint64
}

// ErrNoField is matched by errors about an object without one of the fields to read.
var ErrNoField = errors.New("is missing")

// Fields names the fields of JSON objects that make a document.
type Fields struct {
	// ID is the field of the external id.
	ID string
	// Contents are the fields of the text, joined by line feeds. All must be there.
	Contents []string
}

// ParseFields parses "id=FIELD,contents=FIELD+FIELD..."; what is left out keeps its name.
func ParseFields(text string) (Fields, error) {
	f := defaultFields()
	seen := map[string]bool{}
	for _, part := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(part, "=")
		names := strings.Split(value, "+")
		switch {
		case !ok || slices.Contains(names, ""):
			return f, fmt.Errorf("%q is not of the form id=FIELD,contents=FIELD+FIELD", text)
		case key == "id" && len(names) == 1:
			f.ID = value
		case key == "contents":
			f.Contents = names
		default:
			return f, fmt.Errorf("%q: documents have one id, and contents", part)
		}
		if seen[key] {
			return f, fmt.Errorf("%s is given twice", key)
		}
		seen[key] = true
	}
	all := append([]string{f.ID}, f.Contents...)
	slices.Sort(all)
	if len(slices.Compact(all)) != 1+len(f.Contents) {
		return f, fmt.Errorf("%q uses a field twice", text)
	}
	return f, nil
}

func defaultFields() Fields { return Fields{ID: "id", Contents: []string{"contents"}} }

// find returns 0 for the field of the id, 1 and up for those of the contents, and -1 for
// others.
func (f *Fields) find(name []byte) int {
	if string(name) == f.ID {
		return 0
	}
	for i := range f.Contents {
		if string(name) == f.Contents[i] {
			return i + 1
		}
	}
	return -1
}

// NewJSONL reads from r; file is its name in errors.
func NewJSONL(file string, r io.Reader) *JSONL {
	return &JSONL{lines: newLines(file, r), in: asInput(r), fields: defaultFields()}
}

// SetFields names the fields to read. It must be called before Next.
func (j *JSONL) SetFields(f Fields) { j.fields = f }

// Ignored returns how many fields were neither id nor contents.
func (j *JSONL) Ignored() uint64 { return j.ignored }

// Next implements Source.
func (j *JSONL) Next() (writer.Document, error) {
	for {
		b, err := j.lines.next()
		if err != nil {
			return writer.Document{}, err
		}
		d, ignored, ok := j.scanner.scan(b, &j.fields)
		if !ok {
			if len(bytes.Trim(b, " \t\r")) == 0 {
				continue
			}
			if d, ignored, err = decodeObject(b, &j.fields); err != nil {
				return writer.Document{}, j.bad(err)
			}
		}
		if err := checkID(d.ID); err != nil {
			return writer.Document{}, j.bad(err)
		}
		j.ignored += ignored
		return d, nil
	}
}

func (j *JSONL) bad(err error) error {
	return &Error{File: j.lines.file, Line: j.lines.line, Offset: -1, Recoverable: true, Err: err}
}

// BytesRead implements Source.
func (j *JSONL) BytesRead() int64 { return j.in.BytesRead() }

// Close implements Source.
func (j *JSONL) Close() error { return j.in.Close() }

// decodeObject decodes a line with encoding/json. It decides whenever the scanner
// gives up, and returns the document or the reason why there is none.
func decodeObject(line []byte, f *Fields) (d writer.Document, ignored uint64, err error) {
	if !utf8.Valid(line) {
		return d, 0, fmt.Errorf("invalid UTF-8 at byte %d of the line", invalidUTF8(line)+1)
	}
	var whole json.RawMessage
	if err := json.Unmarshal(line, &whole); err != nil {
		return d, 0, jsonFailure(line, err)
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return writer.Document{}, 0, errors.New("a JSON object is wanted")
	}
	parts, others := make([]*string, 1+len(f.Contents)), []string(nil)
	for dec.More() {
		name, known, err := decodeField(dec, f, parts)
		if err != nil {
			return writer.Document{}, 0, err
		}
		if !known {
			others = append(others, name)
		}
	}
	var text []string
	for i, part := range parts {
		if part == nil {
			return writer.Document{}, 0, missing(append([]string{f.ID}, f.Contents...)[i], others)
		}
		text = append(text, *part)
	}
	return writer.Document{ID: []byte(text[0]), Contents: []byte(strings.Join(text[1:], "\n"))}, uint64(len(others)), nil
}

// missing says that an object lacks a field, and which others it has.
func missing(name string, others []string) error {
	if len(others) == 0 {
		return fmt.Errorf("field %q %w", name, ErrNoField)
	}
	const most = 8
	list := fmt.Sprintf("%.40q", others[:min(len(others), most)])
	if len(others) > most {
		list += " and more"
	}
	return fmt.Errorf("field %q %w; there are %s", name, ErrNoField, list)
}

// decodeField decodes one field into parts, unless it is not known.
func decodeField(dec *json.Decoder, f *Fields, parts []*string) (name string, known bool, err error) {
	t, err := dec.Token()
	if err != nil {
		return "", false, err
	}
	name, _ = t.(string) // the decoder accepts only strings here
	which := f.find([]byte(name))
	if which < 0 {
		var skip json.RawMessage
		return name, false, dec.Decode(&skip)
	}
	if parts[which] != nil {
		return name, true, fmt.Errorf("field %q comes twice", name)
	}
	if t, err = dec.Token(); err != nil {
		return name, true, err
	}
	s, ok := t.(string)
	if !ok {
		return name, true, fmt.Errorf("field %q is not a string", name)
	}
	parts[which] = &s
	return name, true, nil
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
	return fmt.Errorf("broken JSON at byte %d of the line: %w", syntax.Offset, err)
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
