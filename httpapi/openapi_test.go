package httpapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/schema"
)

var update = flag.Bool("update", false, "write openapi.json")

// object is an object of JSON.
type object = map[string]any

// documented writes types as schemas of OpenAPI.
type documented struct {
	comments map[string]string // by Type and by Type.Field
	schemas  object            // by type
}

// TestOpenAPI compares openapi.json with the routes, the types and their comments.
func TestOpenAPI(t *testing.T) {
	d := &documented{comments: comments(t), schemas: object{}}
	got, err := json.MarshalIndent(d.document(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile("openapi.json", got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile("openapi.json"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("openapi.json is not what the types say (%v): go test ./httpapi -run TestOpenAPI -update", err)
	}
}

// TestOpenAPIRoutes compares the paths of openapi.json with the routes of a Server.
func TestOpenAPIRoutes(t *testing.T) {
	var document struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal(openAPIDocument, &document); err != nil {
		t.Fatal(err)
	}
	s, err := New(noBackend{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for path := range s.metrics.routes {
		if _, ok := document.Paths[path]; !ok && path != "/" {
			t.Errorf("openapi.json lacks %s", path)
		}
	}
	if got, want := len(document.Paths), len(s.metrics.routes)-1; got != want {
		t.Errorf("openapi.json has %d paths, not %d", got, want)
	}
}

type noBackend struct{ Backend }

func (d *documented) document() object {
	get, post := "get", "post"
	return object{
		"openapi": "3.1.0",
		"info": object{"title": "Pinion", "version": "1", "license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"description": "Ranked search over an index. docs/serving.md says more. A body, an answer (a batch with all of its lines) and what all requests hold together have " +
				"limits in bytes, an answer has a deadline and a batch six times as long; beyond them come the codes too_large (413), busy (429), deadline (504) and, " +
				"where a body is sent too slowly, slow (408). A client that takes an answer too slowly is cut off."},
		"paths": object{
			"/v1/search": object{get: d.operation("search", "A page of hits", Response{}, d.params(Request{})),
				post: d.operation("searchBody", "A page of hits", Response{}, d.body(Request{}))},
			"/v1/search/batch": object{post: d.batch()},
			"/v1/count": object{get: d.operation("count", "How many documents match", CountResponse{}, d.params(CountRequest{})),
				post: d.operation("countBody", "How many documents match", CountResponse{}, d.body(CountRequest{}))},
			"/v1/suggest": object{get: d.operation("suggest", "Words that begin so", SuggestResponse{}, d.params(SuggestRequest{})),
				post: d.operation("suggestBody", "Words that begin so", SuggestResponse{}, d.body(SuggestRequest{}))},
			"/v1/index":     object{get: d.operation("index", "What is served", Summary{}, object{"parameters": []any{timeout}})},
			"/healthz":      object{get: d.open("health", "Whether the process answers")},
			"/readyz":       object{get: d.open("ready", "Whether requests are welcome")},
			"/metrics":      object{get: text("metrics", "Metrics of Prometheus", "text/plain")},
			"/openapi.json": object{get: text("openapi", "This document", "application/json")},
		},
		"components": object{"schemas": d.schemas, "securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}}},
		"security":   []any{object{"token": []any{}}, object{}},
	}
}

var timeout = object{"name": timeoutParam, "in": "query", "schema": object{"type": "string"},
	"description": "A shorter time for the answer than the server's own, such as 200ms; also as the header " + timeoutHeader}

// operation describes a method of a path that answers with a type.
func (d *documented) operation(id, summary string, answer any, rest object) object {
	o := object{"operationId": id, "summary": summary, "responses": object{
		"200":     object{"description": "The answer", "content": content("application/json", d.of(reflect.TypeOf(answer)))},
		"default": object{"description": "No answer", "content": content("application/json", d.of(reflect.TypeOf(ErrorBody{})))},
	}}
	for key, value := range rest {
		o[key] = value
	}
	return o
}

func content(mediaType string, schema any) object { return object{mediaType: object{"schema": schema}} }

func text(id, summary, mediaType string) object {
	return object{"operationId": id, "summary": summary, "responses": object{"200": object{"description": "The answer", "content": object{mediaType: object{}}}}}
}

// open is an operation that takes no credentials.
func (d *documented) open(id, summary string) object {
	return d.operation(id, summary, Status{}, object{"security": []any{object{}}})
}

func (d *documented) body(request any) object {
	return object{"parameters": []any{timeout}, "requestBody": object{"required": true, "content": content("application/json", d.of(reflect.TypeOf(request)))}}
}

// params describes the parameters that decodeURL reads.
func (d *documented) params(request any) object {
	t := reflect.TypeOf(request)
	all := []any{}
	for i, name := range keys(t) {
		schema := d.of(t.Field(i).Type)
		switch t.Field(i).Type {
		case reflect.TypeFor[[]Facet]():
			schema = object{"type": "array", "items": object{"type": "string"}}
		case reflect.TypeFor[*Static](), reflect.TypeFor[*Passages](), reflect.TypeFor[*Vector](), reflect.TypeFor[*Nearest](), reflect.TypeFor[*Similarity](),
			reflect.TypeFor[*Fuse](), reflect.TypeFor[*Rescore]():
			schema = object{"type": "string"}
		}
		all = append(all, object{"name": name, "in": "query", "schema": schema, "description": d.comments[t.Name()+"."+t.Field(i).Name]})
	}
	return object{"parameters": append(all, timeout)}
}

func (d *documented) batch() object {
	return object{"operationId": "batch", "summary": "Pages of hits: a request in each line, and an answer for each, in their order", "parameters": []any{timeout},
		"requestBody": object{"required": true, "content": content("application/x-ndjson", d.of(reflect.TypeFor[Request]()))},
		"responses": object{"200": object{"description": "A line for each line", "content": content("application/x-ndjson",
			object{"oneOf": []any{d.of(reflect.TypeFor[Response]()), d.of(reflect.TypeFor[ErrorBody]())}})},
			"default": object{"description": "No answer", "content": content("application/json", d.of(reflect.TypeFor[ErrorBody]()))}}}
}

// of returns the schema of a type, or a reference to it.
func (d *documented) of(t reflect.Type) any {
	switch t {
	case reflect.TypeFor[Text]():
		return object{"oneOf": []any{object{"type": "string"}, object{"type": "object", "required": []any{"base64"},
			"properties": object{"base64": object{"type": "string", "contentEncoding": "base64"}}}}}
	case reflect.TypeFor[*schema.Schema]():
		return object{"type": "object", "description": "The fields, as idxbuild --schema reads them"}
	case reflect.TypeFor[[2]int]():
		return object{"type": "array", "items": object{"type": "integer"}, "minItems": 2, "maxItems": 2}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.of(t.Elem())
	case reflect.Slice:
		return object{"type": "array", "items": d.of(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": d.of(t.Elem())}
	case reflect.Interface:
		return object{"description": "A number, a string, or null; a time as 2026-01-31T12:30:00Z"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number", "format": map[int]string{32: "float", 64: "double"}[t.Bits()]}
	case reflect.Int, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer"}
	case reflect.Struct:
		d.define(t)
		return object{"$ref": "#/components/schemas/" + t.Name()}
	}
	panic(fmt.Sprintf("%v has no schema", t))
}

// strict are the types of what clients send.
var strict = map[reflect.Type]bool{reflect.TypeFor[Request](): true, reflect.TypeFor[Facet](): true, reflect.TypeFor[Static](): true,
	reflect.TypeFor[Passages](): true, reflect.TypeFor[Vector](): true, reflect.TypeFor[Nearest](): true,
	reflect.TypeFor[Similarity](): true, reflect.TypeFor[Fuse](): true, reflect.TypeFor[FuseList](): true, reflect.TypeFor[Rescore](): true, reflect.TypeFor[CountRequest](): true, reflect.TypeFor[SuggestRequest](): true}

// define puts a struct into schemas.
func (d *documented) define(t reflect.Type) {
	if d.schemas[t.Name()] != nil {
		return
	}
	properties, required := object{}, []any{}
	d.schemas[t.Name()] = object{"type": "object", "description": d.comments[t.Name()], "properties": properties}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		p := d.of(f.Type)
		if text := d.comments[t.Name()+"."+f.Name]; text != "" {
			if o := p.(object); o["$ref"] != nil {
				p = object{"allOf": []any{o}, "description": text}
			} else {
				o["description"] = text
			}
		}
		if properties[name] = p; options == "" {
			required = append(required, name)
		}
	}
	if strict[t] {
		d.schemas[t.Name()].(object)["additionalProperties"] = false
	}
	if len(required) > 0 {
		d.schemas[t.Name()].(object)["required"] = required
	}
}

// comments returns the comments of types and their fields.
func comments(t *testing.T) map[string]string {
	all := map[string]string{}
	for _, name := range []string{"types.go", "fuse.go", "nearest.go", "errors.go", "health.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			spec := g.Specs[0].(*ast.TypeSpec)
			all[spec.Name.Name] = strings.Join(strings.Fields(g.Doc.Text()), " ")
			x, ok := spec.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, field := range x.Fields.List {
				for _, n := range field.Names {
					all[spec.Name.Name+"."+n.Name] = strings.TrimSpace(field.Comment.Text())
				}
			}
		}
	}
	return all
}
