package analysis

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// describe cuts text and returns what TestPlaces compares.
func describe(t *testing.T, name, options, text string) []string {
	t.Helper()
	a, err := New(name, options)
	if err != nil {
		t.Fatal(err)
	}
	var toks Tokens
	a.Tokenizer().Tokenize(&toks, []byte(text))
	return places(&toks, text)
}

func places(toks *Tokens, text string) []string {
	var out []string
	position := -1
	for token := range toks.All() {
		position += token.Increment
		out = append(out, strings.Repeat("_", position-len(out))+string(token.Term)+"="+text[token.Start:token.End])
	}
	return out
}

// TestPlaces checks source ranges and positions. An underscore before a term is a
// position without a token.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct{ name, options, text, want string }{
		{"simple", "", "Hello, World", "hello=Hello world=World"},
		{"simple", "max=3", "one three THE four", "one=one _the=THE"},
		{"simple", "max=3", "abcd abcd É", "__é=É"},
		{"simple", "max=3", "\u212a abcd Ⱥ", "k=\u212a _ⱥ=Ⱥ"}, // lengths change: run by run
		{"standard", "max=4", "Can't, five ÄÖÜ x-Y", "_five=five __x=x __y=Y"},
		{"standard", "", "Can't, \u212a", "can't=Can't, k=\u212a"},
		{"standard", "", "Dog’s b ’ dog＇s ʼtis", "dog's=Dog’s b=b dog's=dog＇s tis=tis"},
		{"english", "", "É the dogʼs of’s", "e=É _dog=dogʼs _of=of’s"},
		{"english", "stop=the+of", "The Kings of the dogs", "_king=Kings ___dog=dogs"},
		{"cjk", "", "a 東京都 bc É", "a=a 東京=東京 京都=京都 bc=bc e=É"},
		{"cjk", "max=6", "abcdefg 東京都 abcdefg 日", "_東京=東京 _京都=京都 __日=日"},
		{"cjk", "max=5", "日本語 a", "__a=a"},
		{"standard", "", "cafe\u0301 Gro\u00adße Tokyo에서", "cafe=cafe\u0301 grosse=Gro\u00adße tokyo=Tokyo 에서=에서"},
		{"code", "max=3", "open fs", "_fs=fs"},
		{"whitespace", "max=3", "ab\tabcd É", "ab=ab _É=É"},
	} {
		want := strings.Fields(strings.ReplaceAll(tt.want, "Can't,", "Can't"))
		if got := describe(t, tt.name, tt.options, tt.text); !slices.Equal(got, want) {
			t.Errorf("%s(%s) %q:\n got %q\nwant %q", tt.name, tt.options, tt.text, got, want)
		}
	}
}

// Parts are at the position of their identifier, and a repeated one counts each time.
func TestCodePlaces(t *testing.T) {
	a, err := New("code", "")
	if err != nil {
		t.Fatal(err)
	}
	var toks Tokens
	text := "x.fooFoo_2 y"
	a.Tokenizer().Tokenize(&toks, []byte(text))
	want := []Token{{[]byte("x"), 0, 1, 1}, {[]byte("foofoo_2"), 2, 10, 1}, {[]byte("foo"), 2, 5, 0}, {[]byte("foo"), 5, 8, 0}, {[]byte("2"), 9, 10, 0}, {[]byte("y"), 11, 12, 1}}
	if got := slices.Collect(toks.All()); !reflect.DeepEqual(got, want) {
		t.Errorf("%q gives %+v, want %+v", text, got, want)
	}
}

// A word that is too long for an index in lower case only is dropped, and leaves a gap.
func TestLongLowerCase(t *testing.T) {
	fits := strings.Repeat("\u023a", MaxTokenBytes/3) // 2 bytes each, 3 in lower case
	for _, name := range []string{"simple", "standard", "english"} {
		for _, tt := range []struct{ text, want string }{
			{"one " + fits + " two", "one " + strings.ToLower(fits) + " two"},
			{"one " + fits + "a two", "one two"},
			{"one " + strings.Repeat("\u023e", 32000) + " two", "one two"},
		} {
			got := terms(t, name, "max=65535", tt.text)
			if want := strings.Fields(tt.want); !slices.Equal(got, want) {
				t.Errorf("%s: %d terms of %d bytes, want %d", name, len(got), len(strings.Join(got, "")), len(want))
			}
		}
		text := "one " + fits + "a two"
		if got, want := describe(t, name, "max=65535", text), []string{"one=one", "_two=two"}; !slices.Equal(got, want) {
			t.Errorf("%s: %.100q, want %q", name, got, want)
		}
	}
}

// Terms past 4 GiB, where a Span cannot reach, are dropped.
func TestTooManyBytes(t *testing.T) {
	defer func(limit uint64) { maxBytes = limit }(maxBytes)
	maxBytes = 10
	if got := terms(t, "standard", "", "five six seven ten"); !slices.Equal(got, []string{"five", "six", "ten"}) {
		t.Errorf("terms %q", got)
	}
}

func TestAdd(t *testing.T) {
	text := "a  wi fi"
	var toks Tokens
	toks.Add(Token{Term: []byte("a"), Start: 0, End: 1, Increment: 1})
	toks.Add(Token{Increment: 1}) // empty
	toks.Add(Token{Term: make([]byte, MaxTokenBytes+1), Increment: 1})
	toks.Add(Token{Term: []byte("wifi"), Start: 3, End: 8, Increment: 1})
	toks.Add(Token{Term: []byte("wi"), Start: 3, End: 5, Increment: 0})
	toks.Add(Token{Term: []byte("fi"), Start: 6, End: 8, Increment: 2})
	want := []Token{{[]byte("a"), 0, 1, 1}, {[]byte("wifi"), 3, 8, 3}, {[]byte("wi"), 3, 5, 0}, {[]byte("fi"), 6, 8, 2}}
	if toks.Len() != len(want) {
		t.Fatalf("%d tokens of %q, want %d", toks.Len(), text, len(want))
	}
	for i, w := range want {
		if got := toks.At(i); string(got.Term) != string(w.Term) || got.Start != w.Start || got.End != w.End || got.Increment != w.Increment {
			t.Errorf("token %d is %+v, want %+v", i, got, w)
		}
	}
	toks.Reset()
	if toks.Len() != 0 || len(places(&toks, text)) != 0 {
		t.Error("Reset leaves tokens")
	}
}
