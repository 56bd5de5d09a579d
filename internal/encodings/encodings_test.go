package encodings

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func named(t *testing.T, name string) Encoding {
	t.Helper()
	e, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestNamed(t *testing.T) {
	for name, want := range map[string]string{
		"": "utf-8", "utf8": "utf-8", "Latin1": "windows-1252", " ISO-8859-15 ": "iso-8859-15", "UTF-16": "utf-16le", "sjis": "shift_jis",
	} {
		if e, err := Named(name); err != nil || e.String() != want || e.UTF8() != (want == "utf-8") {
			t.Errorf("%q: %v, %v, want %s", name, e, err, want)
		}
	}
	for _, name := range []string{"latin-one", "iso-2022-kr", "replacement", "utf-7"} { // the web refuses the second
		if e, err := Named(name); err == nil || !strings.Contains(err.Error(), "windows-1252") {
			t.Errorf("%q: %v, %v", name, e, err)
		}
	}
}

func TestOf(t *testing.T) {
	for _, tt := range []struct{ head, want string }{
		{"", "koi8-r"},
		{"plain", "koi8-r"},
		{"\ufeffplain", "utf-8"},
		{"\xff\xfep\x00", "utf-16le"},
		{"\xfe\xff\x00p", "utf-16be"},
		{"\xff\xfe\x00\x00p\x00\x00\x00", "utf-8"}, // of UTF-32, which readers refuse
		{`<?xml version="1.0" encoding="ISO-8859-1"?><topics>`, "windows-1252"},
		{"\n<?xml version='1.0'\n encoding = 'shift_jis' ?>", "shift_jis"},
		{`<?xml version="1.0" encoding="UTF-16"?>`, "utf-8"},
		{`<?xml version="1.0" encoding="ebcdic"?>`, "koi8-r"},
		{`<?xml version="1.0"?><a encoding="gbk">`, "koi8-r"},
		{`<!DOCTYPE html><meta charset="iso-8859-2">`, "iso-8859-2"},
		{`<html><head><meta http-equiv="Content-Type" content="text/html; charset=big5">`, "big5"},
		{`<!-- a --><HTML><meta charset=utf-16>`, "utf-8"},
		{`<html><meta charset=none>`, "koi8-r"},
		{`<DOC><html><meta charset=big5>`, "koi8-r"}, // a page among others
		{`{"page": "<meta charset=big5>"}`, "koi8-r"},
	} {
		if e := Of([]byte(tt.head), named(t, "koi8-r")); e.String() != tt.want {
			t.Errorf("%q: %v, want %s", tt.head, e, tt.want)
		}
	}
	if e := OfPage([]byte("<p>x"), "text/html; charset=EUC-JP", Encoding{}); e.String() != "euc-jp" {
		t.Error(e)
	}
}

func TestDecode(t *testing.T) {
	for _, tt := range []struct{ encoding, text, want string }{
		{"", "\ufeffcaf\u00e9", "caf\u00e9"},
		{"", "caf\xe9", "caf\xe9"},
		{"windows-1252", "M\xfcller \x80", "M\u00fcller \u20ac"},
		{"utf-16le", "\xff\xfeM\x00\xfc\x00", "M\u00fc"},
		{"utf-16be", "\x00M\x00\xfc", "M\u00fc"},
		{"shift_jis", "\x93\xfa\xff", "\u65e5\ufffd"},
	} {
		e := named(t, tt.encoding)
		if got := string(e.Decode([]byte(tt.text))); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.encoding, got, tt.want)
		}
		var lost Lost
		got, err := io.ReadAll(iotest.OneByteReader(e.NewReader(iotest.OneByteReader(strings.NewReader(tt.text)), &lost)))
		if string(bytes.TrimPrefix(got, []byte("\ufeff"))) != tt.want || err != nil {
			t.Errorf("%s, read: %q, want %q (%v)", tt.encoding, got, tt.want, err)
		}
	}
}

// TestLost holds that what is not in its encoding is counted, and where the first is.
func TestLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom([]string{"a", "\x93\xfa", "\xff", "b\xff\xff"})).Draw(t, "lines")
		e, _ := Named("shift_jis")
		var lost Lost
		got, err := io.ReadAll(e.NewReader(strings.NewReader(strings.Join(lines, "\n")), &lost))
		if err != nil || !utf8.Valid(got) {
			t.Fatal(err)
		}
		n, first := int64(0), int64(0)
		for i, l := range lines {
			if c := int64(strings.Count(l, "\xff")); c > 0 {
				if n += c; first == 0 {
					first = int64(i + 1)
				}
			}
		}
		if gotN, gotLine := lost.Count(); gotN != n || gotLine != first {
			t.Fatalf("%d characters from line %d on, want %d, %d", gotN, gotLine, n, first)
		}
	})
}
