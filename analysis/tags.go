package analysis

import "strings"

// byTag are the analyzers of this package and of languages by the first part of language tags.
var byTag = map[string]string{
	"en": "english", "zh": "cjk", "ja": "cjk", "ko": "cjk", "th": "cjk",
	"ar": "arabic", "da": "danish", "nl": "dutch", "fi": "finnish", "fr": "french", "de": "german", "hu": "hungarian", "ga": "irish",
	"it": "italian", "no": "norwegian", "nb": "norwegian", "nn": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
	"es": "spanish", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}

// ForLanguage returns the name of the analyzer for a language by its tag (BCP 47), such as en or pt-BR, of which the first part
// counts, and whether there is one. New says what to import for it.
func ForLanguage(tag string) (name string, ok bool) {
	primary, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(strings.ReplaceAll(tag, "_", "-"))), "-")
	name, ok = byTag[primary]
	return name, ok
}
