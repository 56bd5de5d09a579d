package analysis

import (
	"errors"
	"strings"
	"testing"
)

func TestRegister(t *testing.T) {
	if _, err := New("nosuch", ""); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown name: %v", err)
	}
	if _, err := New("simple", "max=0"); err == nil || errors.Is(err, ErrUnknown) {
		t.Errorf("bad options: %v", err)
	}
	make := func(string) (Analyzer, error) { return New("simple", "") }
	for _, name := range []string{"", "simple", "bad\xff", strings.Repeat("x", MaxNameBytes+1)} {
		if err := Register(name, make); !errors.Is(err, ErrInvalid) {
			t.Errorf("name %.10q: %v", name, err)
		}
	}
	if err := Register("misnamed", make); err != nil {
		t.Fatal(err)
	}
	if _, err := New("misnamed", ""); err == nil || !strings.Contains(err.Error(), `is named "simple"`) {
		t.Errorf("an analyzer of another name: %v", err)
	}
}

// hollow is an analyzer without a Tokenizer.
type hollow struct{}

func (hollow) Name() string         { return "hollow" }
func (hollow) Options() string      { return "" }
func (hollow) Tokenizer() Tokenizer { return nil }

func TestRegisterLanguage(t *testing.T) {
	for _, l := range []Language{{Name: ""}, {Name: "english"}, {Name: "x", Stop: []string{"a", "The"}}, {Name: "x", Stop: []string{""}}} {
		if err := RegisterLanguage(l); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", l, err)
		}
	}
	stop := []string{"one", "two’s"}
	if err := RegisterLanguage(Language{Name: "bare", Stop: stop}); err != nil {
		t.Fatal(err)
	}
	stop[0] = "three"
	if got := strings.Join(terms(t, "bare", "", "One two's three"), " "); got != "three" {
		t.Errorf("without functions: %q", got)
	}
	odd := Language{
		Name:    "odd",
		Lower:   func(dst, word []byte) []byte { return append(append(dst, word...), '!') },
		Rewrite: func(word []byte) []byte { return word[1:] },
		Stem:    func(word string) string { return strings.TrimPrefix(word, "x!") },
	}
	if err := RegisterLanguage(odd); err != nil {
		t.Fatal(err)
	}
	if got := describe(t, "odd", "", "A ab xx Ç"); strings.Join(got, " ") != "!=A b!=ab _\x87!=Ç" {
		t.Errorf("odd functions: %q", got)
	}
}

func TestMisuse(t *testing.T) {
	if err := Register("nothing", nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("a nil function: %v", err)
	}
	if _, err := New("nothing", ""); !errors.Is(err, ErrUnknown) {
		t.Errorf("it was registered: %v", err)
	}
	for name, made := range map[string]Analyzer{"hollow": hollow{}, "nil": nil} {
		if err := Register(name, func(string) (Analyzer, error) { return made, nil }); err != nil {
			t.Fatal(err)
		}
		if a, err := New(name, ""); !errors.Is(err, ErrInvalid) || a != nil {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
	if terms := Terms(nil, []byte("a b")); len(terms) != 0 {
		t.Errorf("nil has terms %q", terms)
	}
	var zero Tokens
	if raw, spans := zero.Raw(); zero.Len() != 0 || len(raw) != 0 || len(spans) != 0 {
		t.Error("the zero Tokens have tokens")
	}
	zero.Add(Token{Term: []byte("a"), Start: -1, End: -5, Increment: -7})
	if got := zero.At(0); string(got.Term) != "a" || got.Increment != 0 {
		t.Errorf("odd numbers give %+v", got)
	}
	for _, name := range []string{"simple", "standard", "english", "whitespace"} {
		if got := terms(t, name, "", ""); len(got) != 0 {
			t.Errorf("%s: %q from nothing", name, got)
		}
	}
}
