package analysis

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// TestAlike says which words are one term, and where each stands in its text.
func TestAlike(t *testing.T) {
	for _, tt := range []struct{ text, want, sources string }{ // sources: the parts of text that the terms stand for, joined by |
		{"caf\u00e9 cafe\u0301 cafe CAFÉ", "cafe cafe cafe cafe", "caf\u00e9|cafe\u0301|cafe|CAFÉ"},
		{"Ge\u00adsamt\u00adkonzept", "gesamtkonzept", "Ge\u00adsamt\u00adkonzept"},
		{"co\u200dop co\u200cop co\u2060op \u200eco\ufeffop", "coop coop coop coop", "co\u200dop|co\u200cop|co\u2060op|co\ufeffop"},
		{"a\u200bb \u00ad x", "a b x", "a|b|x"},
		{"東京Tokyo", "東 京 tokyo", "東|京|Tokyo"},
		{"iPhone15を", "iphone15 を", "iPhone15|を"},
		{"iPhone15은 3월", "iphone15 은 3 월", "iPhone15|은|3|월"},
		{"서울Tokyo에서", "서울 tokyo 에서", "서울|Tokyo|에서"},
		{"\u1109\u1165\u110b\u116e\u11afTokyo", "서울 tokyo", "\u1109\u1165\u110b\u116e\u11af|Tokyo"},
		{"カタカナ_Tokyo_ガ", "カタカナ tokyo ガ", "カタカナ|Tokyo|ガ"},
		{"한.a 々a _한_", "한 a 々 a _한_", "한|a|々|a|_한_"},
		{"か\u3099x ｶﾞｽx ガスX", "が x ガス x ガス x", "か\u3099|x|ｶﾞｽ|x|ガス|X"},
		{"Ｔｏｋｙｏ １５ ﬁn ㎏", "tokyo 15 fin", "Ｔｏｋｙｏ|１５|ﬁn"},
		{"Straße STRASSE ΣΊΣΥΦΟΣ Σίσυφος", "strasse strasse σισυφοσ σισυφοσ", "Straße|STRASSE|ΣΊΣΥΦΟΣ|Σίσυφος"},
		{"й и\u0306 Привет한", "й й привет 한", "й|и\u0306|Привет|한"},
		{"dog’s한’s", "dog's 한 s", "dog’s|한|s"},
		{"e\u0301\u00ad\u0323한\u00ad\u0301a", "e 한\u0301 a", "e\u0301\u00ad\u0323|한\u00ad\u0301|a"},
	} {
		a, err := New("standard", alike)
		if err != nil {
			t.Fatal(err)
		}
		var toks Tokens
		a.Tokenizer().Tokenize(&toks, []byte(tt.text))
		var sources []string
		for token := range toks.All() {
			sources = append(sources, tt.text[token.Start:token.End])
			if token.Increment != 1 {
				t.Errorf("%+q: term %q at increment %d", tt.text, token.Term, token.Increment)
			}
		}
		if got, want := stringsOf(&toks), strings.Fields(tt.want); !slices.Equal(got, want) || strings.Join(sources, "|") != tt.sources {
			t.Errorf("%+q:\n got %+q of %+q\nwant %+q of %+q", tt.text, got, sources, want, strings.Split(tt.sources, "|"))
		}
	}
	// What the option does without the others, and that it is the option that does it.
	for _, tt := range []struct{ name, options, text, want string }{
		{"standard", "scripts=cut", "Tokyo에서 é한", "tokyo 에서 é 한"},
		{"standard", "scripts=keep", "Tokyo에서 é한", "tokyo에서 é한"},
		{"standard", "scripts=cut,max=5", "Tokyo에서 abcdefg한", "tokyo 한"},
		{"english", "scripts=cut", "the한 Dogs를", "한 dog 를"},
		{"english", "scripts=cut,stop=none", "the한", "the 한"},
	} {
		if got, want := terms(t, tt.name, tt.options, tt.text), strings.Fields(tt.want); !slices.Equal(got, want) {
			t.Errorf("%s(%s) %q: %q, want %q", tt.name, tt.options, tt.text, got, want)
		}
	}
}

// TestForms holds that composed and decomposed texts have the same terms at the same positions, and the same with what cannot be seen
// strewn into the words.
func TestForms(t *testing.T) {
	alphabet := []rune("aAeEzZ09 .,'’_-éÉßİıǅΣσςΐЖйё日本々かがガカｶﾞ한각\u1100\u1161\u11a8\u0301\u0323\u0308\u3099ŉﬁÅå½②ÿĄ") // no emoji: a joiner makes one a part of the word before it (UAX 29, WB3c)
	unseenRunes := []rune("\u00ad\u200d\u2060\ufe0f")
	a, err := New("standard", alike)
	if err != nil {
		t.Fatal(err)
	}
	tokenizer := a.Tokenizer()
	type place struct {
		term     string
		position int
	}
	places := func(text string) (all []place) {
		var toks Tokens
		tokenizer.Tokenize(&toks, []byte(text))
		at := -1
		for token := range toks.All() {
			at += token.Increment
			all = append(all, place{string(token.Term), at})
		}
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, 40).Draw(t, "text"))
		composed, decomposed := norm.NFC.String(text), norm.NFD.String(text)
		want := places(composed)
		if got := places(decomposed); !slices.Equal(got, want) {
			t.Fatalf("%+q has %v, %+q has %v", composed, want, decomposed, got)
		}
		var strewn strings.Builder
		for i, r := range composed {
			strewn.WriteRune(r)
			if n := len(string(r)); unicode.IsLetter(r) && i+n < len(composed) && rapid.IntRange(0, 3).Draw(t, "strew") == 0 {
				strewn.WriteRune(rapid.SampledFrom(unseenRunes).Draw(t, "unseen"))
			}
		}
		if got := places(strewn.String()); !slices.Equal(got, want) {
			t.Fatalf("%+q has %v, %+q has %v", composed, want, strewn.String(), got)
		}
	})
}

// TestEastern compares the ranges with the scripts of Unicode: every letter of those scripts is in them, and no other letter is.
func TestEastern(t *testing.T) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		want := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || strings.ContainsRune("ーｰ〱〲〳〴〵〆〼ﾞﾟ", r)
		if unicode.IsLetter(r) && isEastern(r) != want {
			t.Errorf("%U: %v", r, !want)
		}
		if isEastern(r) && !mayBeEastern([]byte(string(r))) {
			t.Errorf("%U has no byte from 0xe1 on", r)
		}
	}
}
