package analysis

import (
	"slices"
	"strings"
	"testing"
)

// terms runs a fresh Tokenizer over text.
func terms(t testing.TB, name, options, text string) []string {
	t.Helper()
	a, err := New(name, options)
	if err != nil {
		t.Fatal(err)
	}
	var toks Tokens
	a.Tokenizer().Tokenize(&toks, []byte(text))
	return stringsOf(&toks)
}

func stringsOf(toks *Tokens) []string {
	out := make([]string, toks.Len())
	for i := range out {
		out[i] = string(toks.Term(i))
	}
	return out
}

func TestTerms(t *testing.T) {
	long := strings.Repeat("x", 64)
	wide := strings.Repeat("Ⱥ", 32) // 64 bytes, 96 lower-cased
	tests := []struct{ name, options, text, want string }{
		{"simple", "", "", ""},
		{"simple", "", "Hello, World! C3PO", "hello world c3po"},
		{"simple", "", "don't U.S. co-op x_y", "don t u s co op x y"},
		{"simple", "", "Zürich ÉCOLE Ελλάς МОСКВА ١٢٣ Ⅷ", "zürich école ελλάς москва ١٢٣"},
		{"simple", "", "\u212aelvin İstanbul ǅ", "kelvin istanbul ǆ"},
		{"simple", "", "日本語テキスト 한국어", "日本語テキスト 한국어"},
		{"simple", "", "bad\xff\xfeutf8 \xe2\x82", "bad utf8"},
		{"simple", "", "e\u0301a", "e a"},
		{"simple", "", long + " " + long + "y z", long + " z"},
		{"simple", "", wide + " Ⱥa" + wide, strings.Repeat("ⱥ", 32)},
		{"simple", "max=3", "one three 1234 abc", "one abc"},
		{"simple", "", "𐐀𐐁 𝟘𝟙 😀a", "𐐨𐐩 𝟘𝟙 a"},
		{"standard", "", "Can't stop 3.14 foo@bar.com U.S.A. x-y 😀", "can't stop 3.14 foo bar.com u.s.a x y"},
		{"standard", "max=4", "four fives ÄÖ ÄÖÜ", "four äö"},
		{"standard", "", "日本 カタカナ", "日 本 カタカナ"},
		{"english", "", "The Running dogs' national generously", "run dog nation generous"},
		{"english", "stop=none", "The Running dogs' national generously", "the run dog nation generous"},
		{"english", "stop=english", "The cat is on the mat", "cat mat"},
		{"english", "stop=cat+mat", "The cat is on the mats", "the is on the mat"},
		{"english", "stop=english+english", "none the English", "none the"},
		{"english", "stop=none+none", "none the English", "the english"},
		{"english", "", "the dog’s bone, ‘dogs’ dogʼs DOG＇S dog‛s dog's", "dog bone dog dog dog dog dog"},
		{"english", "stop=english", "the dog’s bone", "dog’ bone"},
		{"english", "apostrophes=fold,stop-words=isn’t", "it isn’t isnʼt ISN'T", "it"},
		{"standard", "", "isn’t O‘Neill ʼtis м’ята rock ’n’ roll 5’10", "isn't o'neill tis м'ята rock n roll 5'10"},
		{"standard", "apostrophes=keep", "isn’t O‘Neill ʼtis м‛ята", "isn’t o‘neill ʼtis м ята"},
		{"standard", "apostrophes=fold,max=5", "isn’t isn’tx", "isn't"},
		{"simple", "", "isn’t isnʼt", "isn t isnʼt"},
		{"whitespace", "", "isn’t", "isn’t"},
		// Characters that cannot be seen: they stay inside words (UAX 29, WB4), but for U+200B.
		{"standard", "max=255,apostrophes=fold", "co\u00adop co\u200dop co\u200cop co\ufeffop co\u2060op co\u200bop", "co\u00adop co\u200dop co\u200cop co\ufeffop co\u2060op co op"},
		{"simple", "", "co\u00adop co\u200dop co\ufeffop co\u200bop", "co op co op co op co op"},
		{"cjk", "", "東京都", "東京 京都"},
		{"cjk", "", "第3回、a 猫 LG전자는", "第 3 回 a 猫 lg 전자 자는"},
		{"cjk", "", "日本語のタワー。ｶﾞｽ ガス", "日本 本語 語の のタ タワ ワー ガス ガス"},
		{"cjk", "", "時々〇・々", "時々 々〇 々"},
		{"cjk", "max=255", "Ｗｅｂサイト Don’t Straße", "web サイ イト don't straße"},
		{"cjk", "", "ภาษาไทย ສະ ខ្មែរ မြန်", "ภา าษ ษา าไ ไท ทย ສະ ខ្មែ មែរ မြန်"},
		{"cjk", "", "か\u3099き \u1112\u1161\u11ab\u1100\u1173\u11af", "がき 한글"},
		{"cjk", "unicode=keep", "ｶﾞｽ か\u3099き Ａ", "ｶﾞｽ か\u3099き ａ"},
		{"cjk", "max=5", "日本 日 abcdef", "日"},
		{"cjk", "fold=accents+case", "Straße か\u3099き é", "strasse がき e"},
		{"cjk", "", "\xe6\x97 \xe6日\xff本", "日 本"},
		{"code", "", "parseHTTPRequest2 snake_case __init__ X", "parsehttprequest2 parse http request 2 snake_case snake case __init__ init x"},
		{"code", "", "os.path.join(std::vector<int>, a/b-c.go) $x @y _ __", "os path join std vector int a b c go x y"},
		{"code", "", "fooFoo ABCDef HTTPs utf8 0x1F iPhone éCOLEÉt x1y2", "foofoo foo foo abcdef abc def https htt ps utf8 utf 8 0x1f 0 x 1 f iphone i phone écoleét é cole ét x1y2 x 1 y 2"},
		{"code", "", "e\u0301a_B\u0301c 日本Foo \u0301a", "e\u0301a_b\u0301c e\u0301a b\u0301c 日本foo 日本 foo a"},
		{"code", "max=4", "abcdE aBcd A_BC", "abcd a bcd a_bc a bc"},
		{"code", "", "a\xffB aB\xffC", "a b ab a b c"},
		{"standard", "unicode=nfc", "e\u0301t\u00e9 \u212bA \u1100\u1161", "\u00e9t\u00e9 \u00e5a \uac00"},
		{"standard", "unicode=nfkc", "Ｆｏｏ ﬁn ｶﾞｽ ２５ e\u0301", "foo fin ガス 25 \u00e9"},
		{"standard", "fold=accents", "Crème Brûlée Œuvre Łódź Ångström Ελλάδα дай Ёж がé", "creme brulee oeuvre lodz angstrom ελλαδα дай ёж が e"},
		{"standard", "fold=accents", "e\u0301a\u0323\u0308 и\u0306 か\u3099", "ea и\u0306 か\u3099"},
		{"standard", "fold=case", "Straße STRASSE ΣΊΣΥΦΟΣ Σίσυφος ﬃ ſo", "strasse strasse σίσυφοσ σίσυφοσ ffi so"},
		{"standard", "fold=accents+case", "ΣΊΣΥΦΟΣ Σίσυφος Füße", "σισυφοσ σισυφοσ fusse"},
		{"standard", "fold=case,unicode=nfc", "ΐ ῗ", "ΐ ῗ"},
		{"english", "fold=accents", "The cafés’ naïve résumés", "cafe naiv resum"},
		{"english", "fold=accents,stop-words=café", "the cafe Café", "the"},
		{"standard", "ignorable=drop", "co\u00adop co\u200dop co\u200cop co\ufeffop co\u2060op co\u200bop \u115f", "coop coop coop coop coop co op"},
		{"english", "ignorable=drop", "the\u00ad run\u00adning Ge\u00adsamt\u00adkonzept", "run gesamtkonzept"},
		{"cjk", "ignorable=drop", "das Ge\u00adsamt\u00adkonzept Gesamt\u2060konzept 東\u2060京\U000E0100都\u200b市", "das gesamtkonzept gesamtkonzept 東京 京都 市"},
		{"cjk", "max=255", "東\u2060京", "東 京"},
		{"simple", "ignorable=drop", "co\u00adop co\u200bop e\u0301a", "coop co op e a"},
		{"simple", "unicode=nfc", "U\u0308bung \u0301a क\u093f Ａ e\u0301\u00adx", "übung a क\u093f ａ é x"},
		{"simple", "unicode=nfkc,fold=accents+case,ignorable=drop", "Gro\u00adße E\u0301cole ﬁn ２５ Ａ", "grosse ecole fin 25 a"},
		{"whitespace", "unicode=nfc,ignorable=drop", "E\u0301a \u00ad b\u00adc", "\u00c9a bc"},
		{"code", "unicode=nfc,ignorable=drop", "read\u00adFrame e\u0301aB", "readframe read frame éab éa b"},
		{"code", "fold=accents", "caféBar", "cafebar cafe bar"},
		{"code", "parts=placed", "parseHTTPRequest2 snake_case __init__ X", "parsehttprequest2 +parse +http +request +2 snake_case +snake +case __init__ +init x"},
		{"code", "parts=placed", "// 调用getUserName函数 名Foo用2 한국어 用_a", "调用 getusername +get +user +name 函数 名 foo 用 2 한국 국어 用 _a +a"},
		// As indexes that are older than options recorded them: words stay as they are.
		{"standard", "max=255,apostrophes=fold", "Café cafe\u0301 Gro\u00adße Tokyo에서 Ａ ﬁ ½ dog’s", "café cafe\u0301 gro\u00adße tokyo에서 ａ ﬁ ½ dog's"},
		{"standard", "max=255", "Café Gro\u00adße dog’s", "café gro\u00adße dog’s"},
		{"english", "max=255,stop=english,apostrophes=fold", "The Cafés’ Tokyo에서 na\u00adive", "café tokyo에서 na\u00adiv"},
		{"cjk", "max=255", "Café Gro\u00adße", "café gro\u00adße"},
		// The defaults.
		{"standard", "", "Café cafe\u0301 Gro\u00adße Tokyo에서 Ａ ﬁ ½ dog’s", "cafe cafe grosse tokyo 에서 a fi 1⁄2 dog's"},
		{"english", "", "The Cafés’ Tokyo에서 na\u00adive", "cafe tokyo 에서 naiv"},
		{"cjk", "", "Café Gro\u00adße 東\u2060京", "cafe grosse 東京"},
		{"whitespace", "", " a\tB\u00a0c\u2003d\ne!  ", "a B c d e!"},
		{"whitespace", "max=2", "ab abc \xff\xfe \xff", "ab \xff\xfe \xff"},
	}
	for _, tt := range tests {
		got := terms(t, tt.name, tt.options, tt.text)
		if want := strings.Fields(tt.want); !slices.Equal(got, want) {
			t.Errorf("%s(%s) %q:\n got %q\nwant %q", tt.name, tt.options, tt.text, got, want)
		}
	}
}

