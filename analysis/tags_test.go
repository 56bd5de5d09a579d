package analysis

import (
	"slices"
	"strings"
	"testing"
)

func TestForLanguage(t *testing.T) {
	for tag, want := range map[string]string{"en": "english", "en-US": "english", "EN_gb": "english", " de ": "german", "pt-BR": "portuguese", "ja": "cjk", "zh-Hant-TW": "cjk",
		"": "", "eo": "", "english": "", "-": ""} {
		if got, ok := ForLanguage(tag); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", tag, got, ok)
		}
	}
	for tag, name := range byTag { // each is an analyzer, here or in package languages
		if !slices.Contains(strings.Fields(languages), name) && find(name) < 0 {
			t.Errorf("%s: there is no analyzer %s", tag, name)
		}
	}
	for _, name := range strings.Fields(languages) {
		if !slices.Contains(slices.Collect(func(yield func(string) bool) {
			for _, n := range byTag {
				if !yield(n) {
					return
				}
			}
		}), name) {
			t.Errorf("no tag means %s", name)
		}
	}
}
