package languages

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/analysis"
)

var texts = []struct{ name, text, want string }{
	{"arabic", "الكتاب في المدارس", "كتاب مدارس"},
	{"danish", "Bøgerne og husene var i biblioteket", "bøg hus bibliotek"},
	{"dutch", "De kinderen lopen naar de huizen", "kinder lop huiz"},
	{"finnish", "Talossa oli monta kirjaa ja kirjoja", "talo mon kirj kirj"},
	{"french", "L’homme qu'aujourd’hui j'aimais parlait des chevaux d'été, d' 's", "homm aujourd'hui aim parl cheval"},
	{"french", "L'HÔTEL e\u0301cole École presqu'île", "hôtel écol écol presqu'îl"},
	{"german", "Die Häuser der großen Städte heißen", "haus gross stadt heiss"},
	{"hungarian", "A könyvek és a házakban", "könyv ház"},
	{"irish", "An nAthair agus d'fhéach na bhfear tUisce nathair tÚll n-athair", "athair féach fear uisce nathair úll athair"},
	{"italian", "L'amico dell’università parlava con gli amici, c'è", "amic univers parl amic"},
	{"norwegian", "Bøkene og husene i bibliotekene", "bøk hus bibliotek"},
	{"portuguese", "As crianças não falavam com os professores", "crianc fal professor"},
	{"romanian", "Copiii și şi cărţile cărțile școlilor naționale naţionale", "copii cărţ cărţ şcol naţional naţional"},
	{"russian", "Ёлки елки её и книги в больших домах", "елк елк книг больш дом"},
	{"spanish", "Los niños hablaban de las canciones", "niñ habl cancion"},
	{"swedish", "Böckerna och husen i biblioteken", "böck hus bibliotek"},
	{"tamil", "மரங்கள் மற்றும் புத்தகங்களை", "மரங் புத்தகம்"},
	{"turkish", "İSTANBUL'DA IŞIKLAR I\u0307stanbul Türkiye’nin kitapları", "istanbul ışık istanbul türki kitap"},
}

func terms(t interface {
	Helper()
	Fatal(...any)
}, name, options, text string) string {
	t.Helper()
	a, err := analysis.New(name, options)
	if err != nil {
		t.Fatal(err)
	}
	return string(slices.Concat(slices.Collect(func(yield func([]byte) bool) {
		for i, term := range analysis.Terms(a.Tokenizer(), []byte(text)) {
			if i > 0 {
				yield([]byte(" "))
			}
			yield(term)
		}
	})...))
}

