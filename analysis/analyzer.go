package analysis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxTokenBytes is the length in bytes of the longest term that an index can hold,
// and therefore the largest value of the option max.
const MaxTokenBytes = 65535

// MaxTextBytes is the length in bytes of the longest text that a Tokenizer takes.
const MaxTextBytes = 1 << 30

// Analyzer turns text into terms, in a way that its name and options determine. It is
// immutable and safe for concurrent use. An index records the name and options of its
// analyzer, and New recreates the analyzer from them.
type Analyzer interface {
	// Name returns the name under which the analyzer is registered.
	Name() string
	// Options returns the options in canonical form. Two analyzers with the same name
	// must give the same terms for every text if and only if their options are equal.
	Options() string
	// Tokenizer returns a new Tokenizer, which is not nil.
	Tokenizer() Tokenizer
}

// Tokenizer cuts texts into tokens. It may keep scratch memory, so each goroutine
// needs its own.
type Tokenizer interface {
	// Tokenize adds the tokens of text, which has at most MaxTextBytes bytes, to dst,
	// which is empty. It retains neither.
	Tokenize(dst *Tokens, text []byte)
}

// Terms returns the terms of text; a nil Tokenizer gives none. To avoid allocations, call
// Tokenize with reused Tokens.
func Terms(t Tokenizer, text []byte) [][]byte {
	if t == nil {
		return nil
	}
	var tokens Tokens
	t.Tokenize(&tokens, text)
	terms := make([][]byte, tokens.Len())
	for i := range terms {
		terms[i] = tokens.Term(i)
	}
	return terms
}

// builtin is an analyzer of this package.
type builtin struct {
	kind
	max         int      // option max
	stop, named stopList // option stop, and the list of the language
	apostrophes bool     // they are folded
	form        form     // option unicode
	folds       folds    // option fold
	drops       bool     // option ignorable: characters that cannot be seen are left out
	cuts        bool     // option scripts: words end where the script does
	placed      bool     // option parts
}

// kind describes the builtin analyzers of one name. Those of a language have the option stop.
type kind struct {
	name             string
	defaultMax       int
	takesApostrophes bool   // has the option apostrophes, by default fold
	takesFolds       bool   // has the option fold
	takesScripts     bool   // has the option scripts
	takesParts       bool   // has the option parts
	unchanged        bool   // terms keep their case
	form             form   // what unicode is in options that do not say
	standing         string // the options that empty ones stand for
	language         *Language
	makeFor          func(*builtin) Tokenizer
}

// alike are the options with which words that people take for the same are one term.
const alike = "unicode=nfkc,fold=accents+case,ignorable=drop,scripts=cut"

var kinds = []kind{
	{name: "simple", defaultMax: 64, takesFolds: true, makeFor: newSimple},
	{name: "standard", defaultMax: 255, takesApostrophes: true, takesFolds: true, takesScripts: true, standing: alike, makeFor: newStandard},
	{name: "english", defaultMax: 255, takesApostrophes: true, takesFolds: true, takesScripts: true, standing: alike, language: &english, makeFor: newStems},
	{name: "whitespace", defaultMax: MaxTokenBytes, unchanged: true, makeFor: newWhitespace},
	{name: "cjk", defaultMax: 255, takesFolds: true, form: formNFKC, standing: "fold=accents+case,ignorable=drop", makeFor: newCJK},
	{name: "code", defaultMax: 255, takesFolds: true, takesParts: true, makeFor: newCode},
	{name: "keyword", defaultMax: MaxTokenBytes, unchanged: true, makeFor: newKeyword},
}

