package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/schema"
)

// arguments are those of all tools.
type arguments struct {
	Query  string `json:"query"`
	Filter string `json:"filter"`
	Limit  int    `json:"limit"`
	After  string `json:"after"`
	ID     string `json:"id"`
	Field  string `json:"field"`
}

// maxLimit is the greatest limit of a tool.
const maxLimit = 100

// tool is one that assistants call.
type tool struct {
	name, about string
	takes       []string // its arguments, those that it needs first
	needs       int
	run         func(context.Context, *pinion.View, *arguments) (any, error)
}

const filterHelp = `Which documents, by fields: level = error, price 10..20, ts >= 2026-01-01, level in (a, b), exists(price), with and, or, not`

// about says what arguments are.
var about = map[string]map[string]any{
	"query":  {"type": "string", "description": `Words to search for. Also: +must, -not, "a phrase", field:word, prefix*; * alone is all documents`},
	"filter": {"type": "string", "description": filterHelp},
	"limit":  {"type": "integer", "minimum": 1, "maximum": maxLimit, "description": "How many at most; 10 by default"},
	"after":  {"type": "string", "description": "The value of next in the result before, for the next page"},
	"id":     {"type": "string", "description": "The document's id, as search returns it"},
	"field":  {"type": "string", "description": "The field whose values are counted"},
}

var tools = []tool{
	{"search", "Searches documents by words, the best first. Returns ids, scores, passages and short values; fetch returns a whole document.", []string{"query", "filter", "limit", "after"}, 1, search},
	{"fetch", "Returns all that is kept of a document, by its id.", []string{"id"}, 1, fetch},
	{"facets", "Counts the documents that match by the values of a field, the most frequent first.", []string{"field", "query", "filter", "limit"}, 1, facets},
}

// schema returns the JSON schema of the arguments of t.
func (t *tool) schema() any {
	all := map[string]any{}
	for _, name := range t.takes {
		all[name] = about[name]
	}
	return map[string]any{"type": "object", "properties": all, "required": t.takes[:t.needs], "additionalProperties": false}
}

// parse returns arguments of t. The error says what is wrong with them.
func (t *tool) parse(b json.RawMessage) (*arguments, error) {
	a := new(arguments)
	if len(b) == 0 || string(b) == "null" {
		b = json.RawMessage("{}")
	}
	given := map[string]json.RawMessage{}
	if err := json.Unmarshal(b, &given); err != nil {
		return nil, fmt.Errorf("the arguments of %s are not an object: %w", t.name, err)
	}
	for name, x := range given {
		if !slices.Contains(t.takes, name) {
			return nil, fmt.Errorf("%s takes no argument %q, but %s", t.name, name, strings.Join(t.takes, ", "))
		}
		if string(x) == "null" { // as clients send what is not given
			delete(given, name)
		}
	}
	if err := json.Unmarshal(b, a); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", t.name, err)
	}
	for _, name := range t.takes[:t.needs] {
		if x, ok := given[name]; !ok || string(x) == `""` {
			return nil, fmt.Errorf("%s needs the argument %q", t.name, name)
		}
	}
	if _, ok := given["limit"]; ok && (a.Limit < 1 || a.Limit > maxLimit) {
		return nil, fmt.Errorf("limit is %d, not from 1 to %d", a.Limit, maxLimit)
	}
	return a, nil
}

// search is the tool of that name.
func search(ctx context.Context, v *pinion.View, a *arguments) (any, error) {
	r := &httpapi.Request{Query: a.Query, Filter: a.Filter, K: a.Limit, After: a.After, Total: true}
	s := v.Schema()
	for i := range s.Fields {
		switch f := &s.Fields[i]; {
		case f.Kind == schema.Text && f.Stored:
			r.Passages = &httpapi.Passages{Length: 300}
		case f.Stored || f.Column:
			r.Fields = append(r.Fields, f.Name)
		}
	}
	return httpapi.OfView(v).Search(ctx, r)
}

// fetch is the tool of that name.
func fetch(ctx context.Context, v *pinion.View, a *arguments) (any, error) {
	d, err := v.Get(ctx, a.ID)
	if errors.Is(err, pinion.ErrNotFound) {
		return nil, fmt.Errorf("there is no document %q", a.ID)
	}
	return map[string]any{"id": d.ID, "fields": d.Fields}, err
}

// facets is the tool of that name.
func facets(ctx context.Context, v *pinion.View, a *arguments) (any, error) {
	r := &httpapi.Request{Query: cmp.Or(a.Query, "*"), Filter: a.Filter, K: 1, Facets: []httpapi.Facet{{Field: a.Field, K: a.Limit}}}
	found, err := httpapi.OfView(v).Search(ctx, r)
	if err != nil {
		return nil, err
	}
	return map[string]any{"field": a.Field, "counts": found.Facets[0].Counts, "missing": found.Facets[0].Missing, "total": found.Total}, nil
}