func TestTerms(t *testing.T) {
	seen := map[string]bool{}
	for _, tt := range texts {
		seen[tt.name] = true
		if got := terms(t, tt.name, "", tt.text); got != tt.want {
			t.Errorf("%s %q:\n got %q\nwant %q", tt.name, tt.text, got, tt.want)
		}
	}
	if len(seen) != len(all) {
		t.Errorf("%d languages of %d have a text", len(seen), len(all))
	}
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct{ name, options, canonical, text, want string }{
		{"french", "", "max=255,stop=french,ignorable=drop,scripts=cut", "e\u0301\u00adcole l’été Café에서", "écol caf 에서"},
		{"french", "max=255,stop=french", "max=255,stop=french", "e\u0301\u00adcole l’été", "é\u00adcol"},
		{"french", "max=65535", "max=65535,stop=french", strings.Repeat("ou", 32000) + "s chevaux", strings.Repeat("ou", 32000) + "s cheval"},
		{"french", "stop=none", "max=255,stop=none", "l’été", "été"},
		{"french", "stop-words=école", "max=255,stop=école", "école e\u0301coles été", "écol été"},
		{"french", "stop-words=e\u0301cole", "max=255,stop=école", "École", ""},
		{"french", "stop-words=l'école,max=9", "max=9,stop=école", "École bibliothèque", ""},
		{"french", "unicode=keep", "max=255,stop=french,unicode=keep", "e\u0301te\u0301", "e\u0301te\u0301"},
		{"french", "unicode=nfkc", "max=255,stop=french,unicode=nfkc", "ﬁlles Ａ Ｂ", "fill b"},
		{"french", "fold=accents", "max=255,stop=french,fold=accents", "À l'École, à l'ecole", "ecol ecol"},
		{"french", "fold=accents,stop=été+ete", "max=255,stop=ete,fold=accents", "l'Été", ""},
		{"french", "fold=none,unicode=nfc", "max=255,stop=french", "été", ""},
		{"french", "stop=french+french", "max=255,stop=french+french", "french été", "été"},
		{"german", "fold=case", "max=255,stop=german,fold=case", "Straße STRASSE daß dass", "strass strass"},
		{"german", "fold=case+accents", "max=255,stop=german,fold=accents+case", "Füße fusse", "fuss fuss"},
		{"french", "fold=accents+late", "max=255,stop=french,fold=accents+late", "l'été, l'ete, sur sûr SU\u0302R, les élèves, les eleves", "ete sur sur elev elev"},
		{"french", "fold=late+case+accents,stop-words=été,ignorable=drop", "max=255,stop=été,fold=accents+case+late,ignorable=drop", "Été ete É\u00adlève", "ete elev"},
		{"turkish", "fold=accents+late", "max=255,stop=turkish,fold=accents+late", "şu su ŞU KIZ kız kiz", "su kiz kiz kiz"},
		{"spanish", "fold=accents+late", "max=255,stop=spanish,fold=accents+late", "te té más mas", "te mas"},
		{"russian", "fold=accents", "max=255,stop=russian,fold=accents", "мой йод", "мо йод"},
		{"turkish", "fold=accents", "max=255,stop=turkish,fold=accents", "IŞIK ışık isik", "isik isik isik"},
	} {
		a, err := analysis.New(tt.name, tt.options)
		if err != nil {
			t.Errorf("%s(%s): %v", tt.name, tt.options, err)
			continue
		}
		if got := a.Options(); got != tt.canonical {
			t.Errorf("%s(%s) is %s, want %s", tt.name, tt.options, got, tt.canonical)
		}
		again, err := analysis.New(tt.name, a.Options())
		if err != nil || again.Options() != a.Options() {
			t.Errorf("%s(%s) again is %v, %v", tt.name, a.Options(), again, err)
		}
		for _, options := range []string{tt.options, tt.canonical} {
			if got := terms(t, tt.name, options, tt.text); got != tt.want {
				t.Errorf("%s(%s) %q:\n got %q\nwant %q", tt.name, options, tt.text, got, tt.want)
			}
		}
	}
	for _, options := range []string{"apostrophes=fold", "stop=", "stop=A", "unicode=nfd", "fold=", "fold=accents+accent", "fold=case,fold=case", "stem=none", "fold=late", "fold=none+late"} {
		if _, err := analysis.New("french", options); err == nil {
			t.Errorf("french(%s) is taken", options)
		}
	}
}

// Indexes record the names of stop lists: what the names stand for must not change.
func TestStopLists(t *testing.T) {
	var lists strings.Builder
	for _, name := range slices.Sorted(maps.Keys(stop)) {
		words := strings.Fields(stop[name])
		slices.Sort(words)
		if n := len(words); n < 20 || n > 90 || len(slices.Compact(slices.Clone(words))) != n {
			t.Errorf("%s has %d words, or one twice", name, n)
		}
		fmt.Fprintln(&lists, name, words)
		upper := strings.ToUpper
		if name == "turkish" {
			upper = func(w string) string { return strings.ToUpperSpecial(unicode.TurkishCase, w) }
		}
		for _, w := range words {
			if got := terms(t, name, "", w+" "+upper(w)); got != "" {
				t.Errorf("%s: stop word %q gives %q", name, w, got)
			}
		}
	}
	const want = "59990056e2e99e90"
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(lists.String())))[:16]; got != want {
		t.Errorf("the stop lists have changed: %s, not %s", got, want)
	}
	if len(stop) != len(all) {
		t.Errorf("%d lists of %d languages", len(stop), len(all))
	}
}

var (
	typographic = regexp.MustCompile(`[‘’‛ʼ＇]`)
	frenchElide = regexp.MustCompile(`^(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)'`)
)

