// Package jsontext writes names that a file holds, such as ids and terms, in JSON.
package jsontext

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Text is an id or a term in JSON. Bytes that are not valid UTF-8, which a JSON string cannot
// hold, become the object {"base64": "..."}.
type Text string

// MarshalJSON implements json.Marshaler.
func (t Text) MarshalJSON() ([]byte, error) {
	s := string(t)
	if !utf8.ValidString(s) {
		return json.Marshal(map[string][]byte{"base64": []byte(s)})
	}
	if strings.IndexFunc(s, escaped) < 0 {
		return append(append(append(make([]byte, 0, len(s)+2), '"'), s...), '"'), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(s)
	return b.Bytes(), err
}

// escaped reports whether r may need more than itself in a JSON string.
func escaped(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		var x struct {
			Base64 []byte `json:"base64"`
		}
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		err := d.Decode(&x)
		*t = Text(x.Base64)
		return err
	}
	return json.Unmarshal(data, (*string)(t))
}
