package exchange

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/schema"
)

// TestObjects reads JSON in each form that programs write, told by its beginning.
func TestObjects(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		format     Format
		docs       []doc
		errs       []string
	}{
		{"array", "\ufeff[{\"id\": 1, \"text\": \"a [ } \\\" b\"},\n {\"id\": 2, \"text\": \"c\"}]\n", FormatJSON, []doc{{"1", `a [ } " b`}, {"2", "c"}}, nil},
		{"array on a line", `[{"id":1,"text":"a"},{"id":2,"text":"b"}]`, FormatJSON, []doc{{"1", "a"}, {"2", "b"}}, nil},
		{"pretty array", "[\n  {\n    \"id\": \"1\",\n    \"text\": \"a\\nb\",\n    \"more\": {\"x\": [1, {}]}\n  }\n]\n", FormatJSON, []doc{{"1", "a\nb"}}, nil},
		{"pretty", "{\n  \"id\": \"1\",\n  \"text\": \"a\"\n}\n{\n  \"id\": \"2\",\n  \"text\": \"b\"\n}\n", FormatJSON, []doc{{"1", "a"}, {"2", "b"}}, nil},
		{"without line feeds", `{"id":1,"text":"a"}{"id":2,"text":"b"}`, FormatJSON, []doc{{"1", "a"}, {"2", "b"}}, nil},
		{"lines", "{\"id\":1,\"text\":\"a\"}\n\n{\"id\":2,\"text\":\"b\"}", FormatJSONL, []doc{{"1", "a"}, {"2", "b"}}, nil},
		{"arrays", "[{\"id\":1,\"text\":\"a\"}]\n[{\"id\":2,\"text\":\"b\"}]\n", FormatJSON, []doc{{"1", "a"}, {"2", "b"}}, nil},
		{"bad element", "[\n{\"id\":1,\"text\":\"a\"},\n{\"id\":2},\n{\"id\":3,\"text\":\"\xff\"},\n{\"id\":4]},\n{\"id\":5,\"text\":\"b\"}\n]", FormatJSON, []doc{{"1", "a"}, {"5", "b"}}, []string{
			`in:3: field "contents" is missing; there are ["id"]`, "in:4: byte 17 of the object is not valid UTF-8", "in:5: broken JSON at byte 8 of the object: invalid character ']' after object key:value pair"}},
		{"no comma", `[{"id":1,"text":"a"} {"id":2,"text":"b"}]`, FormatJSON, []doc{{"1", "a"}}, []string{`in:1: broken JSON: a comma or ] is wanted, not '{'`}},
		{"comma at the end", "[{\"id\":1,\"text\":\"a\"},\n]", FormatJSON, []doc{{"1", "a"}}, []string{`in:2: broken JSON: an object is wanted, not ']'`}},
		{"cut array", "[{\"id\":1,\"text\":\"a\"}\n", FormatJSON, []doc{{"1", "a"}}, []string{`in:2: broken JSON: the file ends inside the array`}},
		{"cut object", "{\n\"id\":1,\"text\":\"a\"}\n{\"id\":2,\n", FormatJSON, []doc{{"1", "a"}}, []string{`in:3: the file ends inside this object: is a quote or a brace missing?`}},
		{"array inside", "{\n \"took\": 1, \"hits\": [{\"id\": 1}]}", FormatJSON, nil, []string{
			`in:1: field "id" is missing; there are ["took" "hits"]; what jq -c '.["hits"][]' prints of the file are the objects of that array, which can be read`}},
		{"bulk", "{\"index\":{\"_index\":\"x\",\"_id\":\"1\"}}\n{\"text\":\"a\"}\n{\"create\":{\"_id\":2}}\n{\"id\":\"other\",\"text\":\"b\"}\n", FormatBulk, []doc{{"1", "a"}, {"2", "b"}}, nil},
		{"bulk, bad", "{\"index\":{\"_id\":\"1\"}}\n{\"text\":\"a\"}\n{\"delete\":{\"_id\":\"3\"}}\n{\"update\":{\"_id\":\"1\"}}\n{\"doc\":{}}\n{\"index\":{}}\n{\"text\":\"b\"}\n{\"index\":{\"_id\":\"4\"}}\n", FormatBulk, []doc{{"1", "a"}}, []string{
			"in:3: the action delete is not read: documents are deleted by a list of ids", "in:4: the action update is not read: it has a part of a document",
			`in:6: the action has no "_id"`, "in:8: the file ends behind this action"}},
	} {
		for _, packed := range []bool{false, true} {
			text := []byte(tt.text)
			if packed {
				text = gzipped(text)
			}
			path := write(t, filepath.Join(t.TempDir(), "in"), text)
			d, err := OpenDocuments(path, DocumentOptions{})
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			docs, errs := readAll(d)
			if d.Formats()[tt.format] != 1 {
				t.Errorf("%s: read as %v", tt.name, d.Formats())
			}
			d.Close()
			compareDocs(t, docs, tt.docs)
			for i := range errs {
				errs[i] = strings.Replace(errs[i], path, "in", 1)
			}
			compareErrors(t, errs, tt.errs)
		}
	}
}

