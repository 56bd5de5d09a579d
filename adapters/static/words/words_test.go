package words

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	_ "github.com/pinion-index/pinion/analysis/languages"
)

func TestTokens(t *testing.T) {
	a, err := analysis.New(Name, "english")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"The pages of a site": "page@4-9+2 site@15-19+3",
		".Site.RegularPages":  "site.regularpag@1-18+1 site@1-5+0 regularpag@6-18+0 regular@6-13+0 page@13-18+0",
		"baseURL":             "baseurl@0-7+1 base@0-4+0 url@4-7+0",
		"HTTPServer":          "httpserver@0-10+1", // of several capitals none begins a word
		"don't":               "don't@0-5+1",
		"3.14":                "3.14@0-4+1 3@0-1+0 14@2-4+0",
		"größer":              "grosser@0-8+1",
		"":                    "",
	} {
		var tokens analysis.Tokens
		a.Tokenizer().Tokenize(&tokens, []byte(text))
		var got []string
		for token := range tokens.All() {
			got = append(got, fmt.Sprintf("%s@%d-%d+%d", token.Term, token.Start, token.End, token.Increment))
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%s: %s, want %s", text, g, want)
		}
	}
}

// TestOptions makes each language's analyzer, and again from the options that it has.
func TestOptions(t *testing.T) {
	for _, language := range []string{"", "xx", "en", "de", "ja", "nb"} {
		options, _ := Options(language)
		a, err := analysis.New(Name, options)
		if err != nil {
			t.Fatal(err)
		}
		again, err := analysis.New(Name, a.Options())
		if err != nil || again.Options() != a.Options() {
			t.Errorf("%q: %s becomes %v (%v)", language, a.Options(), again, err)
		}
	}
	if _, err := analysis.New(Name, "none"); err == nil {
		t.Error("an unknown analyzer is taken")
	}
	for language, want := range map[string]string{"": "", "en-US": "en", "DE": "de", " pt_BR ": "pt"} {
		if got := Primary(language); got != want {
			t.Errorf("%q is %q, want %q", language, got, want)
		}
	}
}
