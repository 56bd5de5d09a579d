package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// ByteSize is a flag that takes sizes such as 512MiB, 1.5GB, 64k or 4096.
type ByteSize int64

var _ pflag.Value = (*ByteSize)(nil)

var byteUnits = map[string]float64{
	"": 1, "b": 1,
	"k": 1 << 10, "kib": 1 << 10, "kb": 1e3,
	"m": 1 << 20, "mib": 1 << 20, "mb": 1e6,
	"g": 1 << 30, "gib": 1 << 30, "gb": 1e9,
	"t": 1 << 40, "tib": 1 << 40, "tb": 1e12,
}

// Set implements pflag.Value.
func (s *ByteSize) Set(text string) error {
	t := strings.TrimSpace(text)
	i := strings.IndexFunc(t, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if i < 0 {
		i = len(t)
	}
	v, err := strconv.ParseFloat(t[:i], 64)
	unit, ok := byteUnits[strings.ToLower(strings.TrimSpace(t[i:]))]
	if err != nil || !ok || v*unit > math.MaxInt64/2 {
		return fmt.Errorf("%q is not a size such as 512MiB or 2GB", text)
	}
	*s = ByteSize(v * unit)
	return nil
}

// String implements pflag.Value.
func (s *ByteSize) String() string {
	n := int64(*s)
	for _, u := range []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// Type implements pflag.Value.
func (s *ByteSize) Type() string { return "SIZE" }

// number is a flag that takes integers of a range.
type number struct {
	p         *int
	low, high int
}

// Any is the upper bound of a flag without one.
const Any = math.MaxInt

// Int adds a flag that takes the integers from low to high.
func Int(fl *pflag.FlagSet, p *int, name string, value, low, high int, usage string) {
	*p = value
	fl.Var(&number{p, low, high}, name, usage)
}

// QueriesUsage describes the flag --queries.
const QueriesUsage = "queries from `FILE`, in the forms that idxquery reads"

// MaxThreads bounds the flag --threads.
const MaxThreads = 1024

// Threads adds the flag --threads, whose default is one for each CPU.
func Threads(fl *pflag.FlagSet, p *int) {
	Int(fl, p, "threads", 0, 0, MaxThreads, "at most `N` threads (default: one for each CPU)")
}

// Set implements pflag.Value.
func (n *number) Set(text string) error {
	v, err := strconv.Atoi(text)
	if err != nil || v < n.low || v > n.high {
		if n.high == Any {
			return fmt.Errorf("a number from %d is wanted", n.low)
		}
		return fmt.Errorf("a number from %d to %d is wanted", n.low, n.high)
	}
	*n.p = v
	return nil
}

// String implements pflag.Value.
func (n *number) String() string {
	if n.p == nil {
		return "0"
	}
	return strconv.Itoa(*n.p)
}

// Type implements pflag.Value: pflag omits a default of 0 for this name.
func (n *number) Type() string { return "int" }

// Choice is a flag that takes one of a few words.
type Choice struct {
	Value string
	words []string
	name  string

	prefix string // of values besides words; "": there are none
}

// NewChoice returns a Choice among words; the first is the default. Help texts call
// the value name.
func NewChoice(name string, words ...string) *Choice {
	return &Choice{Value: words[0], words: words, name: name}
}

// Also lets the value be prefix and something that a word stands for, too.
func (c *Choice) Also(prefix, word string) *Choice {
	c.words, c.prefix = append(c.words, prefix+word), prefix
	return c
}

// Set implements pflag.Value.
func (c *Choice) Set(text string) error {
	if rest, ok := strings.CutPrefix(text, c.prefix); ok && c.prefix != "" && rest != "" {
		c.Value = text
		return nil
	}
	for _, w := range c.words {
		if w == text {
			c.Value = text
			return nil
		}
	}
	return fmt.Errorf("%q is none of %s%s", text, strings.Join(c.words, ", "), DidYouMean(text, c.words))
}

// String implements pflag.Value.
func (c *Choice) String() string { return c.Value }

// Type implements pflag.Value.
func (c *Choice) Type() string { return c.name }

// Words returns the words joined for a help text, which can break a line where they are
// many.
func (c *Choice) Words() string {
	if len(c.words) > 6 {
		return strings.Join(c.words, ", ")
	}
	return strings.Join(c.words, "|")
}
