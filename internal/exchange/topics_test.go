package exchange

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// queriesOf returns the format of a file with a text, and its queries, as id, tab, text.
func queriesOf(t *testing.T, text string, f QueryFormat) (got []string, _ QueryFormat, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s, f, err := OpenQueries(path, f)
	if err != nil {
		return nil, f, err
	}
	defer s.Close()
	for {
		d, err := s.Next()
		if err == io.EOF {
			return got, f, nil
		}
		if err != nil {
			return got, f, err
		}
		got = append(got, string(d.ID)+"\t"+string(d.Contents))
	}
}

// TestQueryForms reads the files of testdata/queries.txtar, as they are, with a byte order
// mark and with the line ends of Windows.
func TestQueryForms(t *testing.T) {
	a, err := txtar.ParseFile(filepath.Join("testdata", "queries.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		text, want, ok := bytes.Cut(f.Data, []byte("== "))
		if !ok {
			t.Fatalf("%s: nothing is expected", f.Name)
		}
		lines := strings.Split(strings.TrimSuffix(string(want), "\n"), "\n")
		for _, text := range []string{string(text), "\ufeff" + string(text), strings.ReplaceAll(string(text), "\n", "\r\n"), strings.TrimSuffix(string(text), "\n")} {
			got, format, err := queriesOf(t, text, QueriesAuto)
			if err != nil || string(format) != lines[0] || !slices.Equal(got, lines[1:]) {
				t.Errorf("%s: %s %q, %v; want %q", f.Name, format, got, err, lines)
			}
		}
	}
}

// TestNoQueries: what holds no queries is never read without an error.
func TestNoQueries(t *testing.T) {
	for text, want := range map[string]string{
		"":      "x: it holds no queries",
		"\n \n": "x: it holds no queries",
		"<queries><query><qid>1</qid><content>a</content></query></queries>": "x: it holds no queries; expected are",
		"<html>not found</html>\n":  "<top> with <num> and <title>",
		".I 1\n.W\nwhat articles\n": "x: the queries are in no format that is read; expected are",
		"a\x00b\n":                  "x: the queries are in no format that is read",
	} {
		if got, f, err := queriesOf(t, text, QueriesAuto); err == nil || !strings.Contains(err.Error(), want) || got != nil {
			t.Errorf("%q: %s %q, %v; want %s", text, f, got, err, want)
		} else if strings.Contains(want, "holds no") && !errors.Is(err, ErrNoQueries) {
			t.Errorf("%q: %v is not ErrNoQueries", text, err)
		}
	}
	for _, f := range QueryFormats() {
		if _, _, err := queriesOf(t, "", f); !errors.Is(err, ErrNoQueries) {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// TestBadQueries checks what is refused, and where.
func TestBadQueries(t *testing.T) {
	for _, test := range []struct {
		format     QueryFormat
		text, want string
	}{
		{QueriesAuto, "a\tb\nc d\n", ":2: no tab between id and text"},
		{QueriesAuto, "a b\n\nc\td\n", ":3: a tab in a file that begins with a plain line; name its format, tsv or lines"},
		{QueriesColon, "1:a\nb\n", ":2: the line does not begin with a number and a colon"},
		{QueriesColon, "1:1:a\n2:b\n", ":2: the line has one number before its query, not two as the first"},
		{QueriesJSONL, "{\"_id\":\"1\"}\n", `:1: field "contents" is missing`},
		{QueriesAuto, "\xfd7zXZ\x00", "x: compressed with xz"},
		{QueriesTSV, "%PDF-1.4\tx", "x: a PDF file"},
		{"pdf", "a", `unknown format of queries "pdf"`},
	} {
		got, _, err := queriesOf(t, test.text, test.format)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %q, %v; want %s", test.text, got, err, test.want)
		}
	}
	if got, _, err := queriesOf(t, "a\tb\nc\n", QueriesLines); err != nil || !slices.Equal(got, []string{"1\ta\tb", "2\tc"}) {
		t.Errorf("lines with a tab, by name: %q, %v", got, err)
	}
	if _, _, err := OpenQueries("absent", QueriesAuto); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
}

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
		"\n<top>\n<num> Number: 5\n</top>":         "x:2: topic 5 has neither a query nor a title",
		"<top>\n<num> 5\n<title> a\n":              "x:1: the file ends inside this topic",
		"<topic number=5><title>a</title></topic>": "x:1: a topic without a number",
		"<topic number=\"5>\n</topic>":             "x:1: a topic without a number",
		"<topic\nnumber=\"5\">a</topic>":           "x:1: the start tag of the topic does not end on its line",
		"<top>\n<num>5\n<desc>a\n</top>":           "x:1: topic 5 has neither a query nor a title",
	} {
		if _, err := topics(t, text); err == nil || err.Error() != want || !Recoverable(err) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
