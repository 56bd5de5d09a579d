package automata

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// word returns a random word of letters that patterns have too, of several lengths in UTF-8, and bytes that are
// not UTF-8.
func word(rng *rand.Rand, most int) string {
	letters := []string{"a", "b", "b", "c", "é", "语", "😀", "è", "ÿ", "ȩ", "讯", "😁", "\ue000", "-", "\xe8", "\x80", "\ufffd", "\x00"}
	var s strings.Builder
	for range rng.IntN(most + 1) {
		s.WriteString(letters[rng.IntN(len(letters))])
	}
	return s.String()
}

// accepts runs a over a word. Once no term is accepted any more, none that goes on may be.
func accepts(t *testing.T, a *Automaton, word string) bool {
	t.Helper()
	s := a.Start()
	for i := range len(word) {
		if s = a.Next(s, word[i]); s == 0 {
			if a.Accepts(s) || a.Next(s, 'a') != 0 {
				t.Fatal("a state that accepts nothing accepts")
			}
			return false
		}
	}
	if a.Matches([]byte(word)) != a.Accepts(s) {
		t.Fatalf("whether %q is accepted depends on who asks", word)
	}
	return a.Accepts(s)
}

// distance is the optimal string alignment distance of two words, by its definition: a table of the distances
// of their beginnings.
func distance(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0:
				d[i][j] = j
			case j == 0:
				d[i][j] = i
			default:
				change := 1
				if a[i-1] == b[j-1] {
					change = 0
				}
				d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+change)
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					d[i][j] = min(d[i][j], d[i-2][j-2]+1)
				}
			}
		}
	}
	return d[len(a)][len(b)]
}

// Fuzzy accepts the words within a distance, of which a beginning is fixed.
func TestFuzzy(t *testing.T) {
	rng := rand.New(rand.NewPCG(351, 1))
	for range 600 {
		from := word(rng, 8)
		edits, fixed := rng.IntN(MaxEdits+1), max(0, rng.IntN(6)-3)
		a, err := Fuzzy(from, edits, fixed)
		if err != nil {
			t.Fatal(err)
		}
		x := []rune(from)
		for range 200 {
			to := word(rng, 9)
			if rng.IntN(2) == 0 {
				to = edited(rng, x)
			}
			y, n := []rune(to), min(fixed, len(x))
			want := len(y) >= n && string(x[:n]) == string(y[:n]) && distance(x[n:], y[n:]) <= edits
			if got := accepts(t, a, to); got != want {
				t.Fatalf("%q from %q within %d edits behind %d: %v, want %v", to, from, edits, fixed, got, want)
			}
		}
	}
	if _, err := Fuzzy(strings.Repeat("é", MaxFuzzy), 2, 0); err != nil {
		t.Error(err)
	}
	if _, err := Fuzzy(strings.Repeat("é", MaxFuzzy+1), 2, 0); err == nil {
		t.Error("a word that is too long")
	}
}

// FuzzyPrefix accepts the words of which a beginning is within a distance.
func TestFuzzyPrefix(t *testing.T) {
	rng := rand.New(rand.NewPCG(351, 2))
	for range 600 {
		from := word(rng, 6)
		edits, fixed := rng.IntN(MaxEdits+1), max(0, rng.IntN(6)-3)
		a, err := FuzzyPrefix(from, edits, fixed)
		if err != nil {
			t.Fatal(err)
		}
		x := []rune(from)
		for range 200 {
			to := word(rng, 9)
			if rng.IntN(2) == 0 {
				to = edited(rng, x) + word(rng, 4)
			}
			y, n := []rune(to), min(fixed, len(x))
			want := false
			for end := n; end <= len(y) && !want; end++ {
				want = string(x[:n]) == string(y[:n]) && distance(x[n:], y[n:end]) <= edits
			}
			if got := accepts(t, a, to); got != want {
				t.Fatalf("%q begins as %q within %d edits behind %d: %v, want %v", to, from, edits, fixed, got, want)
			}
		}
	}
	if a, err := FuzzyPrefix(strings.Repeat("é", MaxFuzzy), 2, 0); err != nil || !accepts(t, a, strings.Repeat("é", MaxFuzzy)+"a") {
		t.Error(err)
	}
	if _, err := FuzzyPrefix(strings.Repeat("é", MaxFuzzy+1), 2, 0); err == nil {
		t.Error("a word that is too long")
	}
}

// edited returns x with a few edits.
func edited(rng *rand.Rand, x []rune) string {
	y := append([]rune(nil), x...)
	for range 1 + rng.IntN(3) {
		switch i := rng.IntN(len(y) + 1); {
		case i < len(y) && rng.IntN(3) == 0:
			y = append(y[:i], y[i+1:]...)
		case i+1 < len(y) && rng.IntN(2) == 0:
			y[i], y[i+1] = y[i+1], y[i]
		default:
			y = append(y[:i], append([]rune("b"), y[i:]...)...)
		}
	}
	return string(y)
}

