package analysis

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pinion-index/pinion/internal/errs"
)

// MaxNameBytes is the length in bytes of the longest name of an analyzer.
const MaxNameBytes = 255

// ErrUnknown means that no analyzer is registered under a name.
var ErrUnknown = errors.New("unknown analyzer")

// ErrInvalid is matched by the errors for an analyzer that cannot be used: a name that
// cannot be one, no function that makes it, or a function that makes nothing of use.
var ErrInvalid = errs.New("invalid analyzer")

type registration struct {
	name string
	make func(options string) (Analyzer, error)
}

var registered = struct {
	sync.RWMutex
	all []registration // in order of registration
}{all: builtins()}

func builtins() []registration {
	var all []registration
	for _, k := range kinds {
		all = append(all, registration{k.name, k.parse})
	}
	return all
}

// Register registers an analyzer under a name of 1 to MaxNameBytes bytes of UTF-8.
// The function make returns the analyzer for options: empty for the defaults, or what
// its method Options has returned. It must be safe for concurrent use. Registering a
// name twice is an error. Programs register their analyzers before they open an index
// whose schema names them, to write it or to search it.
func Register(name string, make func(options string) (Analyzer, error)) error {
	if name == "" || len(name) > MaxNameBytes || !utf8.ValidString(name) {
		return fmt.Errorf("analysis: %w: %q cannot be its name", ErrInvalid, name)
	}
	if make == nil {
		return fmt.Errorf("analysis: %w %q: there is no function that makes it", ErrInvalid, name)
	}
	registered.Lock()
	defer registered.Unlock()
	if find(name) >= 0 {
		return fmt.Errorf("analysis: %w: %q is already registered", ErrInvalid, name)
	}
	registered.all = append(registered.all, registration{name, make})
	return nil
}

// languages are the analyzers that package languages registers.
const languages = `arabic danish dutch finnish french german hungarian irish italian norwegian portuguese romanian russian
	spanish swedish tamil turkish`

// find returns the index of a name in registered.all, or -1.
func find(name string) int {
	return slices.IndexFunc(registered.all, func(r registration) bool { return r.name == name })
}

// Names returns the registered names, those of this package first.
func Names() []string {
	registered.RLock()
	defer registered.RUnlock()
	names := make([]string, len(registered.all))
	for i, r := range registered.all {
		names[i] = r.name
	}
	return names
}

// New returns the analyzer registered as name. It fails with ErrUnknown if there is
// none. Options of this package's analyzers are a
// comma-separated list of key=value:
//
//	max=N             tokens over N bytes are dropped, 1 <= N <= 65535, counted after
//	                  folding apostrophes and before anything else; terms over 65535
//	                  bytes are dropped whatever N is. In cjk a token is a pair, in code
//	                  an identifier, which is dropped with its parts
//	stop=none         languages only: all words stay; the other value is the name of the
//	                  analyzer, which stands for its list, the default
//	stop-words=WORDS  languages only: these are left out instead, joined by +. Indexes
//	                  record them as stop=WORDS, behind max, where they are read too
//	apostrophes=fold  standard and english only: U+2018, U+2019, U+201B, U+02BC and
//	                  U+FF07 are read as U+0027, so that both forms of "dog's" are one
//	                  term; the other value is keep
//	unicode=nfc       words are normalized to the form NFC, so that composed and decomposed
//	                  letters are the same; the other values are nfkc (full-width and
//	                  half-width forms and ligatures are ordinary letters too) and keep
//	fold=accents+case all but whitespace and keyword: accents, case or both. With accents,
//	                  Latin and Greek letters lose their marks, and æ, œ, ø, ł, đ, ð, þ, ħ,
//	                  ŧ and ı are ae, oe, o, l, d, d, th, h, t and i. With case, lower-case
//	                  letters that differ in case alone are one, as ß and ss, ς and σ. Stop
//	                  words and stemmers see what folding leaves; with accents+late, in
//	                  languages, stop words are those of the list as they are written. The
//	                  other value is none.
//	ignorable=drop    characters that cannot be seen (Default_Ignorable_Code_Point), such as
//	                  soft hyphens, are left out of words; the other value is keep
//	scripts=cut       standard and languages only: a word ends where Han, Kana and Hangul
//	                  meet letters and digits of other scripts, so that Tokyo is a word in
//	                  東京Tokyo and in Tokyo에서; the other value is keep
//	parts=placed      code only: the analyzer is a Compound. The terms of parts begin with +,
//	                  and parts stand one after the other, the first where the identifier
//	                  is; what cjk cuts into pairs is cut so. The other value is stacked
//
// Empty options stand for max=255,apostrophes=fold,unicode=nfkc,fold=accents+case,ignorable=drop,scripts=cut in standard and english, with
// the stop list of english there; for fold=accents+case,ignorable=drop in cjk; for ignorable=drop,scripts=cut and the stop list in other
// languages; and for no option elsewhere. Options writes what they stand for in full.
//
// Options that are not empty may be those of an index that is older than an option, so what they leave out is as it was then.
// unicode is nfc in languages other than english, nfkc in cjk and keep elsewhere. fold is none, ignorable and scripts are keep, and
// parts is stacked. Languages other than english and cjk always fold apostrophes. In standard and english, options that say nothing of
// apostrophes, unicode, fold, ignorable, scripts and stop-words keep them.
func New(name, options string) (Analyzer, error) {
	registered.RLock()
	i := find(name)
	var r registration
	if i >= 0 {
		r = registered.all[i]
	}
	registered.RUnlock()
	if i < 0 && slices.Contains(strings.Fields(languages), name) {
		return nil, fmt.Errorf("analysis: %w %q: a program that uses it imports github.com/pinion-index/pinion/analysis/languages", ErrUnknown, name)
	}
	if i < 0 {
		return nil, fmt.Errorf("analysis: %w %q (known: %s)", ErrUnknown, name, strings.Join(Names(), ", "))
	}
	a, err := r.make(options)
	if err != nil {
		return nil, fmt.Errorf("analysis: analyzer %s: %w", name, err)
	}
	switch {
	case a == nil:
		return nil, fmt.Errorf("analysis: %w: what is registered as %q makes none", ErrInvalid, name)
	case a.Name() != name:
		return nil, fmt.Errorf("analysis: %w: the one registered as %q is named %q", ErrInvalid, name, a.Name())
	case a.Tokenizer() == nil:
		return nil, fmt.Errorf("analysis: %w: %q has no Tokenizer", ErrInvalid, name)
	}
	return a, nil
}
