package tools_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/idxbench"
	"github.com/pinion-index/pinion/internal/tools/idxbuild"
	"github.com/pinion-index/pinion/internal/tools/idxinspect"
	"github.com/pinion-index/pinion/internal/tools/idxmerge"
	"github.com/pinion-index/pinion/internal/tools/idxquery"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/schema"
)

// printedAs are the types that are encoded, by the heading of docs/json.md.
var printedAs = map[string]any{
	"errors": cli.Failure{}, "idxbuild": idxbuild.Report{}, "idxquery": []idxquery.Answer{},
	"idxmerge": idxmerge.Report{}, "idxmerge --salvage": idxmerge.Salvaged{}, "idxmerge --impacts": idxmerge.Quantized{},
	"idxinspect summary": inspect.Summary{}, "idxinspect verify": inspect.Verification{}, "idxinspect repair": idxinspect.Repair{},
	"idxinspect backup": idxinspect.Backup{}, "idxinspect diff": idxinspect.Diff{}, "idxinspect sections": idxinspect.Sections{},
	"idxinspect sizes": idxinspect.Sizes{}, "idxinspect stats": idxinspect.Stats{}, "idxinspect columns": idxinspect.Columns{}, "idxinspect sizes --codec": inspect.CodecSizes{},
	"idxinspect terms": inspect.Terms{}, "idxinspect list": inspect.Lists{}, "idxinspect blocks": inspect.Blocks{}, "idxinspect positions": idxinspect.Positions{},
	"idxinspect docs": inspect.Docs{}, "idxinspect explain": inspect.Explanation{}, "idxinspect hexdump": idxinspect.Dump{}, "idxinspect explain --trace": idxquery.Answer{},
	"idxinspect postings": struct { // which is written as it is read
		Term     cli.Text          `json:"term"`
		DF       uint64            `json:"df"`
		Postings []inspect.Posting `json:"postings"`
		More     bool              `json:"more"`
	}{},
	"idxinspect sizes --regression": idxinspect.Regressions{}, "idxinspect gpu-plan": idxinspect.GPUPlan{}, "idxinspect residency": idxinspect.Residency{},
	"idxbench build": idxbench.Build{}, "idxbench open": idxbench.Open{}, "idxbench query": idxbench.Queries{}, "idxbench intersect": idxbench.Queries{},
	"idxbench decode": idxbench.Decode{}, "idxbench load": idxbench.Load{}, "idxbench eval": idxbench.Eval{},
	"idxbench synth": idxbench.Synth{}, "idxbench vectors": idxbench.Vectors{}, "idxbench nearest": idxbench.Nearest{}, "idxbench records": idxbench.Records{}, "idxbench gpu": idxbench.GPU{},
}

// fields adds the paths that a type is encoded to, each with its type. What a struct has of its own type within is an object.
func fields(t reflect.Type, at string, add func(path, kind string)) { fieldsWithin(nil, t, at, add) }

func fieldsWithin(structs []reflect.Type, t reflect.Type, at string, add func(path, kind string)) {
	kind := ""
	switch {
	case t.Kind() == reflect.Pointer:
		fieldsWithin(structs, t.Elem(), at, add)
		return
	case t == reflect.TypeFor[cli.Text]():
		kind = "text"
	case t == reflect.TypeFor[time.Time](), t.Kind() == reflect.String:
		kind = "string"
	case t.Kind() == reflect.Map:
		kind = "object"
	case t.Kind() == reflect.Interface: // a number, a string or null
		kind = "value"
	case t == reflect.TypeFor[schema.Schema](): // has a form of its own
		kind = "object"
	case t.Kind() == reflect.Bool:
		kind = "boolean"
	case t.Kind() == reflect.Float32, t.Kind() == reflect.Float64:
		kind = "number"
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		kind = "integer"
	case t.Kind() == reflect.Slice:
		fieldsWithin(structs, t.Elem(), at+"[]", func(path, kind string) {
			switch {
			case path != at+"[]":
				add(path, kind)
			case kind == "object":
				add(at, "array")
			default:
				add(at, "array of "+kind)
			}
		})
		return
	case t.Kind() == reflect.Struct:
		add(at, "object")
		if slices.Contains(structs, t) {
			return
		}
		structs = append(slices.Clip(structs), t)
		for f := range t.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && name == "":
				fieldsWithin(structs, f.Type, at, func(path, kind string) {
					if path != at {
						add(path, kind)
					}
				})
			case f.IsExported() && name != "-":
				if name == "" {
					name = f.Name
				}
				fieldsWithin(structs, f.Type, strings.TrimPrefix(at+"."+name, "."), add)
			}
		}
		return
	}
	add(at, kind)
}

