package answer

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTyped(t *testing.T) {
	for text, want := range map[string]typed{
		"":                     {},
		" ":                    {},
		"a":                    {last: "a"},
		"hugo ser":             {words: "hugo", last: "ser"},
		"hugo server ":         {words: "hugo server"},
		"--base":               {last: "base"},
		"site.reg":             {last: "site.reg"},
		"a - ":                 {words: "a -"},
		"a -":                  {words: "a"},
		`x "to be" y`:          {words: "x", phrases: []string{"to be"}, last: "y"},
		`"to be"`:              {phrases: []string{"to be"}},
		`“to be” or`:           {phrases: []string{"to be"}, last: "or"},
		`«to be» „or not“ a`:   {phrases: []string{"to be", "or not"}, last: "a"},
		`"to b`:                {words: "to", last: "b"},
		strings.Repeat(`"`, 3): {phrases: []string{""}},
	} {
		if got := parse(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	long := parse(strings.Repeat("ä", mostTyped))
	if len(long.last) > mostTyped || !utf8.ValidString(long.last) {
		t.Errorf("of a long word %q is left", long.last)
	}
	for text, want := range map[string]int{"a ": 2, "a": 2, "ab": 2, "configu": 5, "x.yz": 3, "abcde": 4} {
		if got := len(parse(text).attempts()); got != want {
			t.Errorf("%q: %d attempts, want %d", text, got, want)
		}
	}
}
