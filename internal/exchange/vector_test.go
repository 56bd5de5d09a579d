package exchange

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/schema"
)

// sparseSchema has a field of integers, one of steps of 0.01, and text beside them.
var sparseSchema = &schema.Schema{Fields: []schema.Field{
	{Name: "vector", Kind: schema.Impacts},
	{Name: "fine", Kind: schema.Impacts, Scale: 0.01},
	{Name: "text", Kind: schema.Text},
}}

func TestVectors(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{`{"id":"a","contents":"x","vector":{"b":12,"a":255 , "\u0063":1}}`, `a: vector=a:255 b:12 c:1`},
		{`{"id":"a","vector": { "##s" : 3 } ,"fine":{"x":2.55,"y":0.015,"z":0.025}}`, `a: vector=##s:3 fine=x:255 y:2 z:2`},
		{`{"id":"a","vector":{"b":0,"c":1.0,"d":2e1}}`, `a: vector=c:1 d:20`},
		{`{"id":"a","vector":{}}`, `a: vector=`},
		{`{"id":"a","vector":null}`, `a:`},
		{`{"id":"a","vector":{"\"}":7,"\\":8,"":0}}`, `a: vector="}:7 \:8`},
		// Bad ones.
		{`{"id":"a","vector":{"b":-1}}`, `!in.jsonl:1: key "vector": term "b": schema: invalid schema: field "vector": the weight -1 is not a finite number from 0 on`},
		{`{"id":"a","vector":{"b":256}}`, `!in.jsonl:1: key "vector": term "b": schema: invalid schema: field "vector": the weight 256 is above 255, which is 255 times the scale`},
		{`{"id":"a","fine":{"b":2.56}}`, `!in.jsonl:1: key "fine": term "b": schema: invalid schema: field "fine": the weight 2.56 is above 2.55`},
		{`{"id":"a","vector":{"b":1e999}}`, `!in.jsonl:1: key "vector": term "b": schema: invalid schema: field "vector": the weight +Inf is not a finite`},
		{`{"id":"a","vector":{"b":1.5}}`, `!in.jsonl:1: key "vector": term "b": the weight 1.5 has a fraction, and field "vector" has no scale`},
		{`{"id":"a","vector":{"b":"1"}}`, `!in.jsonl:1: key "vector": the weight of the term "b" is not a number`},
		{`{"id":"a","vector":{"b":{"c":1}}}`, `!in.jsonl:1: key "vector": the weight of the term "b" is not a number`},
		{`{"id":"a","vector":{"b":null}}`, `!in.jsonl:1: key "vector": the weight of the term "b" is not a number`},
		{`{"id":"a","vector":{"b":NaN}}`, `!in.jsonl:1: broken JSON at byte`},
		{`{"id":"a","vector":{"b":1,"\u0062":2}}`, `!in.jsonl:1: key "vector": schema: invalid schema: field "vector": the term "b" comes twice`},
		{`{"id":"a","vector":{"":1}}`, `!in.jsonl:1: key "vector": schema: invalid schema: field "vector": a term of 0 bytes`},
		{`{"id":"a","vector":"b"}`, `!in.jsonl:1: key "vector": the value "b" is of the wrong kind for field "vector", which takes objects such as {"term": 12}`},
		{`{"id":"a","vector":7}`, `!in.jsonl:1: key "vector": the value 7 is of the wrong kind`},
		{`{"id":"a","vector":[{"b":1},{"c":1}]}`, `!in.jsonl:1: key "vector": a second object for field "vector"; a document has one vector`},
		{`{"id":"a","vector":[["b"]]}`, `!in.jsonl:1: key "vector": an array in an array is of the wrong kind`},
		{`{"id":"a","vector":{"b":1},"vector":{"c":1}}`, `!in.jsonl:1: key "vector" comes twice`},
		{`{"id":"a","text":{"b":1}}`, `!in.jsonl:1: key "text": an object is of the wrong kind for field "text", which takes text`},
		{`{"id":"a","vector":{"b":1`, `!in.jsonl:1: broken JSON: the line ends inside the object`},
	} {
		lines, _ := withFields(t, FormatJSONL, sparseSchema, DocumentOptions{}, tt.line+"\n{\"id\":\"z\"}\n")
		if len(lines) != 2 || lines[1] != "z:" {
			t.Errorf("%.80s: %q", tt.line, lines)
			continue
		}
		if got := lines[0]; got != tt.want && !(strings.HasPrefix(tt.want, "!") && strings.HasPrefix(got, tt.want)) {
			t.Errorf("%.80s:\n got %.250s\nwant %.250s", tt.line, got, tt.want)
		}
	}
}