// documentedFields returns the tables of docs/json.md and docs/json: heading, path, type.
func documentedFields(t *testing.T) map[string]map[string]string {
	pages, err := filepath.Glob("../docs/json/*.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("^\\| `(.+)` \\| (.+) \\| (.+) \\|$")
	out := map[string]map[string]string{}
	for _, page := range append(pages, "../docs/json.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		heading := ""
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSuffix(line, "\n")
			if h, ok := strings.CutPrefix(line, "## "); ok {
				heading = h
				if out[heading] != nil {
					t.Errorf("%s is documented twice", heading)
				}
				out[heading] = map[string]string{}
			}
			if m := row.FindStringSubmatch(line); m != nil && heading != "" {
				if _, twice := out[heading][m[1]]; twice {
					t.Errorf("%s: %s is documented twice", heading, m[1])
				}
				out[heading][m[1]] = m[2]
			}
		}
	}
	return out
}

// TestJSONDocumented compares the fields of docs/json.md with the types that are encoded.
func TestJSONDocumented(t *testing.T) {
	documented := documentedFields(t)
	for heading, v := range printedAs {
		want := map[string]string{}
		fields(reflect.TypeOf(v), "", func(path, kind string) {
			if path != "" {
				want[path] = kind
			}
		})
		got := documented[heading]
		for _, p := range slices.Sorted(maps.Keys(want)) {
			if got[p] != want[p] {
				t.Errorf("docs/json.md, %s: %s is %q, printed is %q", heading, p, got[p], want[p])
			}
		}
		for _, p := range slices.Sorted(maps.Keys(got)) {
			if want[p] == "" {
				t.Errorf("docs/json.md, %s: %s is not printed any more", heading, p)
			}
		}
	}
	for heading := range documented {
		if printedAs[heading] == nil {
			t.Errorf("docs/json.md: nothing prints %q", heading)
		}
	}
	eachCommand(func(c *cobra.Command) {
		if c.Flags().Lookup("json") != nil && documented[c.CommandPath()] == nil {
			t.Errorf("docs/json.md does not have %s", c.CommandPath())
		}
	})
}

// jsonRuns are command lines for TestJSONPrinted, in order, each with its heading and exit code.
var jsonRuns = []struct {
	heading string
	code    int
	line    string
}{
	{"idxbuild", 0, "idxbuild --out a.idx --store-text docs.jsonl"},
	{"idxbuild", 0, "idxbuild --out a.idx --delete-query kappa more.jsonl"},
	{"idxbuild", 0, "idxbuild --out few.idx --store-text more.jsonl"},
	{"idxmerge", 0, "idxmerge --out b.idx a.idx"},
	{"idxinspect backup", 0, "idxinspect backup a.idx c.idx"},
	{"idxinspect diff", 0, "idxinspect diff a.idx b.idx"},
	{"idxinspect diff", 1, "idxinspect diff a.idx few.idx"},
	{"idxinspect verify", 1, "idxinspect verify c.idx"}, // damaged by the test
	{"idxmerge --impacts", 0, "idxmerge --impacts text --out impacts.idx a.idx"},
	{"idxmerge --salvage", 1, "idxmerge --salvage --out d.idx c.idx"},
	{"idxinspect repair", 0, "idxinspect repair c.idx"},
	{"errors", 3, "idxinspect summary none.idx"},
	{"idxquery", 0, "idxquery --index a.idx --trace alpha beta"},
	{"idxquery", 0, "idxquery --index a.idx --queries q.tsv"},
	{"idxinspect summary", 0, "idxinspect summary a.idx"},
	{"idxinspect sections", 0, "idxinspect sections a.idx"},
	{"idxinspect sizes", 0, "idxinspect sizes a.idx"},
	{"idxinspect stats", 0, "idxinspect stats a.idx"},
	{"idxinspect columns", 0, "idxinspect columns a.idx"},
	{"idxbuild", 0, "idxbuild --out col.idx --map id=id --field id=name:keyword:column --order field:name docs.jsonl"},
	{"idxinspect columns", 0, "idxinspect columns col.idx name"},
	{"idxinspect sizes --codec", 0, "idxinspect sizes --codec all a.idx"},
	{"idxinspect terms", 0, "idxinspect terms a.idx"},
	{"idxinspect list", 0, "idxinspect list a.idx alpha"},
	{"idxinspect blocks", 0, "idxinspect blocks a.idx alpha"},
	{"idxinspect postings", 0, "idxinspect postings a.idx alpha"},
	{"idxbuild", 0, "idxbuild --out pos.idx --positions contents docs.jsonl"},
	{"idxinspect positions", 0, "idxinspect positions --field contents pos.idx alpha id7"},
	{"idxinspect docs", 0, "idxinspect docs a.idx"},
	{"idxinspect docs", 0, "idxinspect docs a.idx id7"},
	{"idxinspect explain", 0, "idxinspect explain a.idx alpha id7"},
	{"idxinspect explain --trace", 0, "idxinspect explain --trace a.idx alpha"},
	{"idxinspect hexdump", 0, "idxinspect hexdump a.idx"},
	{"idxinspect sizes --regression", 0, "idxinspect sizes --regression a.idx"},
	{"idxinspect gpu-plan", 0, "idxinspect gpu-plan --queries q.tsv a.idx"},
	{"idxbench build", 0, "idxbench build docs.jsonl"},
	{"idxbench open", 0, "idxbench open --index a.idx --repeat 2"},
	{"idxbench query", 0, "idxbench query --index a.idx --queries q.tsv --repeat 1"},
	{"idxbench intersect", 0, "idxbench intersect --index a.idx --queries q.tsv --repeat 1"},
	{"idxbench decode", 0, "idxbench decode --codec bp128 --n 1000 --time 1ms"},
	{"idxbench load", 0, "idxbench load --index a.idx --queries q.tsv --workers 1 --rate 0,1000 --time 5ms"},
	{"idxbench synth", 0, "idxbench synth --out s.idx --docs 1000 --terms 100 --length 10"},
	{"idxbench vectors", 0, "idxbench vectors --out v.idx --docs 1000 --terms 100 --postings 5"},
	{"idxbench records", 0, "idxbench records logs --out logs.jsonl --count 100"},
	{"idxbench eval", 0, "idxbench eval --per-query --qrels qrels --run a.run"},
}

