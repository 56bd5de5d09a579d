package analysis_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/analysis"
)

func Example() {
	english, err := analysis.New("english", "stop=english")
	if err != nil {
		fmt.Println(err)
		return
	}
	text := []byte("The running of the bulls")
	var tokens analysis.Tokens
	english.Tokenizer().Tokenize(&tokens, text)
	for token := range tokens.All() {
		fmt.Printf("%s stands for %q, %d on\n", token.Term, text[token.Start:token.End], token.Increment)
	}
	// Output:
	// run stands for "running", 2 on
	// bull stands for "bulls", 3 on
}

func ExampleNew_fold() {
	standard, err := analysis.New("standard", "unicode=nfc,fold=accents+case")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", analysis.Terms(standard.Tokenizer(), []byte("Straße, STRASSE; Café, cafe")))
	fmt.Println(standard.Options())
	// Output:
	// [strasse strasse cafe cafe]
	// max=255,apostrophes=fold,unicode=nfc,fold=accents+case
}

func ExampleNew_code() {
	code, err := analysis.New("code", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	var tokens analysis.Tokens
	code.Tokenizer().Tokenize(&tokens, []byte("http.HTTPServer_v2"))
	for token := range tokens.All() {
		fmt.Printf("%s %d\n", token.Term, token.Increment)
	}
	// Output:
	// http 1
	// httpserver_v2 1
	// http 0
	// server 0
	// v 0
	// 2 0
}

func ExampleNew_cjk() {
	cjk, err := analysis.New("cjk", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", analysis.Terms(cjk.Tokenizer(), []byte("東京都 Tokyo ﾀﾜｰ ไทย")))
	// Output: [東京 京都 tokyo タワ ワー ไท ทย]
}

// An analyzer for Esperanto takes endings from words.
func ExampleRegisterLanguage() {
	err := analysis.RegisterLanguage(analysis.Language{
		Name: "esperanto",
		Stop: []string{"la", "kaj"},
		Stem: func(word string) string {
			word = strings.TrimSuffix(strings.TrimSuffix(word, "n"), "j")
			if n := len(word) - 1; n > 1 && strings.ContainsRune("oae", rune(word[n])) {
				return word[:n]
			}
			return word
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := analysis.New("esperanto", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", analysis.Terms(a.Tokenizer(), []byte("La bonaj hundoj kaj bela ĉevalon")))
	fmt.Println(a.Options())
	// Output:
	// [bon hund bel ĉeval]
	// max=255,stop=esperanto,ignorable=drop,scripts=cut
}

// lines is an analyzer without options whose terms are whole lines.
type lines struct{}

func (lines) Name() string                  { return "lines" }
func (lines) Options() string               { return "" }
func (lines) Tokenizer() analysis.Tokenizer { return lines{} }
func (lines) Tokenize(dst *analysis.Tokens, text []byte) {
	start := 0
	for line := range bytes.Lines(text) {
		term := bytes.TrimSuffix(line, []byte("\n"))
		dst.Add(analysis.Token{Term: term, Start: start, End: start + len(term), Increment: 1})
		start += len(line)
	}
}

// A program registers its analyzer before it builds or opens an index with it.
// Empty terms are dropped, so that an empty line leaves a gap.
func ExampleRegister() {
	err := analysis.Register("lines", func(options string) (analysis.Analyzer, error) {
		if options != "" {
			return nil, errors.New("there are no options")
		}
		return lines{}, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := analysis.New("lines", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", analysis.Terms(a.Tokenizer(), []byte("New York\n\nSan José\n")))
	// Output: ["New York" "San José"]
}