// oracle does what a language does in the simplest way, for words without stop words. The
// language's own rules are in rewrite.
func oracle(text string, stem func(*snowballstem.Env) bool, rewrite func(string) string) (out []string) {
	for seg := words.FromString(typographic.ReplaceAllLiteralString(text, "'")); seg.Next(); {
		w := seg.Value()
		if !strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) || len(w) > 255 {
			continue
		}
		w = rewrite(norm.NFC.String(strings.Map(unicode.ToLower, norm.NFC.String(w))))
		env := snowballstem.NewEnv(w)
		if stem(env); w != "" && env.Current() != "" {
			out = append(out, env.Current())
		}
	}
	return out
}

// TestProperties cuts texts of the letters of each language. Stemmers must return, tokens
// must ascend inside the text, and two texts apart must give the terms of each.
func TestProperties(t *testing.T) {
	rewrites := map[string]func(string) string{
		"french":   func(w string) string { return frenchElide.ReplaceAllString(w, "") },
		"romanian": strings.NewReplacer("ș", "ş", "ț", "ţ").Replace,
		"russian":  strings.NewReplacer("ё", "е").Replace,
		"irish":    nil, "italian": nil, "turkish": nil, // TestTerms is about those
	}
	for _, l := range all {
		var alphabet []rune
		for _, tt := range texts {
			if tt.name == l.language.Name {
				alphabet = append(alphabet, []rune(tt.text)...)
			}
		}
		alphabet = append(alphabet, []rune(strings.ReplaceAll(stop[l.language.Name], "\n", " ")+"'’.\u0301\u00ad\u200dé1A\uFFFD")...)
		a, err := analysis.New(l.language.Name, "stop=none")
		if err != nil {
			t.Fatal(err)
		}
		tokenizer := a.Tokenizer()
		cut := func(text string) (terms []string) {
			for _, term := range analysis.Terms(tokenizer, []byte(text)) {
				terms = append(terms, string(term))
			}
			return terms
		}
		rewrite, special := rewrites[l.language.Name]
		if !special {
			rewrite = func(w string) string { return w }
		}
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.StringOfN(rapid.SampledFrom(alphabet), 0, 60, -1)
			x, y := text.Draw(t, "x"), text.Draw(t, "y")
			if got, want := cut(x+"\n"+y), slices.Concat(cut(x), cut(y)); !slices.Equal(got, want) {
				t.Fatalf("%s: %q and %q together are %q, not %q", a.Name(), x, y, got, want)
			}
			if rewrite != nil {
				if got, want := cut(x), oracle(x, l.stem, rewrite); !slices.Equal(got, want) {
					t.Fatalf("%s %q: %q, want %q", a.Name(), x, got, want)
				}
			}
			// In turkish, accents alone leaves the ı of a word in ASCII capitals; where a part of a word is dropped, one with an accent
			// is another part.
			same := l.language.Name != "turkish" && !(special && strings.Contains(x, "\u0301"))
			if got, want := terms(t, l.language.Name, "stop=none,fold=accents+case+late", x), terms(t, l.language.Name, "stop=none,fold=accents+case", x); got != want && same {
				t.Fatalf("%s %q: folded late %q, want %q", a.Name(), x, got, want)
			}
			b := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes")
			b = append(b, x...)
			var tokens analysis.Tokens
			tokenizer.Tokenize(&tokens, b)
			end := 0
			for token := range tokens.All() {
				if len(token.Term) == 0 || token.Start < end || token.End <= token.Start || token.End > len(b) || token.Increment < 1 {
					t.Fatalf("%s %q: token %+v after %d", a.Name(), b, token, end)
				}
				end = token.End
			}
		})
	}
}

// Text is folded as the language does.
func TestAppendFolded(t *testing.T) {
	a, err := analysis.New("turkish", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(a.(analysis.Folder).AppendFolded(nil, []byte("IŞIK"))); got != "ışık" {
		t.Errorf("%q", got)
	}
}

// Exactly the analyzers of languages say that they stem.
func TestStems(t *testing.T) {
	whole := []string{"simple", "standard", "whitespace", "cjk", "code", "keyword"}
	for _, name := range analysis.Names() {
		a, err := analysis.New(name, "")
		if err != nil {
			t.Fatal(err)
		}
		if analysis.Stems(a) == slices.Contains(whole, name) {
			t.Errorf("%s stems: %v", name, analysis.Stems(a))
		}
	}
}
