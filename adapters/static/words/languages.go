package words

import "strings"

// analyzers are those of package analysis and its package languages by language, as HTML names it.
var analyzers = map[string]string{
	"en": "english", "zh": "cjk", "ja": "cjk", "ko": "cjk", "th": "cjk",
	"ar": "arabic", "da": "danish", "nl": "dutch", "fi": "finnish", "fr": "french", "de": "german", "hu": "hungarian", "ga": "irish",
	"it": "italian", "no": "norwegian", "nb": "norwegian", "nn": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
	"es": "spanish", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}

// Primary returns the first part of what HTML names a language, in lower case: en of en-US.
func Primary(language string) string {
	primary, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(strings.ReplaceAll(language, "_", "-"))), "-")
	return primary
}

// Options returns the options of the analyzer for a language as Primary gives it. Languages that have none of their own have words
// as Unicode divides them. More says whether the analyzer is one of package analysis/languages.
func Options(language string) (options string, more bool) {
	switch name := analyzers[language]; name {
	case "":
		return "standard", false
	case "cjk", "english":
		return name, false
	default:
		return name, true
	}
}
