package exchange

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/schema"
)

var bookSchema = &schema.Schema{Fields: []schema.Field{
	{Name: "title", Kind: schema.Text},
	{Name: "tag", Kind: schema.Keyword},
	{Name: "year", Kind: schema.Integer, Stored: true},
	{Name: "price", Kind: schema.Float, Stored: true},
	{Name: "added", Kind: schema.Time, Stored: true},
	{Name: "body.text", Kind: schema.Text},
}}

// withFields reads a text with a schema and shows documents as "id: field=value ...", and
// errors after "!".
func withFields(t *testing.T, format Format, s *schema.Schema, o DocumentOptions, text string) (lines []string, src *Documents) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in."+string(format))
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	o.Format, o.Schema = format, s
	src, err := OpenDocuments(path, o)
	if err != nil {
		return []string{"!" + strings.ReplaceAll(err.Error(), filepath.Dir(path)+"/", "")}, nil
	}
	defer src.Close()
	for {
		id, values, err := src.NextValues()
		if err == io.EOF {
			return lines, src
		}
		if err != nil {
			lines = append(lines, "!"+strings.ReplaceAll(err.Error(), filepath.Dir(path)+"/", ""))
			if !Recoverable(err) {
				return lines, src
			}
			continue
		}
		line := strings.TrimPrefix(string(id), filepath.Dir(path)+"/") + ":"
		for _, v := range values {
			line += fmt.Sprintf(" %s=%v", s.Fields[v.Field].Name, v)
		}
		lines = append(lines, line)
	}
}

