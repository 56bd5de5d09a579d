package words

import (
	"strings"
	"testing"

	_ "github.com/pinion-index/pinion/analysis/languages"
)

func TestAppend(t *testing.T) {
	for text, want := range map[string]string{
		"The pages of a site":             "the pages of a site",
		".Site.RegularPages":              "site regularpages regular pages",
		"baseURL, HTTPServer":             "baseurl base url httpserver",
		"max_connections __init__":        "max_connections max connections init",
		"don't l’été":                     "don t l ete",
		"3.14 v2":                         "3 14 v2",
		"größer Wałęsa rela\u00adtion ﬁx": "grosser walesa relation fix",
		"ΟΔΟΣ":                            "οδοσ",
		"日本語 と かな":                        "日本 本語 と かな",
		"a日本b":                            "a 日本 b",
		"한국어":                             "한국 국어",
		"aB":                              "ab",
		"_ __ -":                          "",
		"":                                "",
		strings.Repeat("x", 65):           "",
	} {
		var got []string
		for _, w := range Append(nil, text) {
			got = append(got, w.Form)
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%q: %q, want %q", text, g, want)
		}
	}
}

func TestStemmer(t *testing.T) {
	for _, tt := range []struct{ language, word, stem string }{
		{"en", "Pages", "page"}, {"en", "the", ""}, {"de", "Lampen", "lamp"}, {"", "Pages", "Pages"}, {"ja", "pages", "pages"}, {"xx", "pages", "pages"},
	} {
		s, err := NewStemmer(tt.language)
		if err != nil {
			t.Fatal(err)
		}
		if stem, stop := s.Stem(tt.word); stem != tt.stem || stop != (tt.stem == "") {
			t.Errorf("%s in %q: %q, %v, want %q", tt.word, tt.language, stem, stop, tt.stem)
		}
	}
	for language, want := range map[string]string{"": "", "en-US": "en", "DE": "de", " pt_BR ": "pt"} {
		if got := Primary(language); got != want {
			t.Errorf("%q is %q, want %q", language, got, want)
		}
	}
}