// Wildcard accepts what a regular expression of package regexp accepts.
func TestWildcard(t *testing.T) {
	rng := rand.New(rand.NewPCG(351, 2))
	for range 2000 {
		var pattern, same strings.Builder
		for range rng.IntN(5) {
			switch s := word(rng, 2); rng.IntN(4) {
			case 0:
				pattern.WriteString("*")
				same.WriteString(".*")
			case 1:
				pattern.WriteString("?")
				same.WriteString(".")
			case 2:
				c := string(`*?\a`[rng.IntN(4)])
				pattern.WriteString(`\` + c)
				same.WriteString(regexp.QuoteMeta(c))
			default:
				s = strings.ToValidUTF8(s, "-")
				pattern.WriteString(s)
				same.WriteString(regexp.QuoteMeta(s))
			}
		}
		a, err := Wildcard(pattern.String())
		if err != nil {
			t.Fatal(err)
		}
		agree(t, rng, pattern.String(), same.String(), a)
	}
}

// Regexp accepts what package regexp accepts, for expressions that it takes.
func TestRegexp(t *testing.T) {
	rng := rand.New(rand.NewPCG(351, 3))
	for range 3000 {
		pattern := randomExpression(rng, 3)
		a, err := Regexp(pattern)
		if err != nil {
			t.Fatalf("%q: %v", pattern, err)
		}
		agree(t, rng, pattern, pattern, a)
	}
}

// agree fails the test if a differs from what package regexp makes of same.
func agree(t *testing.T, rng *rand.Rand, pattern, same string, a *Automaton) {
	t.Helper()
	re, err := regexp.Compile(`\A(?s:` + same + `)\z`)
	if err != nil {
		t.Fatal(err)
	}
	for range 40 {
		s := word(rng, 6)
		if got, want := accepts(t, a, s), re.MatchString(s); got != want {
			t.Fatalf("%q accepts %q: %v, want %v", pattern, s, got, want)
		}
	}
	if a.Err() != nil {
		t.Fatalf("%q: %v", pattern, a.Err())
	}
}

func randomExpression(rng *rand.Rand, depth int) string {
	atoms := []string{"a", "b", "é", "语", ".", "[ab]", "[^a]", "[a-c-]", `[^é\-\]x]`, `\d`, `\W`, `\w`, `\s`, `\S`, `\*`, `[\w-]`, `[\W\d]`, "😀", "[à-ë]", "[^一-讯]", "[a-😀]", "[é-\ue000]", `\-`, "-", `[\\^]`}
	if depth == 0 {
		return atoms[rng.IntN(len(atoms))]
	}
	sub := func() string { return randomExpression(rng, depth-1) }
	switch rng.IntN(6) {
	case 0:
		return sub() + sub()
	case 1:
		return "(" + sub() + "|" + sub() + ")"
	case 2:
		times := []string{"*", "+", "?", "{2}", "{0}", "{1,}", "{0,2}", "{1,3}", "{0,}"}
		return "(" + sub() + ")" + times[rng.IntN(len(times))]
	case 3:
		return "(|" + sub() + ")"
	case 4:
		return sub() + "|" + sub()
	}
	return sub()
}

// What is no pattern is an error with its place.
func TestErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		"a(b":       "offset 1: nothing closes this (",
		"a)b":       "offset 1: nothing opens this )",
		"a[bc":      "offset 1: nothing closes this [",
		"a{2":       "offset 1: nothing closes this {",
		"a{2,1}":    "offset 1: {2,1} is none of {n}, {n,} and {n,m} with numbers up to 1000",
		"a{+1}":     "offset 1: {+1} is none of {n}, {n,} and {n,m} with numbers up to 1000",
		"a{1001}":   "offset 1: {1001} is none of {n}, {n,} and {n,m} with numbers up to 1000",
		"*a":        "offset 0: nothing precedes *",
		"a|+":       "offset 2: nothing precedes +",
		"(?i)a":     "offset 1: nothing precedes ?",
		"a*?":       "offset 2: '?' follows a repetition",
		"^a$":       `offset 0: ^ is written \^ (the pattern matches whole terms)`,
		"[z-a]":     "offset 1: z-a is no range",
		`[a-\d]`:    `offset 1: a-\d is no range`,
		"[]a]":      `offset 1: ] in a class is written \]`,
		`ab\`:       `offset 2: nothing follows \`,
		`\b`:        `offset 0: unknown \b`,
		`é\p{L}`:    `offset 2: unknown \p`,
		"a{900}{2}": "offset 6: '{' follows a repetition",
	} {
		_, err := Regexp(pattern)
		if at := new(SyntaxError); err == nil || err.Error() != want || !errors.As(err, &at) {
			t.Errorf("%s: %v, want %s", pattern, err, want)
		}
	}
	if _, err := Wildcard(`é\`); err == nil || err.Error() != `offset 2: nothing follows \` {
		t.Error(err)
	}
	if _, err := Regexp(strings.Repeat("(", 10000)); err == nil {
		t.Error("many brackets")
	}
	for _, make := range []func() (*Automaton, error){
		func() (*Automaton, error) { return Regexp("((a{100}){100}){100}") },
		func() (*Automaton, error) { return Wildcard(strings.Repeat("a", 5000)) },
	} {
		if _, err := make(); !errors.Is(err, ErrComplex) {
			t.Error(err)
		}
	}
	a, err := Regexp("[ab]*a[ab]{30}")
	if err != nil {
		t.Fatal(err)
	}
	rng, s := rand.New(rand.NewPCG(351, 4)), a.Start()
	for range 10 * MaxStates {
		if s = a.Next(s, "ab"[rng.IntN(2)]); s == 0 {
			break
		}
	}
	if err := a.Err(); !errors.Is(err, ErrComplex) || err.Error() != fmt.Sprintf("pattern is too complex: it needs more than %d states", MaxStates) {
		t.Error(err)
	}
}
