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
	// Exact finds identifiers, or parts of some, that stand one after the other, whatever is between them: "x.Open(ctx" finds
	// x, open and ctx.
	Exact Mode = "exact"
	// Words finds all words anywhere in a file: of an identifier its parts, with a higher score if they are together.
	Words Mode = "words"
	// Fuzzy finds any of the words, also spelled a little otherwise.
	Fuzzy Mode = "fuzzy"
)

// SupportedSearchModes returns the modes that people are offered, as with the host's other engines. Fuzzy is possible too.
func (x *Indexer) SupportedSearchModes() []Mode { return []Mode{Exact, Words} }

// What cuts texts into words.
const (
	codeAnalyzer = "code"
	pathAnalyzer = "standard"
	pathOptions  = "unicode=nfc"
)

// analyzer returns one of package analysis, which has it.
func analyzer(name, options string) analysis.Analyzer {
	a, err := analysis.New(name, options)
	if err != nil {
		panic("gitea: " + err.Error())
	}
	return a
}

var ofCode, ofPaths = analyzer(codeAnalyzer, ""), analyzer(pathAnalyzer, pathOptions)

// identifier is one of a keyword.
type identifier struct {
	whole string
	parts []string // of several, if it has them
}

// identifiers returns those of a keyword.
func identifiers(keyword string) (all []identifier) {
	var tokens analysis.Tokens
	ofCode.Tokenizer().Tokenize(&tokens, []byte(keyword))
	end := 0
	for t := range tokens.All() {
		if t.Start < end { // parts follow the whole
			last := &all[len(all)-1]
			last.parts = append(last.parts, string(t.Term))
			continue
		}
		all, end = append(all, identifier{whole: string(t.Term)}), t.End
	}
	return all
}

// inContent returns what asks for a keyword in the text of files, or nil if it has no identifier.
func inContent(ctx context.Context, finder *query.Searcher, all []identifier, m Mode, edits int) (pinion.Node, error) {
	if len(all) == 0 {
		return nil, nil
	}
	term := func(s string) pinion.Node { return pinion.Term{Field: names[content], Term: []byte(s)} }
	var terms []string
	var nodes []pinion.Node
	for _, id := range all {
		terms = append(terms, id.whole)
		n := term(id.whole)
		if e := min(edits, 2, len(id.whole)/4); m == Fuzzy && e > 0 && onlyLetters(id.whole) {
			var err error
			if n, err = spelled(ctx, finder, pinion.Fuzzy{Field: names[content], Text: id.whole, Edits: e}); err != nil {
				return nil, err
			}
		} else if m == Words && len(id.parts) > 0 {
			together := pinion.Bool{Should: []pinion.Node{n}}
			for _, p := range id.parts {
				together.Must = append(together.Must, term(p))
			}
			n = together
		}
		nodes = append(nodes, n)
	}
	switch m {
	case Words:
		return pinion.Bool{Must: nodes}, nil
	case Fuzzy:
		return pinion.Bool{Should: nodes}, nil
	}
	return query.Phrase{Field: names[content], Terms: terms}, nil
}

// spelled returns what asks for the words that n stands for. Of words, the index says where they are in a long text; for n
// all of each text would be looked at.
func spelled(ctx context.Context, finder *query.Searcher, n pinion.Fuzzy) (pinion.Node, error) {
	f, err := finder.Frequencies(ctx, query.Query{Node: n})
	if err != nil || len(f.Expansions[0].Terms) == 0 {
		return n, err
	}
	var either pinion.Bool
	for _, t := range f.Expansions[0].Terms {
		either.Should = append(either.Should, pinion.Term{Field: t.Field, Term: t.Term})
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
func inName(keyword string) pinion.Node {
	words := pathWords(keyword)
	if len(words) == 0 {
		return nil
	}
	field := names[name]
	if strings.Contains(keyword, "/") {
		field = names[path]
	}
	n := pinion.Node(query.Phrase{Field: field, Terms: words, Prefix: true})
	if len(words) == 1 {
		n = pinion.Prefix{Field: field, Prefix: words[0]}
	}
	return pinion.Const{Node: n, Score: nameScore}
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
