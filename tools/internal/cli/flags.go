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

// MaxThreads bounds the flag --threads.
const MaxThreads = 1024

// Threads is the flag --threads: 1 to MaxThreads, or 0 for one for each CPU.
type Threads int

// Add adds the flag to fl.
func (t *Threads) Add(fl *pflag.FlagSet) {
	fl.Var(t, "threads", "at most `N` threads (default: one for each CPU)")
}

// Set implements pflag.Value.
func (t *Threads) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > MaxThreads {
		return fmt.Errorf("it is 0 to %d", MaxThreads)
	}
	*t = Threads(n)
	return nil
}

// String implements pflag.Value. The default is not shown.
func (t *Threads) String() string {
	if *t == 0 {
		return ""
	}
	return strconv.Itoa(int(*t))
}

// Type implements pflag.Value.
func (t *Threads) Type() string { return "N" }

// Choice is a flag that takes one of a few words.
type Choice struct {
	Value string
	words []string
	name  string
}

// NewChoice returns a Choice among words; the first is the default. Help texts call
// the value name.
func NewChoice(name string, words ...string) *Choice {
	return &Choice{Value: words[0], words: words, name: name}
}

// Set implements pflag.Value.
func (c *Choice) Set(text string) error {
	for _, w := range c.words {
		if w == text {
			c.Value = text
			return nil
		}
	}
	return fmt.Errorf("%q is none of %s", text, strings.Join(c.words, ", "))
}

// String implements pflag.Value.
func (c *Choice) String() string { return c.Value }

// Type implements pflag.Value.
func (c *Choice) Type() string { return c.name }

// Words returns the words joined for a help text.
func (c *Choice) Words() string { return strings.Join(c.words, "|") }
