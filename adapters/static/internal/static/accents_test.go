package static

import (
	"path/filepath"
	"testing"
)

// Accents are folded whatever the language: a page is found by words typed without them, in another form, or as they are.
func TestAccents(t *testing.T) {
	const text = "Les élèves passent l'été à l'hôtel. Wałęsa, žluťoučký kůň, Đà Nẵng, mañana, rela\u00adtion, U\u0308bung."
	for language, typed := range map[string][]string{
		"fr": {"eleves", "ete", "hotel", "élèves", "été", "hôtel", "e\u0301le\u0300ves", "ELEVES", "eleve", "walesa", "relation", "Übung", "ubung"},
		"es": {"eleves", "ete", "hotel", "été", "manana", "mañana", "walesa"},
		"pl": {"eleves", "ete", "hotel", "walesa", "Wałęsa", "wałesa", "élèves"},
		"cs": {"eleves", "ete", "hotel", "zlutoucky", "kun", "kůň"},
		"vi": {"eleves", "ete", "hotel", "da nang", "Đà Nẵng", "đa nang", "nẵng"},
		"de": {"hotel", "ubung", "Übung"},
		"en": {"hotel", "manana", "ete"},
		"ja": {"hotel", "ete"},
		"":   {"hotel", "ete", "relation"},
	} {
		dir, text := t.TempDir(), text
		if language != "fr" { // others have no elided articles
			text += " Cet été, un hôtel."
		}
		put(t, filepath.Join(dir, "page.html"), `<!doctype html><html lang="fr"><head><meta charset="utf-8"><title>Accents</title></head><body><main>`+text+`</main></body></html>`)
		put(t, filepath.Join(dir, "other.html"), `<!doctype html><html lang="fr"><head><meta charset="utf-8"><title>Other</title></head><body><main>nothing of that</main></body></html>`)
		build(t, dir, Options{Language: language})
		out := filepath.Join(dir, DefaultOut)
		index, err := IndexOf(out, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range typed {
			if a := ask(t, filepath.Join(out, index), q); len(a.Hits) != 1 || a.Hits[0].URL != "page.html" {
				t.Errorf("%q: %q finds %+v", language, q, a.Hits)
			}
		}
	}
}
