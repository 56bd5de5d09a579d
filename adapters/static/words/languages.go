package words

import (
	"strings"

	"github.com/pinion-index/pinion/analysis"
)

// Primary returns the first part of what HTML names a language, in lower case: en of en-US.
func Primary(language string) string {
	primary, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(strings.ReplaceAll(language, "_", "-"))), "-")
	return primary
}

// folded are the options of all analyzers: what visitors type has neither the accents of the page, in the form that it has
// them, nor what a text processor has put into a word.
const folded = "unicode=nfc,fold=accents,ignorable=drop"

// frenchStop is the stop list of analyzer french without été, which is also summer: "ete" finds it.
const frenchStop = "a+à+au+aux+avec+ce+ces+cette+d+dans+de+des+du+elle+elles+en+est+et+être+eu+il+ils+j+je+l+la+le+les+leur+leurs+lui+ma+" +
	"mais+me+même+mes+mon+n+ne+nos+notre+nous+on+ont+ou+où+par+pas+pour+qu+que+qui+s+sa+se+ses+son+sont+sur+ta+te+tes+toi+ton+tu+un+" +
	"une+vos+votre+vous+y"

// Options returns the options of the analyzer for a language as Primary gives it. Languages that have none of their own have words
// as Unicode divides them. Accents are folded, after stop words are dropped. More says whether the analyzer is one of package
// analysis/languages.
func Options(language string) (options string, more bool) {
	late := strings.Replace(folded, "accents", "accents+late", 1)
	switch name, _ := analysis.ForLanguage(language); name {
	case "":
		return "standard," + folded, false
	case "cjk":
		return "cjk," + strings.Replace(folded, "nfc", "nfkc", 1), false
	case "english":
		return "english," + late, false
	case "french":
		return "french,stop=" + frenchStop + "," + late, true
	default:
		return name + "," + late, true
	}
}