// TestJSONPrinted runs the commands with --json and compares what they print with docs/json.md.
func TestJSONPrinted(t *testing.T) {
	documented := documentedFields(t)
	t.Chdir(t.TempDir())
	var docs strings.Builder
	for i := range 600 {
		fmt.Fprintf(&docs, `{"id": "id%d", "contents": "alpha beta%d %s"}`+"\n", i, i%7, strings.Repeat("gamma ", i%5))
	}
	write(t, "docs.jsonl", docs.String())
	write(t, "more.jsonl", `{"id": "id7", "contents": "alpha kappa"}`+"\n"+`{"id": "new", "contents": "alpha"}`+"\n")
	write(t, "q.tsv", "1\talpha beta1\n2\tgamma beta2\n3\t,\n")
	write(t, "qrels", "1 0 id7 1\n")
	write(t, "a.run", "1 Q0 id7 1 2.5 t\n1 Q0 id8 2 1.5 t\n")
	for _, r := range jsonRuns {
		if r.line == "idxinspect verify c.idx" {
			damage(t, "c.idx")
		}
		code, out, errs := execute(t, append(strings.Fields(r.line), "--json")...)
		if code != r.code {
			t.Errorf("%s: exit code %d, want %d, %s", r.line, code, r.code, errs)
		}
		if r.heading == "errors" {
			out = errs
		}
		var v any
		if err := json.Unmarshal([]byte(out), &v); err != nil {
			t.Errorf("%s: %v", r.line, err)
			continue
		}
		checkPrinted(t, r.line, "", v, documented[r.heading])
	}
}

// damage changes the largest file of an index, whose files are not linked elsewhere.
func damage(t *testing.T, dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	largest, size := "", 0
	for _, e := range entries {
		if b, err := os.ReadFile(path.Join(dir, e.Name())); err == nil && len(b) > size {
			largest, size = path.Join(dir, e.Name()), len(b)
		}
	}
	b, err := os.ReadFile(largest)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		b[1024+i] ^= 0xa5
	}
	os.Remove(largest)
	if err := os.WriteFile(largest, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// checkPrinted compares the fields of a value with the documented ones.
func checkPrinted(t *testing.T, line, at string, v any, fields map[string]string) {
	kind := fields[at]
	if kind == "" && strings.Trim(at, "[]") != "" {
		t.Errorf("%s: docs/json.md does not have %s", line, at)
		return
	}
	switch v := v.(type) {
	case map[string]any:
		nested := slices.ContainsFunc(slices.Collect(maps.Keys(fields)), func(p string) bool { return strings.HasPrefix(p, strings.TrimPrefix(at+".", ".")) })
		if kind == "text" || !nested {
			return // its names are data
		}
		for name, w := range v {
			checkPrinted(t, line, strings.TrimPrefix(at+"."+name, "."), w, fields)
		}
	case []any:
		if at != "" && !strings.HasPrefix(kind, "array") {
			t.Errorf("%s: %s is an array, documented as %s", line, at, kind)
		}
		for _, w := range v {
			if !strings.HasPrefix(kind, "array of") {
				checkElement(t, line, at+"[]", w, fields)
			}
		}
	case string, bool, float64:
		is := map[reflect.Kind]string{reflect.String: "string text", reflect.Bool: "boolean", reflect.Float64: "number integer"}[reflect.TypeOf(v).Kind()]
		if !slices.Contains(strings.Fields(is), kind) {
			t.Errorf("%s: %s is %v, documented as %s", line, at, v, kind)
		}
	}
}

func checkElement(t *testing.T, line, at string, v any, fields map[string]string) {
	m, ok := v.(map[string]any)
	if !ok {
		t.Errorf("%s: %s is %v, not an object", line, at, v)
		return
	}
	for name, w := range m {
		checkPrinted(t, line, at+"."+name, w, fields)
	}
}
