package exchange

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func topics(t *testing.T, text string) (got []string, err error) {
	t.Helper()
	s := NewTopics("x", strings.NewReader(text))
	for {
		d, err := s.Next()
		if err == io.EOF {
			return got, nil
		}
		if err != nil {
			return got, err
		}
		got = append(got, string(d.ID)+": "+string(d.Contents))
	}
}

func TestTopics(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"ad hoc", "<top>\n\n<num> Number: 301 \n<title> International Organized\n Crime\n\n<desc> Description: \nIdentify <b>\n</top>\n\n<top>\n<num> Number: 302\n<title> A &amp; B\n</top>\n",
			[]string{"301: International Organized Crime", "302: A & B"}},
		{"first years", "<top>\n<head> Tipster\n<num> Number:  051\n<dom> Domain:\n<title> Topic:  Airbus Subsidies\n</top>", []string{"051: Airbus Subsidies"}},
		{"xml", "<?xml version=\"1.0\"?>\n<topics>\n<topic number=\"7\" type='x'>\n <query>one  two</query>\n <desc>d</desc></topic>\n<TOPIC number='8'><title>three</title></TOPIC>\n</topics>",
			[]string{"7: one two", "8: three"}},
		{"one line", "<top><num>1</num><title>a b</title></top>", []string{"1: a b"}},
		{"several in a line", "<topics><topic number='1'><query>one</query></topic><topic number='2'><query>two</query></topic></topics>\n" +
			"<top><num>3<title>three</top> <top><num>4\n<title>four\n</top><top><num>5<title>five</top>",
			[]string{"1: one", "2: two", "3: three", "4: four", "5: five"}},
		{"none", "\n", nil},
	} {
		got, err := topics(t, test.text)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, %v; want %q", test.name, got, err, test.want)
		}
	}
}

func TestBadTopics(t *testing.T) {
	for text, want := range map[string]string{
		"<top>\n<title> a\n</top>":                 "x:1: a topic without a number",
		"\n<top>\n<num> Number: 5\n</top>":         "x:2: topic 5 has no title",
		"<top>\n<num> 5\n<title> a\n":              "x:1: the file ends inside this topic",
		"<topic number=5><title>a</title></topic>": "x:1: a topic without a number",
		"<topic number=\"5>\n</topic>":             "x:1: a topic without a number",
	} {
		if _, err := topics(t, text); err == nil || err.Error() != want || !Recoverable(err) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestOpenQueries checks that formats are told apart.
func TestOpenQueries(t *testing.T) {
	for text, want := range map[string]string{
		"q1\tone two\n": "q1: one two",
		"\ufeff\n <top><num>q1<title>one two</top>\n": "q1: one two",
	} {
		path := filepath.Join(t.TempDir(), "q")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := OpenQueries(path, QueriesAuto)
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.Next()
		if got := string(d.ID) + ": " + string(d.Contents); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
		s.Close()
	}
	if _, err := OpenQueries("absent", QueriesAuto); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	if _, err := OpenQueries(os.DevNull, "pdf"); err == nil {
		t.Error("pdf: no error")
	}
}
