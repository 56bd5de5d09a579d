package analysis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxTokenBytes is the greatest token length that an index can hold, and so the
// greatest value of the option max.
const MaxTokenBytes = 65535

// MaxTextBytes is the longest text that a Tokenizer accepts in one call, in
// bytes; a document must not be longer.
const MaxTextBytes = 1 << 30

// Tokenizer cuts text into tokens. It keeps scratch memory, so each goroutine
// needs its own; Analyzer.Tokenizer makes them.
type Tokenizer interface {
	// Append appends the tokens of text, at most MaxTextBytes long, to dst. It
	// keeps neither text nor dst.
	Append(dst *Tokens, text []byte)
}

// Analyzer is one way to turn text into terms, options included. It is immutable
// and safe for concurrent use. Two analyzers give the same terms for every text
// if their Name and Options are equal.
type Analyzer struct {
	name string
	max  int
	stop stopList
}

// kind describes an analyzer that New can make.
type kind struct {
	name string
	max  int  // default of the option max
	stop bool // takes the option stop
	make func(*Analyzer) Tokenizer
}

var kinds = []kind{
	{"simple", 64, false, newSimple},
	{"standard", 255, false, newStandard},
	{"english", 255, true, newEnglish},
	{"whitespace", MaxTokenBytes, false, newWhitespace},
}

// Names returns the names that New knows.
func Names() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

func kindOf(name string) (kind, bool) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return kind{}, false
	}
	return kinds[i], true
}

// New returns the analyzer called name. options is empty for the defaults or a
// comma-separated list of key=value:
//
//	max=N      tokens over N bytes are dropped, 1 <= N <= 65535; simple counts
//	           before lower-casing, english before stemming
//	stop=LIST  english only: none (default), english (33 words), or words joined by +
func New(name, options string) (*Analyzer, error) {
	k, ok := kindOf(name)
	if !ok {
		return nil, fmt.Errorf("analysis: unknown analyzer %q (known: %s)", name, strings.Join(Names(), ", "))
	}
	a := &Analyzer{name: name, max: k.max}
	if options == "" {
		return a, nil
	}
	seen := map[string]bool{}
	for option := range strings.SplitSeq(options, ",") {
		key, value, _ := strings.Cut(option, "=")
		if seen[key] {
			return nil, fmt.Errorf("analysis: option %s of analyzer %s is given twice", key, name)
		}
		seen[key] = true
		var err error
		switch {
		case key == "max":
			a.max, err = parseMax(value)
		case key == "stop" && k.stop:
			a.stop, err = parseStop(value)
		default:
			err = fmt.Errorf("unknown option")
		}
		if err != nil {
			return nil, fmt.Errorf("analysis: option %q of analyzer %s: %w", option, name, err)
		}
	}
	return a, nil
}

func parseMax(value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > MaxTokenBytes {
		return 0, fmt.Errorf("want a number from 1 to %d", MaxTokenBytes)
	}
	return n, nil
}

// Name returns the name under which New makes this analyzer.
func (a *Analyzer) Name() string { return a.name }

// Options returns all options in canonical form: equal analyzers give equal
// strings, and New accepts it.
func (a *Analyzer) Options() string {
	s := "max=" + strconv.Itoa(a.max)
	if k, _ := kindOf(a.name); k.stop {
		s += ",stop=" + a.stop.String()
	}
	return s
}

// String returns name and options.
func (a *Analyzer) String() string { return a.name + "(" + a.Options() + ")" }

// Tokenizer returns a new Tokenizer.
func (a *Analyzer) Tokenizer() Tokenizer {
	k, _ := kindOf(a.name)
	return k.make(a)
}
