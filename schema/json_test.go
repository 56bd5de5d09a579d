package schema

import (
	"errors"
	"strings"
	"testing"
)

// The language of a schema is a key beside its fields, and is left out where there is none.
func TestJSONLanguage(t *testing.T) {
	const text = `{"language":"pt-BR","fields":[{"name":"body","kind":"text"}]}`
	s, err := Parse([]byte(text))
	if err != nil || s.Language != "pt-BR" {
		t.Fatalf("%+v, %v", s, err)
	}
	if b, err := s.MarshalJSON(); err != nil || string(b) != text {
		t.Errorf("%s, %v", b, err)
	}
	for from, says := range map[string]string{
		`{"language":1,"fields":[{"name":"a","kind":"text"}]}`:                                  "language: ",
		`{"language":"en","language":"en","fields":[]}`:                                         `"language" appears twice`,
		`{"languages":"en","fields":[{"name":"a","kind":"text"}]}`:                              `key "languages" is unknown; there are fields and language`,
		`{"language":"` + strings.Repeat("x", 300) + `","fields":[{"name":"a","kind":"text"}]}`: "its tag has up to 255 bytes",
	} {
		if _, err := Parse([]byte(from)); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60s: %v; it should say %s", from, err, says)
		}
	}
}

// A field with positions is written in one way. What schemas said before there was the key positions means the same.
func TestJSONPositions(t *testing.T) {
	const text = `{"fields":[{"name":"body","kind":"text","positions":true}]}`
	for _, from := range []string{text, `{"fields":[{"name":"body","kind":"text","index":"positions"}]}`,
		`{"fields":[{"name":"body","kind":"text","index":"positions","positions":true}]}`} {
		s, err := Parse([]byte(from))
		if err != nil {
			t.Fatalf("%s: %v", from, err)
		}
		if b, err := s.MarshalJSON(); err != nil || string(b) != text || !s.Fields[0].HasLengths() {
			t.Errorf("%s: %s, %v", from, b, err)
		}
	}
	for from, says := range map[string]string{
		`{"fields":[{"name":"k","kind":"keyword","index":"positions"}]}`:          `field "k": positions`,
		`{"fields":[{"name":"a","kind":"text","index":"docs","positions":true}]}`: `field "a": positions`,
	} {
		if _, err := Parse([]byte(from)); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; it should say %s", from, err, says)
		}
	}
}
