package exchange

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/schema"
)

const extractedText = `<doc id="12" url="https://en.wikipedia.org/wiki?curid=12" title="Anarchism">
Anarchism

Anarchism is a political philosophy &lt;b&gt; &amp; p < 0.05.

</doc>
<doc id="39" url="https://x/39" title=""Weird Al" &amp; Co">
Only text.
</doc>
`

const dumpText = `<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" xml:lang="en">
  <siteinfo>
    <sitename>Wikipedia</sitename>
  </siteinfo>
  <page>
    <title>A &amp; B</title>
    <ns>0</ns>
    <id>10</id>
    <revision>
      <id>99</id>
      <text bytes="9" xml:space="preserve">old</text>
    </revision>
    <revision>
      <id>100</id>
      <text bytes="9" xml:space="preserve">'''A''' is [[B|the letter b]].
&lt;ref name="x"&gt;gone&lt;/ref&gt;{{Infobox|a=1}}</text>
    </revision>
  </page>
  <page>
    <title>R</title>
    <ns>0</ns>
    <id>11</id>
    <redirect title="A &amp; B" />
    <revision><id>1</id><text xml:space="preserve">#REDIRECT [[A]]</text></revision>
  </page>
  <page><title>Talk:A</title><ns>1</ns><id>12</id><revision><id>1</id><text>talk</text></revision></page>
  <page><title>Gone</title><ns>0</ns><id>13</id><revision><id>1</id><text deleted="deleted" /></revision></page>
</mediawiki>
`