// TestBulkIDs takes ids from the actions, from a field that is named, or makes them up.
func TestBulkIDs(t *testing.T) {
	const text = "{\"index\":{\"_id\":\"1\"}}\n{\"sku\":\"s\",\"text\":\"a\"}\n"
	s := &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text}}}
	for want, o := range map[string]DocumentOptions{"1": {}, "s": {Fields: Fields{ID: "sku", Contents: []string{"text"}}}, ":1": {AutoID: true}} {
		docs, _, err := readAs(t, text, o)
		if err != nil || len(docs) != 1 || docs[0].id != want || docs[0].contents != "a" {
			t.Errorf("%+v: %q, %v", o, docs, err)
		}
		o.Schema, o.Fields.Contents = s, nil
		path := write(t, filepath.Join(t.TempDir(), "in"), []byte(text))
		d, err := OpenDocuments(path, o)
		if err != nil {
			t.Fatal(err)
		}
		id, values, err := d.NextValues()
		if err != nil || strings.TrimPrefix(string(id), path) != want || len(values) != 1 {
			t.Errorf("%+v: %q, %v, %v", o, id, values, err)
		}
		d.Close()
	}
}

// TestOutermost compares with a decoder, whatever pieces the text comes in.
func TestOutermost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []string
		var text strings.Builder
		inArray := rapid.Bool().Draw(t, "array")
		space := rapid.SampledFrom([]string{"", " ", "\n", "\r\n\t"})
		if inArray {
			text.WriteString("[")
		}
		for i := range rapid.IntRange(0, 4).Draw(t, "objects") {
			o := map[string]any{rapid.String().Draw(t, "key"): rapid.SampledFrom([]any{`"}\`, 1, []any{map[string]any{"]": "["}}, "\\\\"}).Draw(t, "value")}
			b, _ := json.MarshalIndent(o, space.Draw(t, "prefix"), space.Draw(t, "indent"))
			if i > 0 && inArray {
				text.WriteString(space.Draw(t, "space") + ",")
			}
			text.WriteString(space.Draw(t, "space") + string(b))
			want = append(want, string(b))
		}
		if inArray {
			text.WriteString("\n]\n")
		}
		o := &outermost{lines: newLines("in", iotestReader{strings.NewReader(text.String()), rapid.IntRange(1, 9).Draw(t, "piece")})}
		for _, w := range want {
			if b, err := o.next(); err != nil || string(b) != w {
				t.Fatalf("%q of %q, want %q: %v", b, text.String(), w, err)
			}
		}
		if b, err := o.next(); err != io.EOF {
			t.Fatalf("behind the last: %q, %v", b, err)
		}
	})
}

// TestLongObject passes over objects that are too long, in memory that does not grow with them.
func TestLongObject(t *testing.T) {
	text := `[{"id":1,"text":"` + strings.Repeat(`x\"`, 1<<20) + `"},` + "\n" + `{"id":2,"text":"` + strings.Repeat("y", 2000) + `"},{"id":3,"text":"b"}]`
	d, err := OpenDocuments(write(t, filepath.Join(t.TempDir(), "in"), []byte(text)), DocumentOptions{MaxRecord: 1000, Format: FormatJSON})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	l := d.cur.(*JSONL).lines
	docs, errs := readAll(d)
	if len(docs) != 1 || len(errs) != 2 || !strings.Contains(errs[0], "in:1: the object is longer than 1000 bytes") || !strings.Contains(errs[1], "in:2: ") {
		t.Errorf("%q, %q", docs, errs)
	}
	if n := cap(l.buf); n > 4*usualBuffer {
		t.Errorf("a buffer of %d bytes", n)
	}
}

// TestProgramFolder reads the folder of a program: what is no documents is text, or passed over and named.
func TestProgramFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"package.json": `{"name": "x", "version": "1"}`, "tsconfig.json": "{\n  // a comment\n  \"a\": 1\n}\n", "list.json": "[\n1, 2]\n", "data/items.json": `[{"key": 1}, {"key": 2}]`,
		"docs.json": `[{"id": "d1", "text": "one"}, {"id": "d2", "text": "two"}]`, "main.go": "package main\n", "test/golden.jsonl": `{"want": 1}` + "\n",
		"test/table.csv": "a,b\n1,2\n", "test/x.tsv": "no tab\n", "readme.md": "# X\n", "mails": "From a@b Thu Aug 22\nSubject: x\n\nbody\n", "good.csv": "id,text\nc1,three\n",
		"config.yaml": "a: 1\n", "bulk.json": "{\"index\":{\"_id\":\"b1\"}}\n{\"text\":\"four\"}\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, path, []byte(text))
		if strings.HasPrefix(name, "test/") {
			write(t, path+".gz", gzipped([]byte(text)))
		}
	}
	d, err := OpenDocuments(dir, DocumentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	docs, errs := readAll(d)
	var ids []string
	for _, x := range docs {
		ids = append(ids, x.id)
	}
	if got, want := strings.Join(ids, " "), "b1 config.yaml data/items.json d1 d2 c1 list.json mails main.go package.json readme.md tsconfig.json"; got != want {
		t.Errorf("read %s, want %s", got, want)
	}
	golden, table, tab := ": no documents: field \"id\" is missing; there are [\"want\"]", ": no documents: field \"id\" is missing; there are [\"a\" \"b\"]", ": no documents: no tab between id and text"
	var want []string
	for _, x := range []struct{ name, why string }{{"golden.jsonl", golden}, {"table.csv", table}, {"x.tsv", tab}} {
		want = append(want, filepath.Join(dir, "test", x.name)+x.why, filepath.Join(dir, "test", x.name+".gz")+x.why)
	}
	compareErrors(t, errs, want)

	s := &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text}}}
	d, err = OpenDocuments(dir, DocumentOptions{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	n, foreign := 0, ""
	for {
		_, _, err := d.NextValues()
		if err == io.EOF {
			break
		}
		if err == nil {
			n++
		} else if !Recoverable(err) {
			t.Fatal(err)
		} else {
			foreign += fmt.Sprintln(err)
		}
	}
	if n != 4 || !strings.Contains(foreign, filepath.Join(dir, "readme.md")+": text, which no field takes; --field contents=NAME says which") {
		t.Errorf("with a schema %d documents, passed over\n%s", n, foreign)
	}
}

// TestMbox says how an mbox becomes a folder, and how text finds its field.
func TestMbox(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "mails"), []byte("From a@b Thu Aug 22\nReturn-Path: <a@b>\n\nbody\n"))
	if _, err := OpenDocuments(path, DocumentOptions{}); err == nil || !strings.Contains(err.Error(), path+": an mbox of mails") || !strings.Contains(err.Error(), "git mailsplit -o") {
		t.Error(err)
	}
	s := &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text}}}
	if _, err := OpenDocuments(path, DocumentOptions{Format: FormatLines, Schema: s}); err == nil || !strings.Contains(err.Error(), path+": ") || !strings.Contains(err.Error(), "--field contents=NAME") {
		t.Error(err)
	}
}
