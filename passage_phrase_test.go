package pinion_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// marker returns a Searcher whose Marks is asked, over an index with the fields plain, of analyzer simple, en, of
// english, tag, a keyword, and code, whose words have parts.
func marker(t *testing.T) *pinion.View {
	t.Helper()
	fs := memfs.New()
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "plain", Kind: schema.Text, Analyzer: "simple"}, {Name: "en", Kind: schema.Text, Analyzer: "english"}, {Name: "tag", Kind: schema.Keyword},
		{Name: "code", Kind: schema.Text, Analyzer: "code", Options: "parts=placed,unicode=nfc,ignorable=drop", Positions: true}}}})
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(err)
	do(w.Add(t.Context(), writer.Doc{ID: []byte("a"), Values: []schema.Value{schema.TextValue(0, []byte("a"))}}))
	do(w.Commit(t.Context()))
	do(w.Close())
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	do(err)
	t.Cleanup(func() { x.Close() })
	snapshot, err := x.Snapshot()
	do(err)
	t.Cleanup(func() { snapshot.Close() })
	s, err := pinion.NewView(snapshot, nil)
	do(err)
	t.Cleanup(func() { s.Close() })
	return s
}

// bracketed returns the text with its marks in brackets.
func bracketed(t interface{ Fatal(...any) }, s *pinion.View, n query.Node, field, text string) string {
	spans, err := s.Marks(n, field, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	at := 0
	for _, x := range spans {
		fmt.Fprintf(&b, "%s[%s]", text[at:x.Start], text[x.Start:x.End])
		at = x.End
	}
	return b.String() + text[at:]
}

// A typed word is marked where its whole is, and where its parts stand one after the other.
func TestCompoundMarked(t *testing.T) {
	s := marker(t)
	match := func(text string) query.Node { return query.Match{Field: "code", Text: text} }
	phrase := func(text string, prefix bool) query.Node {
		return query.Phrase{Field: "code", Text: text, Prefix: prefix}
	}
	for _, tt := range []struct {
		node       query.Node
		text, want string
	}{
		{match("readframe"), "x.readFrame(read)", "x.[readFrame](read)"},
		{match("readFrame"), "read_frame, readHeader, read (frame)", "[read]_[frame], readHeader, [read] ([frame])"},
		{match("frame"), "a readFrame frame", "a read[Frame] [frame]"},
		{match("getUserName"), "// 调用getUserName函数", "// 调用[getUserName]函数"},
		{match("函数名"), "调用getUserName函数名", "调用getUserName[函数名]"},
		{match("cafe\u0301Bar"), "ca\u00adf\u00e9Bar", "[ca\u00adf\u00e9Bar]"},
		{phrase("(c *Conn) Close()", false), "func (c *UnixConn) Close; func (c *Conn) CloseRead()", "func (c *UnixConn) Close; func ([c] *[Conn]) [Close]Read()"},
		{phrase("readFrame", false), "readframe read frames", "[readframe] read frames"},
		{phrase("read fra", true), "readFrames frame", "[read][Frames] frame"},
		{query.Prefix{Field: "code", Text: "fra"}, "readFrame framed", "read[Frame] [framed]"},
		{query.Fuzzy{Field: "code", Text: "frane", Edits: 1}, "readFrame frane", "read[Frame] [frane]"},
	} {
		if got := bracketed(t, s, tt.node, "code", tt.text); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.node, got, tt.want)
		}
	}
}