// TestWiki reads what WikiExtractor writes and dumps of MediaWiki, alone, packed and in folders.
func TestWiki(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		format     Format
		docs       []doc
		ignored    map[string]uint64
		passed     map[string]uint64
	}{
		{"wiki_00", extractedText, FormatExtracted, []doc{{"12", "Anarchism\nAnarchism is a political philosophy <b> & p < 0.05."}, {"39", "\"Weird Al\" & Co\nOnly text."}},
			map[string]uint64{"url": 2}, nil},
		{"dump.xml", dumpText, FormatDump, []doc{{"10", "A & B\nA is the letter b."}, {"13", "Gone"}}, map[string]uint64{},
			map[string]uint64{"redirects": 1, "pages that are no articles": 1}},
		{"dump.xml", "<?xml version=\"1.0\"?>\n" + dumpText, FormatDump, []doc{{"10", "A & B\nA is the letter b."}, {"13", "Gone"}}, map[string]uint64{},
			map[string]uint64{"redirects": 1, "pages that are no articles": 1}},
	} {
		dir := t.TempDir()
		path := write(t, filepath.Join(dir, "AA"+tt.name), []byte(tt.text))
		for _, in := range []string{path, dir, write(t, filepath.Join(t.TempDir(), tt.name+".gz"), gzipped([]byte(tt.text)))} {
			d, err := OpenDocuments(in, DocumentOptions{})
			if err != nil {
				t.Fatal(err)
			}
			docs, errs := readAll(d)
			compareDocs(t, docs, tt.docs)
			compareErrors(t, errs, nil)
			if d.Formats()[tt.format] != 1 || !maps.Equal(d.Ignored(), tt.ignored) || !maps.Equal(d.Passed(), tt.passed) {
				t.Errorf("%s: %v, ignored %v, passed %v", in, d.Formats(), d.Ignored(), d.Passed())
			}
			d.Close()
		}
		s := &schema.Schema{Fields: []schema.Field{{Name: "title", Kind: schema.Keyword}, {Name: "text", Kind: schema.Text}}}
		d, err := OpenDocuments(path, DocumentOptions{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		id, values, err := d.NextValues()
		if err != nil || string(id) != tt.docs[0].id || len(values) != 2 || string(values[0].Bytes())+"\n"+string(values[1].Bytes()) != tt.docs[0].contents {
			t.Errorf("%s: %q, %q, %v", tt.name, id, values, err)
		}
		d.Close()
		if docs, _, err := readAs(t, tt.text, DocumentOptions{AutoID: true, Fields: Fields{Contents: []string{"title"}}}); err != nil || !strings.HasPrefix(docs[0].id, ":") {
			t.Errorf("%s: %q, %v", tt.name, docs, err)
		}
		if _, err := OpenDocuments(path, DocumentOptions{Fields: Fields{ID: "isbn"}}); err == nil || !strings.Contains(err.Error(), path+`: field "isbn" is missing; there are ["id"`) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	_, _, err := readAs(t, dumpText[:strings.Index(dumpText, "Talk")], DocumentOptions{})
	if err == nil || !strings.Contains(err.Error(), "in:26: the file ends inside this page") {
		t.Error(err)
	}
	if docs, _, err := readAs(t, strings.ReplaceAll(dumpText, "\n", " "), DocumentOptions{Format: FormatDump}); err != nil || len(docs) != 2 || docs[1].id != "13" {
		t.Errorf("all on one line: %q, %v", docs, err)
	}
	d, err := OpenDocuments(write(t, filepath.Join(t.TempDir(), "in"), []byte(strings.Replace(dumpText, "old", strings.Repeat("old\n", 1000), 1))), DocumentOptions{MaxRecord: 2000})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if docs, errs := readAll(d); len(docs) != 1 || len(errs) != 1 || !strings.Contains(errs[0], "in:5: the page is longer than 2000 bytes") {
		t.Errorf("%q, %q", docs, errs)
	}
}

// TestWikitext removes markup, and nothing that is not closed.
func TestWikitext(t *testing.T) {
	for text, want := range map[string]string{
		"'''Bold''' and ''italic'' it's":                                     "Bold and italic it's",
		"== Head ==\n* one\n## two\n: three":                                 " Head \n one\n two\n three",
		"a [[b]] [[c|d e]] [[File:x.jpg|thumb|100px|A [[small|big]] cat]] f": "a b d e A big cat f",
		"[http://x.org the site] and [http://y.org] and [not a link]":        "the site] and  and [not a link]",
		"a {{t|x={{u|y}}|z}} b":                                              "a   b",
		"a {| class=x\n|-\n| cell || other\n|} b":                            "a   b",
		"a<ref>note [[x]]</ref> b<ref name=y /> c<!-- no -->d":               "a  b  c d",
		"x<br>y<references/>z <sup>2</sup>":                                  "x y z  2 ",
		"a {{ b [[ c | d\n }} ]]":                                            "a   ]]",
		"open {{ here":                                                       "open  here", "open [[ here | there\nnext | x": "open  there\nnext | x",
		"open <ref> here": "open  here", "p < 0.05 &nbsp; &amp;": "p < 0.05 \u00a0 &", "}} ]] |}": "}} ]] |}", "{{a}}}": " }",
	} {
		if got := string(appendWikitext([]byte("before|"), []byte(text))); got != "before|"+want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, mark := range []string{"[http", "[http:// ", "<!", "<!-- ", "<a", "=", "{{", "[[", "|", "'", "<ref>"} { // in time that grows as the text does
		text := "x" + strings.Repeat(mark, 2<<20/len(mark)) + "y"
		if got := appendWikitext(nil, []byte(text)); len(got) > len(text) {
			t.Errorf("%d bytes of %s: %d", len(text), mark, len(got))
		}
	}
	rapid.Check(t, func(t *rapid.T) { // words outside of markup stay, in order
		parts := rapid.SliceOf(rapid.SampledFrom([]string{"{{", "}}", "[[", "]]", "|", "{|", "|}", "<ref>", "</ref>", "<!--", "-->", "''", "\n", "=", "[http://", " word ", "&lt;", "<"})).Draw(t, "parts")
		text := strings.Join(parts, "")
		got := string(appendWikitext(nil, []byte("first "+text+"\n")))
		if !strings.HasPrefix(got, "first ") || len(got) > len("first "+text)+1+2*len(parts) {
			t.Fatalf("%q: %q", text, got)
		}
	})
}
