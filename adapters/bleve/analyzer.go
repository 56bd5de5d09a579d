package bleve

import (
	"fmt"
	"sync"

	ba "github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"

	"github.com/pinion-index/pinion/analysis"
)

// cutter is what takes the place of an analyzer of bleve's.
type cutter struct {
	Analyzer
	keyword bool   // the whole text is one term
	stop    bool   // queries leave out English stop words, which the index has
	loss    string // what is different
}

const stopLoss = "stop words are indexed, and left out of queries"

// known are bleve's analyzers.
var known = map[string]cutter{
	"keyword":  {keyword: true},
	"simple":   {Analyzer: Analyzer{Name: "simple"}, loss: "digits belong to words"},
	"standard": {Analyzer: Analyzer{Name: "standard"}, stop: true, loss: stopLoss},
	"web":      {Analyzer: Analyzer{Name: "standard"}, stop: true, loss: "addresses are cut into words; " + stopLoss},
	"en":       {Analyzer: Analyzer{Name: "english"}, loss: "words are stemmed by Snowball's newer stemmer, and other stop words are left out"},
	"cjk":      {Analyzer: Analyzer{Name: "cjk"}, loss: "other pairs of characters at borders of scripts"},
	"ar":       language("arabic"), "da": language("danish"), "de": language("german"), "es": language("spanish"),
	"fi": language("finnish"), "fr": language("french"), "hu": language("hungarian"), "it": language("italian"),
	"nl": language("dutch"), "no": language("norwegian"), "pt": language("portuguese"), "ro": language("romanian"),
	"ru": language("russian"), "sv": language("swedish"), "tr": language("turkish"),
}

func language(name string) cutter {
	return cutter{Analyzer: Analyzer{Name: name}, loss: "stop words and stems may differ"}
}

// analyzer returns what takes the place of an analyzer of the mapping.
func (t *Translation) analyzer(name string) cutter {
	if a, ok := t.options.Analyzers[name]; ok {
		return cutter{Analyzer: a, keyword: a.Name == "keyword"}
	}
	if t.mapping.CustomAnalysis != nil {
		if config, ok := t.mapping.CustomAnalysis.Analyzers[name]; ok {
			return custom(config)
		}
	}
	if c, ok := known[name]; ok {
		return c
	}
	return cutter{Analyzer: Analyzer{Name: "standard"}, loss: "there is none like it; words are cut by standard"}
}

// custom returns what takes the place of an analyzer that consists of a tokenizer and filters.
func custom(config map[string]any) cutter {
	tokenizer, _ := config["tokenizer"].(string)
	chars, filters := list(config["char_filters"]), list(config["token_filters"])
	c := cutter{Analyzer: Analyzer{Name: "standard"}}
	lower := len(filters) > 0 && filters[0] == "to_lower"
	rest := filters
	if lower {
		rest = filters[1:]
	}
	switch {
	case tokenizer == "single" && len(filters) == 0:
		c = cutter{keyword: true}
	case tokenizer == "whitespace" && len(filters) == 0:
		c.Name = "whitespace"
	case tokenizer == "letter" && lower:
		c = known["simple"]
	case tokenizer == "unicode" && lower:
	default:
		return cutter{Analyzer: c.Analyzer, loss: fmt.Sprintf("tokenizer %s with filters %v: words are cut by standard", tokenizer, filters)}
	}
	for _, f := range rest {
		switch {
		case f == "stop_en" && !c.stop:
			c.stop, c.loss = true, join(c.loss, stopLoss)
		case f == "stemmer_porter" && c.stop && c.Name == "standard":
			c = known["en"]
		default:
			c.loss = join(c.loss, "no filter "+f)
		}
	}
	for _, f := range chars {
		c.loss = join(c.loss, "no character filter "+f)
	}
	return c
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// list returns a list of names, as a program or JSON has it.
func list(v any) []string {
	names, _ := v.([]string)
	if anys, ok := v.([]any); ok {
		for _, x := range anys {
			name, _ := x.(string)
			names = append(names, name)
		}
	}
	return names
}

// stopWords are those of bleve's analyzers standard and web.
var stopWords = sync.OnceValue(func() ba.TokenMap {
	words := ba.NewTokenMap()
	_ = words.LoadBytes(en.EnglishStopWords) // reads from memory
	return words
})

// token is a term of a query at a position.
type token struct {
	term     string
	position int
}

// terms returns the terms that text becomes in a query.
func (c *cutter) terms(text string) ([]token, error) {
	if c.keyword {
		return []token{{text, 0}}, nil
	}
	a, err := analysis.New(c.Name, c.Options)
	if err != nil {
		return nil, fmt.Errorf("%w; package analysis/languages may have it", err)
	}
	var cut analysis.Tokens
	a.Tokenizer().Tokenize(&cut, []byte(text))
	var terms []token
	at := -1
	for x := range cut.All() {
		at += x.Increment
		if term := string(x.Term); !c.stop || !stopWords()[term] {
			terms = append(terms, token{term, at})
		}
	}
	return terms, nil
}