// The words of a phrase are marked where it matches, and others everywhere.
func TestPhrasesMarked(t *testing.T) {
	s := marker(t)
	phrase := func(text string) query.Phrase { return query.Phrase{Field: "plain", Text: text} }
	for _, tt := range []struct {
		node       query.Node
		field      string
		text, want string
	}{
		{phrase("red rose"), "plain", "a rose, Red rose red", "a rose, [Red] [rose] red"},
		{phrase("red rose"), "plain", "rose red", "rose red"},
		{query.Bool{Must: []query.Node{phrase("red rose"), query.Match{Field: "plain", Text: "rose"}}}, "plain", "rose, red rose red", "[rose], [red] [rose] red"},
		{query.Bool{Should: []query.Node{query.Match{Field: "plain", Text: "rose"}, phrase("red rose")}}, "plain", "rose, red rose red", "[rose], [red] [rose] red"},
		{query.Bool{Should: []query.Node{phrase("red rose"), phrase("rose garden")}}, "plain", "red rose garden red garden", "[red] [rose] [garden] red garden"},
		{query.Bool{Must: []query.Node{query.Match{Field: "plain", Text: "a"}}, MustNot: []query.Node{phrase("red rose")}}, "plain", "a red rose", "[a] red rose"},
		{query.Phrase{Field: "plain", Text: "red rose", Slop: 1}, "plain", "red x rose red x y rose", "[red] x [rose] red x y rose"},
		{query.Phrase{Field: "plain", Text: "red rose", Slop: 2}, "plain", "rose red", "[rose] [red]"},
		{query.Phrase{Field: "plain", Text: "red ro", Prefix: true}, "plain", "red rows ro red rose", "[red] [rows] ro [red] [rose]"},
		{query.Phrase{Field: "plain", Text: "ro", Prefix: true}, "plain", "red rows ro red rose", "red [rows] [ro] red [rose]"},
		{query.Phrase{Field: "plain", Text: "to be to"}, "plain", "to be to be to be", "[to] [be] [to] be to be"},
		{query.Phrase{Field: "plain", Terms: []string{"to", "be"}}, "plain", "to be to", "[to] [be] to"},
		{query.Phrase{Field: "plain", Text: "red"}, "plain", "a red rose", "a [red] rose"},
		{query.Phrase{Field: "en", Text: "flights to London"}, "en", "a flight to London, flights London", "a [flight] to [London], flights London"},
		{query.Phrase{Text: "red rose"}, "en", "roses, red roses", "roses, [red] [roses]"},
		{query.Phrase{Text: "red rose"}, "plain", "roses, red rose", "roses, [red] [rose]"},
		{query.Phrase{Field: "en", Text: "red rose"}, "plain", "red rose", "red rose"},
		{query.Phrase{Field: "plain", Text: "red rose", Slop: -1}, "plain", "red rose", "red rose"},
		{query.Near{Field: "plain", Text: "red rose", Distance: 1}, "plain", "rose x red, rose x y red", "[rose] x [red], rose x y red"},
		{query.Near{Field: "plain", Text: "red rose", Distance: 1, Ordered: true}, "plain", "rose x red x rose", "rose x [red] x [rose]"},
		{query.Bool{Should: []query.Node{phrase("red rose"), query.Prefix{Field: "plain", Text: "ro"}}}, "plain", "rose, row, red rose red", "[rose], [row], [red] [rose] red"},
		{query.Bool{Should: []query.Node{query.Phrase{Field: "plain", Text: "red ro", Prefix: true}, query.Term{Field: "plain", Text: "row"}}}, "plain", "row, ro, red ro", "[row], ro, [red] [ro]"},
	} {
		if got := bracketed(t, s, tt.node, tt.field, tt.text); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.node, got, tt.want)
		}
	}
}

// As many words are marked as the matches of a phrase have.
func TestPhraseMarksCount(t *testing.T) {
	s := marker(t)
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c"})
		text := rapid.SliceOfN(word, 0, 12).Draw(t, "text")
		words := rapid.SliceOfN(word, 2, 4).Draw(t, "words")
		slop := rapid.IntRange(0, 3).Draw(t, "slop")
		c := oracle.Case{Slop: slop, Near: rapid.Bool().Draw(t, "near")}
		c.Ordered = c.Near && rapid.Bool().Draw(t, "ordered")
		for _, w := range words {
			c.Places = append(c.Places, []string{w})
		}
		var n query.Node = query.Phrase{Field: "plain", Terms: words, Slop: slop}
		if c.Near {
			n = query.Near{Field: "plain", Terms: words, Distance: slop, Ordered: c.Ordered}
		}
		got := bracketed(t, s, n, "plain", strings.Join(text, " "))
		if want := len(words) * c.Sequence().Count(text, nil); strings.Count(got, "[") != want {
			t.Fatalf("%+v: %s, want %d marks", n, got, want)
		}
	})
}