func TestJSONFields(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{`{"id":"a","title":"One","tag":["x",7,true,null],"year":1851,"price":1e2,"added":"2026-11-26"}`,
			`a: title=One tag=x tag=7 tag=true year=1851 price=100 added=2026-11-26T00:00:00Z`},
		{`{"year":-5,"id":3,"title":["One","T\u0077o"]}`, `3: title=One title=Two year=-5`},
		{`{"id":"a","body":{"text":"deep","x":1}}`, `a: body.text=deep`},
		{`{"id":"a","body":[{"text":"one"},{"text":["two","three"]},{}]}`, `a: body.text=one body.text=two body.text=three`},
		{`{"id":"a","body.text":"flat"}`, `a: body.text=flat`},
		{`{"id":"a","body":"no object"}`, `a:`},
		{`{"id":"a","title":null,"tag":[],"year":null}`, `a:`},
		{`{"id":"a","title":"","tag":""}`, `a: title= tag=`},
		{`{"id":"a","added":"2026-11-26T10:00:00.5+01:00"}`, `a: added=2026-11-26T09:00:00.5Z`},
		{`{"id":"a","title":"\ud800"}`, "a: title=\uFFFD"},
		{`{"id":"a","title":"\u00e9\""}`, `a: title=é"`},
		{`{"_id":"b","id":"a"}`, `a:`},
		{`{"id":"a","year":9223372036854775807,"price":-0.5}`, `a: year=9223372036854775807 price=-0.5`},
		{`{"id":"a","year":[1.851e3,1852.0],"tag":[1e3,true],"added":"2026-11-26"}`, `a: tag=1e3 tag=true year=1851 year=1852 added=2026-11-26T00:00:00Z`},
		// Bad ones.
		{`{"id":"a","year":"x"}`, `!in.jsonl:1: key "year": the value "x" is of the wrong kind for field "year", which takes integers of 64 bits`},
		{`{"id":"a","year":"12"}`, `!in.jsonl:1: key "year": the value "12" is of the wrong kind for field "year"`},
		{`{"id":"a","year":1.5}`, `!in.jsonl:1: key "year": the value 1.5 is of the wrong kind`},
		{`{"id":"a","year":9223372036854775808}`, `!in.jsonl:1: key "year": the value 9223372036854775808 is of the wrong kind`},
		{`{"id":"a","price":1e999}`, `!in.jsonl:1: key "price": the value 1e999 is of the wrong kind`},
		{`{"id":"a","price":"NaN"}`, `!in.jsonl:1: key "price": the value "NaN" is of the wrong kind`},
		{`{"id":"a","title":5}`, `!in.jsonl:1: key "title": the value 5 is of the wrong kind for field "title", which takes text`},
		{`{"id":"a","title":true}`, `!in.jsonl:1: key "title": the value true is of`},
		{`{"id":"a","title":{"x":1}}`, `!in.jsonl:1: key "title": an object is of the wrong kind`},
		{`{"id":"a","tag":[["x"]]}`, `!in.jsonl:1: key "tag": an array in an array is of the wrong kind`},
		{`{"id":"a","added":5}`, `!in.jsonl:1: key "added": the value 5 is of the wrong kind for field "added", which takes times such as`},
		{`{"id":"a","added":"tomorrow"}`, `!in.jsonl:1: key "added": the value "tomorrow" is of the wrong kind`},
		{`{"id":"a","added":"0001-01-01"}`, `!in.jsonl:1: key "added": schema: invalid schema: field "added": the time is not from the year 1678 to 2261`},
		{`{"id":"a","body":[{"text":1}]}`, `!in.jsonl:1: key "body.text": the value 1 is of the wrong kind`},
		{`{"id":"a","tag":"` + strings.Repeat("x", 65536) + `"}`, `!in.jsonl:1: key "tag": schema: invalid schema: field "tag": a keyword of 65536 bytes`},
		{`{"id":"a","title":"x","title":"y"}`, `!in.jsonl:1: key "title" comes twice`},
		{`{"id":"a","body":{"text":"x"},"body.text":"y"}`, `!in.jsonl:1: key "body.text" comes twice`},
		{`{"id":"a","id":"b"}`, `!in.jsonl:1: key "id" comes twice`},
		{`{"id":["a"]}`, `!in.jsonl:1: key "id" is not a string or a number`},
		{`{"id":"\ud800"}`, `!in.jsonl:1: key "id" is "\ud800", which has half a surrogate pair`},
		{`{"id":""}`, `!in.jsonl:1: the id is empty`},
		{`{"title":"x","b":1}`, `!in.jsonl:1: field "id" is missing; there are ["title" "b"]`},
		{`{"id":"a"`, `!in.jsonl:1: broken JSON: the line ends inside the object`},
		{`{"id":"a"}}`, `!in.jsonl:1: broken JSON at byte 11`},
		{`{"id":"a","x":[1,}`, `!in.jsonl:1: broken JSON at byte 18`},
		{`{"id":"a","title":nul}`, `!in.jsonl:1: broken JSON at byte`},
		{`[1]`, `!in.jsonl:1: a JSON object is wanted`},
		{"{\"id\":\"a\",\"title\":\"\xff\"}", `!in.jsonl:1: byte 20 of the object is not valid UTF-8`},
	} {
		lines, _ := withFields(t, FormatJSONL, bookSchema, DocumentOptions{}, tt.line+"\n\n  \n{\"id\":\"z\"}\n")
		if len(lines) != 2 || lines[1] != "z:" {
			t.Errorf("%.80s: %q", tt.line, lines)
			continue
		}
		if got := lines[0]; got != tt.want && !(strings.HasPrefix(tt.want, "!") && strings.HasPrefix(got, tt.want)) {
			t.Errorf("%.80s:\n got %.200s\nwant %.200s", tt.line, got, tt.want)
		}
	}
}

func TestKeys(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "all", Kind: schema.Text}, {Name: "exact", Kind: schema.Keyword}, {Name: "id", Kind: schema.Keyword}, {Name: "writer", Kind: schema.Text},
	}}
	f, err := ParseFields("id=meta.isbn", "body=all", "title=all", "title=exact", "authors.name=writer", "meta.isbn=id")
	if err != nil {
		t.Fatal(err)
	}
	line := `{"title":"T","authors":[{"name":"A","born":1},{"name":"B","born":2}],"body":"B","meta":{"isbn":12,"x":null},"id":5,"y":{"z":[1]}}`
	for _, tt := range []struct {
		unknown Unknown
		want    string
		ignored map[string]uint64
	}{
		{UnknownIgnore, `12: all=B all=T exact=T id=12 writer=A writer=B`, map[string]uint64{"authors.born": 2, "meta.x": 1, "id": 1, "y": 1}},
		{UnknownRefuse, `!in.jsonl:1: key "authors.born": no field takes it`, nil},
		{UnknownStore, `12: all=B all=T exact=T id=12 writer=A writer=B unknown={"authors.born":[1,2],"id":5,"meta.x":null,"y":{"z":[1]}}`, nil},
	} {
		f.Unknown = tt.unknown
		s, err := f.WithSchema(s, schema.Field{})
		if err != nil {
			t.Fatal(err)
		}
		lines, src := withFields(t, FormatJSONL, s, DocumentOptions{Fields: f}, line)
		if len(lines) != 1 || lines[0] != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.unknown, lines, tt.want)
		}
		if got := src.Ignored(); tt.ignored != nil && fmt.Sprint(got) != fmt.Sprint(tt.ignored) {
			t.Errorf("%s: ignored %v, want %v", tt.unknown, got, tt.ignored)
		}
	}
}

