package serve

import (
	"errors"
	"fmt"
	"html"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// buildFields writes an index of 400 documents with fields in two segments, of which one is deleted.
func buildFields(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "fields.idx")
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Stored: true, Boost: 2, K1: 0.9},
		{Name: "body", Kind: schema.Text, Stored: true, Lengths: schema.LengthsByte},
		{Name: "tag", Kind: schema.Keyword, Stored: true},
		{Name: "year", Kind: schema.Integer, Column: true},
		{Name: "notes", Kind: schema.Text},
		{Name: "shelf", Kind: schema.Integer, Column: true}}}
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: s, MergePolicy: writer.NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 400 {
		err = errors.Join(err, w.Add(t.Context(), writer.Doc{ID: fmt.Appendf(nil, "id-%d", i), Values: []schema.Value{
			schema.TextValue(0, fmt.Appendf(nil, "every title%d", i)),
			schema.TextValue(1, []byte("every <b>body</b> says so "+strings.Repeat("again ", i%50))),
			schema.KeywordValue(2, []byte("Red")), schema.KeywordValue(2, fmt.Appendf(nil, "tag %d", i%7)),
			schema.IntegerValue(3, int64(1900+i)), schema.TextValue(4, []byte("private")), schema.IntegerValue(5, int64(i/100))}}))
		if i == 250 {
			err = errors.Join(err, w.Commit(t.Context()))
		}
	}
	if err := errors.Join(err, w.Delete(t.Context(), []byte("id-3")), w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestPagesOfFields checks that pages show terms, lists, lengths and values by field.
func TestPagesOfFields(t *testing.T) {
	dir := buildFields(t)
	h := start(t, Options{Index: dir, With: build(t)})
	for _, test := range []struct {
		path   string
		status int
		want   []string
	}{
		{"", 200, []string{`<a href="terms?field=title">title</a><td>text<td>freqs<td>yes<td>no<td class="n">399<td class="n">798<td class="n">2.0<td class="n">402`,
			`>tag</a><td>keyword<td>docs<td>yes<td>no<td class="n">399<td class="n"><td class="n"><td class="n">16<`, `<td>year<td>integer<td>none<td>no<td>yes`, "standard ("}},
		{"docs", 200, []string{"id-0", "title: every title0"}},
		{"doc?id=id-7&q=every+body", 200, []string{`>title<td class="soft">text<td class="n">2<td class="any"><pre class="text"><mark>every</mark> title7</pre>`,
			`<mark>every</mark> &lt;b&gt;<mark>body</mark>&lt;/b&gt;`, `<pre class="text">Red</pre><pre class="text">tag 0</pre>`, `<pre class="text">1907</pre>`, "not stored"}},
		{"terms", 200, []string{"<b>title</b>", `<a href="terms?field=tag">tag</a>`, "title0", `href="list?field=title&amp;term=every"`, `rel="next" href="terms?field=title&amp;from=`}},
		{"terms?field=tag", 200, []string{">Red<", "tag 6", `name="field" value="tag"`}},
		{"terms?field=tag&sort=df", 200, []string{">Red<"}},
		{"terms?field=title&sort=df", 200, []string{`rel="next" href="terms?field=title&amp;skip=100&amp;sort=df"`}},
		{"terms?field=year", 200, []string{"No terms"}},
		{"terms?field=nope", 404, []string{"no field nope; there are title, body, tag, year, notes"}},
		{"list?field=body&term=every", 200, []string{"in body", `href="list?field=title&amp;term=every"`, `href="block?block=1&amp;field=body&amp;seg=0&amp;term=every"`}},
		{"list?field=tag&term=Red", 200, []string{"<b>251</b>"}},
		{"list?term=title5", 200, []string{"singleton"}},
		{"list?field=tag&term=every", 404, []string{"no term &#34;every&#34; in field tag"}},
		{"block?field=body&term=again&seg=0&block=0", 200, []string{`id-15<td class="n">15<td class="n">21<`, `id-49<td class="n">49<td class="n">54<`, "again</a> in body"}},
		{"block?field=tag&term=Red&seg=1&block=0", 200, []string{`id-251<td class="n">1<td class="n">0<`}},
		{"block?field=tag&term=nope&seg=1&block=0", 404, []string{"in field tag"}},
		{"bytes?file=segment-000000000001.pin&term=every", 200, []string{"in field body", "in field title"}},
		{"search?q=every+title7", 200, []string{"title: title7", "body: every"}},
		{"search?q=every&filter=shelf+%3D+3&k=2", 200, []string{"2 of 100 hits", `name="filter" form="query" value="shelf = 3"`, `filter=shelf`, "id-3"}},
		{"search?q=every&filter=shelf+%3D+x", 400, []string{"at character 9", "is no integer"}},
		{"search?q=every+xyzzy", 200, []string{"The index does not have <b>xyzzy</b>"}},
		{"compare?field=body&term=again&q=every", 200, []string{"does not have the term", `name="field" value="body"`, `<a href="compare?field=title`}},
	} {
		status, body := get(t, h.URL+"/secret/"+test.path)
		if status != test.status || strings.Contains(body, "damaged") {
			t.Errorf("%s: status %d, want %d, or damage", test.path, status, test.status)
		}
		for _, want := range test.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not have %q", test.path, want)
			}
		}
	}
}

// TestFieldScores checks that the scores of a hit's terms add up to its score.
func TestFieldScores(t *testing.T) {
	root := start(t, Options{Index: buildFields(t)}).URL + "/secret/"
	_, body := get(t, root+"search?q=every+again+title149+title49&k=30")
	hits := regexp.MustCompile(`(?s)<span class="score">([^<]*)</span>(.*?)</table>`).FindAllStringSubmatch(body, -1)
	if len(hits) != 30 {
		t.Fatalf("%d hits", len(hits))
	}
	for _, h := range hits {
		sum := ""
		for _, m := range regexp.MustCompile(`<td class="n">([^<]*)</tr>`).FindAllStringSubmatch(h[2], -1) {
			if m[1] != "" {
				sum = m[1]
			}
		}
		if sum != h[1] {
			t.Errorf("a hit of score %s adds up to %s", h[1], sum)
		}
	}
}

// TestListAtFields finds the list of a byte in segments with fields: the term of each list's first byte.
func TestListAtFields(t *testing.T) {
	root := start(t, Options{Index: buildFields(t)}).URL + "/secret/"
	for _, at := range []struct{ field, term string }{{"body", "again"}, {"body", "so"}, {"notes", "private"}, {"tag", "Red"}, {"title", "every"}} {
		_, body := get(t, root+"list?field="+at.field+"&term="+url.QueryEscape(at.term))
		m := regexp.MustCompile(`href="(bytes\?file=[^"]*off=[^"]*)"`).FindStringSubmatch(body)
		if m == nil {
			t.Errorf("%v has no parts", at)
			continue
		}
		if _, body := get(t, root+html.UnescapeString(m[1])); !strings.Contains(body, "term="+at.term) {
			t.Errorf("%s does not lead back to %v", m[1], at)
		}
	}
}
