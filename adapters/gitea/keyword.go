package gitea

import (
	"context"
	"strings"
	"unicode"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/query"
)

// Mode says how files match what people type.
type Mode string

// The modes, as the host spells them. "" is the first.
const (
	// Exact finds an identifier, or else its parts one after the other; of several identifiers all their parts one after the
	// other, whatever is between them: "x.Open(ctx" finds x, open and ctx.
	Exact Mode = "exact"
	// Words finds all identifiers anywhere in a file, each as Exact does.
	Words Mode = "words"
	// Fuzzy finds any of the words, also spelled a little otherwise.
	Fuzzy Mode = "fuzzy"
)

// SupportedSearchModes returns the modes that people are offered, as with the host's other engines. Fuzzy is possible too.
func (x *Indexer) SupportedSearchModes() []Mode { return []Mode{Exact, Words} }

// What cuts texts into words.
const (
	codeAnalyzer = "code"
	codeOptions  = "unicode=nfc,ignorable=drop,parts=placed"
	pathAnalyzer = "standard"
	pathOptions  = "unicode=nfc,ignorable=drop"
)

// analyzer returns one of package analysis, which has it.
func analyzer(name, options string) analysis.Analyzer {
	a, err := analysis.New(name, options)
	if err != nil {
		panic("gitea: " + err.Error())
	}
	return a
}

var ofCode, ofPaths = analyzer(codeAnalyzer, codeOptions).(analysis.Compound), analyzer(pathAnalyzer, pathOptions)

// identifiers returns those of a keyword.
func identifiers(keyword string) []analysis.Word { return ofCode.AppendWords(nil, []byte(keyword)) }

// inContent returns what asks for a keyword in the text of files, or nil if it has no identifier.
func inContent(ctx context.Context, v *pinion.View, keyword string, all []analysis.Word, m Mode, edits int) (query.Node, error) {
	switch {
	case len(all) == 0:
		return nil, nil
	case m == Exact:
		return query.Phrase{Field: names[content], Text: keyword}, nil
	case m == Words:
		return query.Match{Field: names[content], Text: keyword, Mode: query.ModeAnd}, nil
	}
	var nodes []query.Node
	for _, id := range all {
		n := query.Node(query.Match{Field: names[content], Text: keyword[id.Start:id.End], Mode: query.ModeAnd})
		if e := min(edits, 2, len(id.Whole)/4); e > 0 && onlyLetters(string(id.Whole)) {
			var err error
			if n, err = spelled(ctx, v, query.Fuzzy{Field: names[content], Text: string(id.Whole), Edits: e}); err != nil {
				return nil, err
			}
		}
		nodes = append(nodes, n)
	}
	return query.Bool{Should: nodes}, nil
}

// spelled returns what asks for the words that n stands for. Of words, the index says where they are in a long text; for n
// all of each text would be looked at.
func spelled(ctx context.Context, v *pinion.View, n query.Fuzzy) (query.Node, error) {
	f, err := v.Frequencies(ctx, n)
	if err != nil || len(f.Expansions[0].Terms) == 0 {
		return n, err
	}
	var either query.Bool
	for _, t := range f.Expansions[0].Terms {
		either.Should = append(either.Should, query.Term{Field: t.Field, Text: string(t.Term)})
	}
	return either, nil
}

// onlyLetters reports whether a word has only letters of ASCII: others are spelled as they are, as the host has it.
func onlyLetters(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) })
}

// nameScore is the score of files whose name matches, which is beyond that of any text: they come first.
const nameScore = 1000

// inName returns what asks for the beginning of words in the names of files, or with a / in their paths, or nil if the
// keyword has no word.
func inName(keyword string) query.Node {
	words := pathWords(keyword)
	if len(words) == 0 {
		return nil
	}
	field := names[name]
	if strings.Contains(keyword, "/") {
		field = names[path]
	}
	n := query.Node(query.Phrase{Field: field, Terms: words, Prefix: true})
	if len(words) == 1 {
		n = query.Prefix{Field: field, Text: words[0]}
	}
	return query.Const{Node: n, Score: nameScore}
}

// pathWords returns the words of a path.
func pathWords(s string) (words []string) {
	var tokens analysis.Tokens
	ofPaths.Tokenizer().Tokenize(&tokens, []byte(s))
	for t := range tokens.All() {
		words = append(words, string(t.Term))
	}
	return words
}

// inNameOf reports whether inName finds a file.
func inNameOf(keyword, filename string) bool {
	if !strings.Contains(keyword, "/") {
		filename = filename[strings.LastIndexByte(filename, '/')+1:]
	}
	words, have := pathWords(keyword), pathWords(strings.ToValidUTF8(filename, "\uFFFD"))
	if len(words) == 0 {
		return false
	}
	last := len(words) - 1
	for ; len(have) > last; have = have[1:] {
		i := 0
		for i < last && have[i] == words[i] {
			i++
		}
		if i == last && strings.HasPrefix(have[last], words[last]) {
			return true
		}
	}
	return false
}