// Many unknown keys are counted as few are, for a document that is added only.
func TestManyUnknown(t *testing.T) {
	var line strings.Builder
	line.WriteString(`{"id":"a"`)
	for i := range 3000 {
		fmt.Fprintf(&line, `,"x%d":1`, i%150)
	}
	text := line.String() + "}\n" + line.String() + `,"year":"x"}` + "\n"
	lines, src := withFields(t, FormatJSONL, bookSchema, DocumentOptions{}, text)
	if len(lines) != 2 || lines[0] != "a:" || lines[1][0] != '!' {
		t.Fatalf("%q", lines)
	}
	n := uint64(0)
	for _, k := range src.Ignored() {
		n += k
	}
	if got := src.Ignored(); n != 3000 || got["x0"] != 20 || len(got) != maxIgnored+1 || got[""] != 20*50 {
		t.Errorf("%d keys, %v", n, got)
	}
}

func TestOtherFormats(t *testing.T) {
	s := bookSchema
	keys := func(keys ...string) DocumentOptions {
		f, err := ParseFields("", keys...)
		if err != nil {
			t.Fatal(err)
		}
		return DocumentOptions{Fields: f}
	}
	for _, tt := range []struct {
		name    string
		format  Format
		options DocumentOptions
		text    string
		want    []string
	}{
		{"csv", FormatCSV, DocumentOptions{}, "year,_id,title,other,id,body.text\n1851,x,\"One\n, two\",o,a,deep\n,x,,,b,\nx,x,,,c,\n1,2\n",
			[]string{"a: title=One\n, two year=1851 body.text=deep", "b:", `!in.csv:5: key "year": the value "x" is of the wrong kind for field "year", which takes integers of 64 bits`, "!in.csv:6: a record of 2 values, there are 6 columns"}},
		{"csv without id", FormatCSV, DocumentOptions{}, "year\n1\n", []string{`!in.csv:1: field "id" is missing; there are ["year"]`}},
		{"csv, a column twice", FormatCSV, DocumentOptions{}, "id,year,year\n1,1,1\n", []string{`!in.csv:1: column "year" comes twice`}},
		{"csv, made ids", FormatCSV, DocumentOptions{AutoID: true}, "year\n1\n", []string{"in.csv:2: year=1"}},
		{"tsv", FormatTSV, keys("2=title", "4=year"), "a\tOne\tx\t5\nb\nc\tx\t\tz\n", []string{"a: title=One year=5", "b:", `!in.tsv:3: key "4": the value "z" is of the wrong kind for field "year", which takes integers of 64 bits`}},
		{"tsv, the id", FormatTSV, DocumentOptions{Fields: Fields{ID: "2", Keys: []Key{{Key: "1", Field: schema.Field{Name: "title"}}}}}, "One\ta\n", []string{"a: title=One"}},
		{"tsv by name", FormatTSV, DocumentOptions{}, "a\tb\n", []string{"!in.tsv: columns of TSV are numbers; which of them go into which fields?"}},
		{"tsv by name", FormatTSV, keys("x=title"), "a\tb\n", []string{`!in.tsv: columns of TSV are numbers from 1, not "x"`}},
		{"trec", FormatTREC, keys("contents=title"), "<DOC><DOCNO>a</DOCNO><TEXT>One</TEXT></DOC>", []string{"a: title=One"}},
		{"lines", FormatLines, keys("contents=title", "contents=tag"), "One\n", []string{"in.lines:1: title=One tag=One"}},
		{"lines, no field", FormatLines, DocumentOptions{}, "One\n", []string{"!in.lines: documents of format lines have one key, contents, which no field takes; --field contents=NAME says which"}},
		{"no such field", FormatJSONL, keys("x=nosuch"), "", []string{`!key "x": the schema has no field "nosuch"`}},
		{"a key twice", FormatJSONL, keys("x=tag", "x=tag"), "", []string{`!key "x" is given twice for field "tag"`}},
		{"nothing for the unknown", FormatJSONL, DocumentOptions{Fields: Fields{Unknown: UnknownStore}}, "", []string{`!the schema has no field "unknown" for unknown keys`}},
	} {
		lines, _ := withFields(t, tt.format, s, tt.options, tt.text)
		if fmt.Sprintf("%q", lines) != fmt.Sprintf("%q", tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, lines, tt.want)
		}
	}
	lines, src := withFields(t, FormatCSV, s, DocumentOptions{}, "id,x\na,1\nb,2\n")
	if len(lines) != 2 || src.Ignored()["x"] != 2 {
		t.Errorf("%q, ignored %v", lines, src.Ignored())
	}
	if _, err := src.Next(); !errors.Is(err, ErrInvalid) {
		t.Errorf("Next: %v", err)
	}
	if _, _, err := new(Documents).NextValues(); err != io.EOF {
		t.Errorf("the zero value: %v", err)
	}
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "a.txt"), []byte("One"), 0o666)
	src, err := OpenDocuments(dir, DocumentOptions{Schema: s, Fields: keys("contents=title").Fields})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if id, values, err := src.NextValues(); string(id) != "a.txt" || len(values) != 1 || values[0].String() != "One" || src.Formats()[FormatTextDir] != 1 {
		t.Errorf("a folder: %s, %v, %v", id, values, err)
	}
}

