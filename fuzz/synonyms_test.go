package fuzz

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// FuzzSynonyms reads a file of synonyms and rewrites a text by it: an error names a line, a text that is rewritten is so each time in the same
// way, and a set without rules for it gives it back.
func FuzzSynonyms(x *testing.F) {
	f := fuzzing.New(x)
	f.Add("usb stick, thumb drive\n# a\ni-pod, i pod => ipod\n", "cheap usb stick", uint8(0))
	f.Add(`a\,b, \=> => \\, c`, "a,b", uint8(1))
	f.Add("s(100001740,1,'o''clock',n,1,11).\ns(100001740,2,'a b',n,1,0).", "o'clock a b", uint8(2))
	f.Add("the, foo\n東京, tokyo", "東京都 the foo", uint8(7))
	s := &schema.Schema{Fields: []schema.Field{{Name: "a", Kind: schema.Text, Positions: true}, {Name: "b", Kind: schema.Text, Analyzer: "cjk"},
		{Name: "c", Kind: schema.Text, Analyzer: "code", Options: "parts=placed", Positions: true}, {Name: "d", Kind: schema.Text, Analyzer: "english"}}}
	f.Fuzz(func(t *testing.T, file, text string, how uint8) {
		file, text = file[:min(len(file), 1<<12)], text[:min(len(text), 1<<10)]
		set, err := query.ParseSynonyms(strings.NewReader(file))
		if err != nil {
			if !errors.Is(err, query.ErrInvalid) || !strings.Contains(err.Error(), "line ") {
				t.Fatal(err)
			}
			return
		}
		m := query.Match{Text: text, Mode: query.Mode(how & 1)}
		if names := []string{"", "a", "b", "c", "d"}; how&2 != 0 {
			m.Field = names[int(how>>2)%len(names)]
		}
		var words query.Or
		for _, w := range strings.Fields(text) {
			words = append(words, query.Match{Field: m.Field, Text: w, Mode: query.ModeAnd})
		}
		for _, n := range []query.Node{m, words} {
			key := query.AppendKey(nil, n)
			first, err := set.Rewrite(s, n)
			again, err2 := set.Rewrite(s, n)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if !bytes.Equal(query.AppendKey(nil, first), query.AppendKey(nil, again)) || !bytes.Equal(key, query.AppendKey(nil, n)) {
				t.Fatalf("%+v is %+v, and then %+v", n, first, again)
			}
			if none, err := new(query.Synonyms).Rewrite(s, n); err != nil || !bytes.Equal(key, query.AppendKey(nil, none)) {
				t.Fatalf("%+v is %+v: %v", n, none, err)
			}
		}
	})
}