// parse makes an analyzer with options.
func (k kind) parse(options string) (Analyzer, error) {
	a := &builtin{kind: k, max: k.defaultMax, form: k.form}
	var stop []string
	if k.language != nil {
		stop = k.language.Stop
	}
	var seen []string
	apostrophes := false
	if options == "" {
		options = k.standing
	}
	for option := range strings.SplitSeq(options, ",") {
		if options == "" {
			break
		}
		key, value, _ := strings.Cut(option, "=")
		if slices.Contains(seen, key) {
			return nil, fmt.Errorf("option %s is given twice", key)
		}
		seen = append(seen, key)
		var err error
		switch {
		case key == "max":
			a.max, err = parseMax(value)
		case key == "stop" && k.language != nil:
			if value != k.language.Name {
				stop, err = parseStop(value, k.language.Name, slices.Contains(seen, "max"))
			}
		case key == "stop-words" && k.language != nil:
			stop, err = parseWords(value)
		case key == "apostrophes" && k.takesApostrophes:
			apostrophes, err = parseEither(value, "fold", "keep")
		case key == "unicode":
			a.form, err = parseForm(value)
		case key == "fold" && k.takesFolds:
			a.folds, err = parseFolds(value, k.language != nil)
		case key == "ignorable":
			a.drops, err = parseEither(value, "drop", "keep")
		case key == "scripts" && k.takesScripts:
			a.cuts, err = parseEither(value, "cut", "keep")
		case key == "parts" && k.takesParts:
			a.placed, err = parseEither(value, "placed", "stacked")
		default:
			err = fmt.Errorf("unknown option: %s takes %s", k.name, strings.Join(k.options(), ", "))
		}
		if err != nil {
			return nil, fmt.Errorf("option %q: %w", option, err)
		}
	}
	said := func(key string) bool { return slices.Contains(seen, key) }
	if said("stop") && said("stop-words") {
		return nil, fmt.Errorf("options stop and stop-words say the same thing twice")
	}
	switch {
	case !k.takesApostrophes:
		a.apostrophes = true
	case said("apostrophes"):
		a.apostrophes = apostrophes
	default: // options from before there was the option keep them
		a.apostrophes = slices.ContainsFunc([]string{"unicode", "fold", "ignorable", "scripts", "stop-words"}, said)
	}
	if k.language != nil {
		a.stop, a.named = a.stopWords(stop), a.stopWords(k.language.Stop)
	}
	if a.placed {
		return compound{a}, nil
	}
	return a, nil
}

// options returns the options that an analyzer of k takes.
func (k kind) options() []string {
	all := []string{"max", "unicode", "ignorable"}
	if k.language != nil {
		all = append(all, "stop", "stop-words")
	}
	if k.takesApostrophes {
		all = append(all, "apostrophes")
	}
	if k.takesFolds {
		all = append(all, "fold")
	}
	if k.takesScripts {
		all = append(all, "scripts")
	}
	if k.takesParts {
		all = append(all, "parts")
	}
	return all
}

// parseEither reports whether value is yes, and not no.
func parseEither(value, yes, no string) (bool, error) {
	if value != yes && value != no {
		return false, fmt.Errorf("want %s or %s", yes, no)
	}
	return value == yes, nil
}

func parseMax(value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > MaxTokenBytes {
		return 0, fmt.Errorf("want a number from 1 to %d", MaxTokenBytes)
	}
	return n, nil
}

// Name implements Analyzer.
func (a *builtin) Name() string { return a.name }

// Options implements Analyzer. It leaves out unicode and what follows it where they have their default,
// and, if it leaves out unicode, fold, ignorable and scripts, apostrophes=keep.
func (a *builtin) Options() string {
	s := "max=" + strconv.Itoa(a.max)
	if a.language != nil {
		s += ",stop=" + a.stop.value(a.language.Name, a.named)
	}
	switch {
	case !a.takesApostrophes:
	case a.apostrophes:
		s += ",apostrophes=fold"
	case a.form != a.kind.form || a.folds != 0 || a.drops || a.cuts:
		s += ",apostrophes=keep"
	}
	if a.form != a.kind.form {
		s += ",unicode=" + formNames[a.form]
	}
	if a.folds != 0 {
		s += ",fold=" + a.folds.String()
	}
	if a.drops {
		s += ",ignorable=drop"
	}
	if a.cuts {
		s += ",scripts=cut"
	}
	if a.placed {
		s += ",parts=placed"
	}
	return s
}

// String returns name and options.
func (a *builtin) String() string { return a.name + "(" + a.Options() + ")" }

// Tokenizer implements Analyzer.
func (a *builtin) Tokenizer() Tokenizer { return a.makeFor(a) }