func TestParseKey(t *testing.T) {
	for _, tt := range []struct{ text, key, name, kind, analyzer string }{
		{"title=title:english:2.0", "title", "title", "text", "english"},
		{"title", "title", "title", "", ""},
		{"tags:keyword", "tags", "tags", "keyword", ""},
		{"a=b=c:time", "a=b", "c", "time", ""},
		{"body.text=body:text:0.5", "body.text", "body", "text", ""},
	} {
		k, err := ParseKey(tt.text)
		kind := ""
		if k.Field.Kind != 0 {
			kind = k.Field.Kind.String()
		}
		if err != nil || k.Key != tt.key || k.Field.Name != tt.name || kind != tt.kind || k.Field.Analyzer != tt.analyzer {
			t.Errorf("%q: %+v, %v", tt.text, k, err)
		}
	}
	for _, text := range []string{"", "=x", "x=", "x=a:", "x=a::2", "x=a:b:c", "x=a:b:0", "x=a:b:-1", "x=a:b:1e7", "x=a:b:nan", "x=a:b:1:2", ".a", "a..b=c"} {
		if k, err := ParseKey(text); err == nil {
			t.Errorf("%q: %+v", text, k)
		}
	}
	if _, err := ParseFields("contents=a", "b=c"); err == nil {
		t.Error("contents and keys")
	}
}

// Options come in any order, and each once.
func TestParseKeyOptions(t *testing.T) {
	for text, want := range map[string]schema.Field{
		"t:time:second:column":          {Name: "t", Kind: schema.Time, Unit: schema.UnitSecond, Column: true},
		"t:time:column:millisecond":     {Name: "t", Kind: schema.Time, Unit: schema.UnitMillisecond, Column: true},
		"t:time:nanosecond":             {Name: "t", Kind: schema.Time},
		"level:keyword:column:2":        {Name: "level", Kind: schema.Keyword, Column: true, Boost: 2},
		"level:keyword:2:column":        {Name: "level", Kind: schema.Keyword, Column: true, Boost: 2},
		"second:time:column":            {Name: "second", Kind: schema.Time, Column: true},
		"x=price:float:column":          {Name: "price", Kind: schema.Float, Column: true},
		"level:keyword:column:noindex":  {Name: "level", Kind: schema.Keyword, Column: true, Index: schema.IndexNone},
		"text:text:noindex:positions":   {},
		"text:text:positions:noindex":   {},
		"level:keyword:noindex:noindex": {},
		"text:english:column:column2":   {},
		"t:time:second:millisecond":     {},
		"t:time:second:second":          {},
		"t:integer:second":              {},
		"t:time:column:column":          {},
		"t:time:columns":                {},
		"level:keyword:2:3":             {},
	} {
		k, err := ParseKey(text)
		if (err == nil) != (want.Name != "") || err == nil && k.Field != want {
			t.Errorf("%s: %+v, %v", text, k, err)
		}
	}
	f, err := ParseFields("", "t:time:second:column", "n:integer", "m:integer:column", "c:keyword:column:noindex", "d:keyword:noindex")
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.WithSchema(nil, schema.Field{})
	if err != nil || s.Fields[0].Stored || !s.Fields[1].Stored || s.Fields[2].Stored || s.Fields[3].Stored || !s.Fields[4].Stored {
		t.Errorf("%+v, %v", s, err)
	}
	for _, text := range []string{"t:time:millisecond", "n:integer:column", "x=c:keyword:noindex:column:2"} {
		f, err := ParseFields("", text)
		if err != nil {
			t.Fatal(err)
		}
		if x, err := f.WithSchema(s, schema.Field{}); err == nil {
			t.Errorf("%s: %v", text, x)
		}
	}
}