func TestKeyword(t *testing.T) {
	long := strings.Repeat("x", MaxTokenBytes)
	for _, tt := range []struct{ options, text, want string }{
		{"unicode=nfc", "U\u0308bung A", "\u00dcbung A"}, {"unicode=nfkc,ignorable=drop", "Ａ\u200b\u00adb", "Ab"}, {"ignorable=drop", "\u00ad", ""},
		{"", "", ""}, {"", " New York \n", " New York \n"}, {"", "\xff\x00", "\xff\x00"}, {"", long, long}, {"", long + "x", ""},
		{"max=3", "abc", "abc"}, {"max=3", "abcd", ""},
	} {
		got := strings.Join(terms(t, "keyword", tt.options, tt.text), "+")
		if got != tt.want {
			t.Errorf("keyword(%s) %.20q: %.20q", tt.options, tt.text, got)
		}
	}
}

func TestNew(t *testing.T) {
	for _, tt := range []struct{ name, options, want string }{
		{"simple", "", "max=64"},
		{"simple", "max=7", "max=7"},
		{"standard", "", "max=255,apostrophes=fold,unicode=nfkc,fold=accents+case,ignorable=drop,scripts=cut"},
		{"standard", "max=255,apostrophes=fold", "max=255,apostrophes=fold"},
		{"standard", "max=255", "max=255"},
		{"standard", "apostrophes=keep", "max=255"},
		{"standard", "apostrophes=fold,max=9", "max=9,apostrophes=fold"},
		{"whitespace", "", "max=65535"},
		{"english", "", "max=255,stop=english,apostrophes=fold,unicode=nfkc,fold=accents+case,ignorable=drop,scripts=cut"},
		{"english", "max=255,stop=english,apostrophes=fold", "max=255,stop=english,apostrophes=fold"},
		{"cjk", "", "max=255,fold=accents+case,ignorable=drop"},
		{"cjk", "max=255", "max=255"},
		{"cjk", "unicode=nfkc,fold=none", "max=255"},
		{"cjk", "fold=case,unicode=keep,max=9", "max=9,unicode=keep,fold=case"},
		{"code", "", "max=255"},
		{"keyword", "", "max=65535"},
		{"standard", "fold=case+accents,unicode=nfkc", "max=255,apostrophes=fold,unicode=nfkc,fold=accents+case"},
		{"standard", "fold=accents", "max=255,apostrophes=fold,fold=accents"},
		{"standard", "fold=accents,apostrophes=keep", "max=255,apostrophes=keep,fold=accents"},
		{"standard", "unicode=nfc,apostrophes=keep", "max=255,apostrophes=keep,unicode=nfc"},
		{"standard", "unicode=keep,fold=none", "max=255,apostrophes=fold"},
		{"standard", "apostrophes=keep,fold=none", "max=255"},
		{"english", "unicode=nfc", "max=255,stop=english,apostrophes=fold,unicode=nfc"},
		{"english", "fold=case+case,stop=strasse+straße", "max=255,stop=strasse,apostrophes=fold,fold=case"},
		{"english", "stop=don’t+don't,apostrophes=fold", "max=255,stop=don't,apostrophes=fold"},
		{"english", "max=255,stop=don’t", "max=255,stop=don’t"},
		{"english", "max=255,stop=no", "max=255,stop=no"}, // as indexes record it
		{"english", "stop-words=no", "max=255,stop=no,apostrophes=fold"},
		{"english", "stop-words=none", "max=255,stop=none+none,apostrophes=fold"},
		{"english", "stop-words=the+a,apostrophes=keep", "max=255,stop=a+the"},
		{"english", "stop=english", "max=255,stop=english"},
		{"english", "stop=the+a,max=9", "max=9,stop=a+the"},
		{"english", "stop=" + strings.Join(strings.Fields(englishStopText), "+"), "max=255,stop=english"},
		{"english", "stop=english+english", "max=255,stop=english+english"},
		{"english", "stop=none+none", "max=255,stop=none+none"},
		{"english", "stop=none+english", "max=255,stop=english+none"},
		{"english", "fold=late+accents", "max=255,stop=english,apostrophes=fold,fold=accents+late"},
		{"english", "ignorable=drop", "max=255,stop=english,apostrophes=fold,ignorable=drop"},
		{"standard", "ignorable=drop,apostrophes=keep", "max=255,apostrophes=keep,ignorable=drop"},
		{"standard", "ignorable=keep", "max=255,apostrophes=fold"},
		{"simple", "ignorable=drop,fold=case+accents,unicode=nfc", "max=64,unicode=nfc,fold=accents+case,ignorable=drop"},
		{"code", "parts=placed,unicode=nfkc", "max=255,unicode=nfkc,parts=placed"},
		{"code", "parts=stacked,unicode=keep,ignorable=keep,fold=none", "max=255"},
		{"cjk", "ignorable=drop", "max=255,ignorable=drop"},
		{"keyword", "unicode=nfc", "max=65535,unicode=nfc"},
		{"standard", "scripts=cut", "max=255,apostrophes=fold,scripts=cut"},
		{"standard", "scripts=cut,apostrophes=keep", "max=255,apostrophes=keep,scripts=cut"},
		{"standard", "scripts=keep", "max=255,apostrophes=fold"},
		{"english", "scripts=cut,ignorable=drop,fold=accents", "max=255,stop=english,apostrophes=fold,fold=accents,ignorable=drop,scripts=cut"},
	} {
		a, err := New(tt.name, tt.options)
		if err != nil {
			t.Errorf("New(%q, %q): %v", tt.name, tt.options, err)
			continue
		}
		if a.Options() != tt.want || a.Name() != tt.name {
			t.Errorf("New(%q, %q) is %s, want options %q", tt.name, tt.options, a, tt.want)
		}
		again, err := New(a.Name(), a.Options())
		if err != nil || again.Name() != a.Name() || again.Options() != a.Options() {
			t.Errorf("New does not accept its own canonical form %s: %v", a, err)
		}
	}
	for _, tt := range []struct{ name, options, want string }{
		{"", "", "unknown analyzer"},
		{"Simple", "", "known: simple, standard, english, whitespace, cjk, code, keyword"},
		{"simple", "max", "from 1 to 65535"},
		{"simple", "max=0", "from 1 to 65535"},
		{"simple", "max=65536", "from 1 to 65535"},
		{"simple", "max=1,max=1", "given twice"},
		{"simple", "stop=english", "unknown option"},
		{"english", "stop=no", "want none or english; words to leave out are stop-words=no"},
		{"english", "apostrophes=fold,stop=german", "want none or english; words to leave out are stop-words=german"},
		{"english", "stop=none,stop-words=a", "twice"},
		{"english", "stop-words=", "not a lower-case word"},
		{"standard", "stop-words=a", "unknown option: standard takes max, unicode, ignorable, apostrophes, fold, scripts"},
		{"english", "stopwords=a", "unknown option: english takes max, unicode, ignorable, stop, stop-words, apostrophes, fold, scripts"},
		{"english", "stop=", "not a lower-case word"},
		{"english", "stop=a+The", "not a lower-case word"},
		{"english", "stem=none", "unknown option"},
		{"english", "apostrophes=", "fold or keep"},
		{"standard", "apostrophes=fold,apostrophes=fold", "given twice"},
		{"simple", "apostrophes=fold", "unknown option"},
		{"cjk", "apostrophes=fold", "unknown option"},
		{"code", "parts=apart", "placed or stacked"},
		{"simple", "parts=placed", "unknown option"},
		{"keyword", "stop=none", "unknown option"},
		{"keyword", "fold=accents", "unknown option"},
		{"whitespace", "fold=case", "unknown option"},
		{"whitespace", "ignorable=none", "drop or keep"},
		{"standard", "unicode=nfd", "keep, nfc or nfkc"},
		{"standard", "fold=accent", "none, accents, case or accents+case"},
		{"standard", "fold=none+case", "none, accents, case or accents+case"},
		{"standard", "stop=none", "unknown option"},
		{"standard", "fold=accents+late", "late is for languages"},
		{"standard", "scripts=apart", "cut or keep"},
		{"simple", "scripts=cut", "unknown option"},
		{"german", "", "imports github.com/pinion-index/pinion/analysis/languages"},
		{"whitespace", "apostrophes=fold", "unknown option"},
	} {
		if _, err := New(tt.name, tt.options); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("New(%q, %q): error %v, want one with %q", tt.name, tt.options, err, tt.want)
		}
	}
}

const englishStopText = `a an and are as at be but by for if in into is it no not of on or such
	that the their then there these they this to was will with`

func TestTokensAreReused(t *testing.T) {
	text := []byte(strings.Repeat("The quick brown fox can't jump over Zürich's lazy dogs 42 times. ", 20))
	for _, name := range Names()[:len(kinds)] {
		a, err := New(name, "")
		if err != nil {
			t.Fatal(err)
		}
		var toks Tokens
		tokenizer := a.Tokenizer()
		run := func() {
			toks.Reset()
			tokenizer.Tokenize(&toks, text)
		}
		run()
		if n := testing.AllocsPerRun(20, run); n != 0 {
			t.Errorf("%s: %v allocations a document in the steady state", name, n)
		}
		if raw, _ := toks.Raw(); cap(raw)-len(raw) < slack {
			t.Errorf("%s: no readable bytes after the last token", name)
		}
	}
}