// Weights that are left out are counted, but not those of documents that are bad.
func TestZeroedWeights(t *testing.T) {
	_, src := withFields(t, FormatJSONL, sparseSchema, DocumentOptions{}, `{"id":"a","vector":{"b":0,"c":1},"fine":{"d":0.004,"e":0.005}}
{"id":"b","vector":{"b":0,"c":-1}}
{"id":"c","fine":{"d":0.001}}
`)
	if got := src.Zeroed(); got != 4 {
		t.Errorf("%d weights were left out, want 4", got)
	}
}

func TestVectorKeys(t *testing.T) {
	tests := []struct{ keys, want string }{
		{"vector:impacts", "a: vector=b:3"},
		{"vector:impacts:0.5", "a: vector=b:6"},
		{"passage.vector=v:impacts", "a: v=c:4"},
		{"vector=v:impacts passage.vector=v:impacts", `!keys "vector" and "passage.vector": a document has one value in field "v", of kind impacts`},
		{"passage=v:impacts passage.vector=w:impacts", `!key "passage" goes into a field of impacts, whose terms are no keys of other fields`},
	}
	for _, tt := range tests {
		f, err := ParseFields("", strings.Fields(tt.keys)...)
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.WithSchema(nil, schema.Field{Stored: true})
		if err != nil {
			t.Fatal(err)
		}
		lines, _ := withFields(t, FormatJSONL, s, DocumentOptions{Fields: f}, `{"id":"a","vector":{"b":3},"passage":{"vector":{"c":4}}}`)
		if len(lines) != 1 || lines[0] != tt.want {
			t.Errorf("%s: %q, want %s", tt.keys, lines, tt.want)
		}
	}
	for text, want := range map[string]string{"v:impacts:0": "a scale is a number above 0", "v:impacts:1:2": "there are two scales", "v:impacts:x": "none of a scale"} {
		if _, err := ParseKey(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	f, _ := ParseFields("", "vector:impacts:0.5")
	if _, err := f.WithSchema(sparseSchema, schema.Field{}); err == nil || !strings.Contains(err.Error(), `has the scale 1 in the schema, 0.5`) {
		t.Error(err)
	}
	if lines, _ := withFields(t, FormatCSV, sparseSchema, DocumentOptions{}, "id,vector\na,b\n"); len(lines) != 1 || !strings.Contains(lines[0], "wrong kind") {
		t.Errorf("%q", lines)
	}
}

// Any object of numbers is read as encoding/json reads it, and nothing else is.
func TestAppendVector(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.MapOf(rapid.String(), rapid.Float64()).Draw(t, "vector")
		object, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := AppendVector(nil, object)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%s: %d terms, %v", object, len(got), err)
		}
		for _, x := range got {
			if w, ok := want[string(x.Term)]; !ok || w != x.Weight {
				t.Fatalf("%s: %q is %v", object, x.Term, x.Weight)
			}
		}
	})
	words := []WeightedTerm{{[]byte("whale"), 1}, {[]byte("##s"), 1}, {[]byte("whale"), 1}, {[]byte("{"), 1}}
	if got, err := AppendVector(nil, []byte(" whale ##s\twhale {\n")); err != nil || !reflect.DeepEqual(got, words) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{`{"a"}`, `{"a":1`, `{"a":1}}`, `{"a":true}`, `{"a":[1]}`, "{\"\xff\":1}", `{"a":1}{}`} {
		if got, err := AppendVector(nil, []byte(bad)); err == nil {
			t.Errorf("%s is %v", bad, got)
		}
	}
}