// Numbers are times in the unit of their field.
func TestTimesInUnits(t *testing.T) {
	for value, want := range map[string]string{
		`1795683600`:               "2026-11-26T09:00:00Z",
		`-1`:                       "1969-12-31T23:59:59Z",
		`"2026-11-26T09:00:00.9Z"`: "2026-11-26T09:00:00.9Z", // the writer rounds it
		`1.5`:                      "",
		`"1795683600"`:             "",
		`9223372037`:               "",
		`-9223372038`:              "",
		`9223372036854775807`:      "",
		`true`:                     "",
	} {
		s := &schema.Schema{Fields: []schema.Field{{Name: "t", Kind: schema.Time, Unit: schema.UnitSecond, Column: true}}}
		lines, _ := withFields(t, FormatJSONL, s, DocumentOptions{}, `{"id":"a","t":`+value+"}\n")
		if want == "" && (len(lines) != 1 || lines[0][0] != '!') || want != "" && (len(lines) != 1 || lines[0] != "a: t="+want) {
			t.Errorf("%s: %q; want %s", value, lines, want)
		}
	}
}

func TestWithSchema(t *testing.T) {
	f, err := ParseFields("", "title=title:english:2", "body", "year:integer", "tag:keyword", "x=tag")
	if err != nil {
		t.Fatal(err)
	}
	f.Unknown = UnknownStore
	s, err := f.WithSchema(nil, schema.Field{Analyzer: "german", Options: "stop=none"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.MarshalJSON()
	want := `{"fields":[{"name":"title","kind":"text","analyzer":"english","weight":2},{"name":"body","kind":"text","analyzer":"german","options":"stop=none"},` +
		`{"name":"year","kind":"integer","stored":true},{"name":"tag","kind":"keyword"},{"name":"unknown","kind":"text","index":"none","stored":true}]}`
	if err != nil || string(b) != want {
		t.Errorf("got %s, %v\nwant %s", b, err, want)
	}
	if again, err := f.WithSchema(s, schema.Field{}); err != nil || again != s {
		t.Errorf("over itself: %v, %v", again, err)
	}
	for _, text := range []string{"title:german", "title:english:3", "tag:integer", "title:keyword", "_x"} {
		f, err := ParseFields("", text)
		if err != nil {
			t.Fatal(err)
		}
		if x, err := f.WithSchema(s, schema.Field{}); err == nil {
			t.Errorf("%s: %v", text, x)
		}
	}
	bad := &schema.Schema{Fields: []schema.Field{{Name: "unknown", Kind: schema.Text}}}
	if _, err := f.WithSchema(bad, schema.Field{}); err == nil {
		t.Error("the unknown in an indexed field")
	}
	if len(bad.Fields) != 1 {
		t.Error("the base has changed")
	}
}

// No line makes reading panic, and after an error the next line is read.
func TestFieldsOfAnything(t *testing.T) {
	pieces := []string{`{`, `}`, `[`, `]`, `,`, `:`, `"id"`, `"title"`, `"body"`, `"text"`, `"tag"`, `"year"`, `"a"`, `1`, `null`, `true`, ` `, `"\ud800"`, "\xff", `"x.y"`}
	rapid.Check(t, func(rt *rapid.T) {
		line := `{"id":"x",` + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 25).Draw(rt, "line"), "")
		for _, u := range []Unknown{UnknownIgnore, UnknownRefuse} {
			lines, _ := withFields(t, FormatJSONL, bookSchema, DocumentOptions{Fields: Fields{Unknown: u}}, line+"\n{\"id\":\"z\"}\n")
			if len(lines) != 2 || lines[1] != "z:" {
				rt.Fatalf("%s: %q", line, lines)
			}
		}
	})
}
