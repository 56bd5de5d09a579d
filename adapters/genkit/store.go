// Package forgenkit is a retriever of Genkit on package pinion, and a store that its documents are added to: an index in a directory, searched
// exactly under filters on metadata, by vectors or by words and vectors, without a server.
package forgenkit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/core"
	"github.com/firebase/genkit/go/core/api"
	"github.com/firebase/genkit/go/genkit"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// provider is what names of retrievers begin with.
const provider = "pinion"

// Names of the fields that each index has. Metadata of these names is kept, but cannot be filtered by.
const (
	FieldText     = "text"     // the document's parts of text
	FieldDocument = "document" // all of it, as JSON
	FieldVector   = "embedding"
)

// Config configures a Store.
type Config struct {
	// Dir is the directory of the index.
	Dir string
	// Embedder makes vectors of the texts of documents and queries, with EmbedderOptions. It is needed.
	Embedder        ai.Embedder
	EmbedderOptions any
	// Model is its name. An index refuses vectors of another. "" means Embedder.Name.
	Model string
	// Dims is how many dimensions its vectors have. 0 means that DefineRetriever asks it, by a text.
	Dims int
	// Fields are metadata that can be filtered by, by their names: of kind keyword, integer, float or time, with a Column. Other
	// metadata is kept too.
	Fields []schema.Field
	// Hybrid says that searches are by words beside vectors, whose ranks are fused (pinion.Fuse). There is no MinScore then.
	Hybrid bool
	// ID returns the id of a document, of which one with the same id is replaced. Nil means a hash of all of it.
	ID func(*ai.Document) string
	// Cache keeps vectors over restarts, such as an embedding.Cache.
	Cache pinion.EmbedCache
	// Index are options of the index. Their Schema and Embed must be nil.
	Index pinion.Options
}

// RetrieverOptions are what ai.RetrieverRequest.Options may be, as a value, a pointer, or the JSON object as a map. The zero value means the
// defaults.
type RetrieverOptions struct {
	K        int        `json:"k,omitempty"`        // how many documents, up to pinion.MaxRanked; 0 means DefaultK
	Filter   string     `json:"filter,omitempty"`   // which documents, in the language of docs/filters.md, over Config.Fields
	MinScore float32    `json:"minScore,omitempty"` // the least cosine, up to 1; 0 means none
	Where    query.Node `json:"-"`                  // unless nil, which documents, as a node
}

// DefaultK is how many documents are retrieved if RetrieverOptions do not say it.
const DefaultK = 3

// Store is an index that documents are added to and deleted from. It is safe for concurrent use.
type Store struct {
	c     Config
	index *pinion.Index
}

// DefineRetriever opens the store of a Config, and defines the retriever "pinion/NAME" over it. The caller closes the store. The error
// matches pinion.ErrInvalid for a wrong Config, and for one that does not fit the index that is there.
func DefineRetriever(ctx context.Context, g *genkit.Genkit, name string, c Config, opts *ai.RetrieverOptions) (*Store, ai.Retriever, error) {
	if name == "" || c.Dir == "" {
		return nil, nil, fmt.Errorf("%w: a retriever named %q in the directory %q", pinion.ErrInvalid, name, c.Dir)
	}
	if Retriever(g, name) != nil { // Genkit would panic, with the index open
		return nil, nil, fmt.Errorf("%w: a retriever named %q is there already", pinion.ErrInvalid, name)
	}
	s, err := open(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	own := ai.RetrieverOptions{Label: name}
	if opts != nil {
		own = *opts
	}
	if own.ConfigSchema == nil {
		own.ConfigSchema = core.InferSchemaMap(RetrieverOptions{})
	}
	return s, genkit.DefineRetriever(g, api.NewName(provider, name), &own, s.retrieve), nil
}

// Retriever returns the retriever that DefineRetriever has defined by a name, or nil.
func Retriever(g *genkit.Genkit, name string) ai.Retriever {
	return genkit.LookupRetriever(g, api.NewName(provider, name))
}

func open(ctx context.Context, c Config) (*Store, error) {
	if c.Embedder == nil || c.Index.Schema != nil || c.Index.Embed != nil {
		return nil, fmt.Errorf("%w: a store needs an Embedder, and has a schema and Embed of its own", pinion.ErrInvalid)
	}
	if c.Model == "" {
		c.Model = c.Embedder.Name()
	}
	s := &Store{c: c}
	if c.Dims == 0 {
		v, err := s.embed(ctx, []string{"dimensions"})
		if err != nil {
			return nil, fmt.Errorf("asking the embedder for its dimensions: %w", err)
		}
		c.Dims = len(v[0])
	}
	c.Index.Schema = &schema.Schema{Fields: append([]schema.Field{
		{Name: FieldText, Kind: schema.Text},
		{Name: FieldDocument, Kind: schema.Text, Index: schema.IndexNone, Stored: true},
		{Name: FieldVector, Kind: schema.Vector, Dims: c.Dims, Model: c.Model},
	}, c.Fields...)}
	c.Index.Embed = []pinion.Embed{{Field: FieldVector, From: []string{FieldText}, Texts: s.embed, Cache: c.Cache}}
	var err error
	s.index, err = pinion.Open(ctx, c.Dir, c.Index)
	return s, err
}

// embed asks the embedder for the vectors of texts.
func (s *Store) embed(ctx context.Context, texts []string) ([][]float32, error) {
	r := &ai.EmbedRequest{Options: s.c.EmbedderOptions}
	for _, t := range texts {
		r.Input = append(r.Input, ai.DocumentFromText(t, nil))
	}
	a, err := s.c.Embedder.Embed(ctx, r)
	if err != nil {
		return nil, err
	}
	if a == nil || len(a.Embeddings) != len(texts) {
		return nil, fmt.Errorf("embedder %s: other than %d vectors of %d texts", s.c.Embedder.Name(), len(texts), len(texts))
	}
	all := make([][]float32, len(texts))
	for i, e := range a.Embeddings {
		all[i] = e.Embedding
	}
	return all, nil
}

// Close makes all durable and closes the index.
func (s *Store) Close() error { return s.index.Close() }

// Index returns the index, to be searched in other ways, and backed up. It is closed with s.
func (s *Store) Index() *pinion.Index { return s.index }

// textOf returns the parts of text of a document, a line each or more.
func textOf(d *ai.Document) string {
	var all []string
	if d != nil {
		for _, p := range d.Content {
			if p != nil && p.IsText() {
				all = append(all, p.Text)
			}
		}
	}
	return strings.Join(all, "\n")
}

// Add adds documents, as one change, and returns their ids. Each needs a part of text, which is what vectors are made of, and is kept as it
// is. What its metadata has of Config.Fields must fit the kinds.
func (s *Store) Add(ctx context.Context, docs ...*ai.Document) ([]string, error) {
	ids, all := make([]string, len(docs)), make([]pinion.Doc, len(docs))
	for i, d := range docs {
		text := textOf(d)
		if strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("%w: document %d has no text", pinion.ErrInvalid, i)
		}
		b, err := json.Marshal(d)
		if err != nil {
			return nil, fmt.Errorf("%w: document %d: %w", pinion.ErrInvalid, i, err)
		}
		if s.c.ID != nil {
			ids[i] = s.c.ID(d)
		} else {
			sum := sha256.Sum256(b)
			ids[i] = hex.EncodeToString(sum[:16])
		}
		fields := map[string]any{FieldText: text, FieldDocument: string(b)}
		for _, f := range s.c.Fields {
			if x, ok := d.Metadata[f.Name]; ok {
				fields[f.Name] = x
			}
		}
		all[i] = pinion.Doc{ID: ids[i], Fields: fields}
	}
	return ids, s.index.Add(ctx, all...)
}

// Delete deletes the documents with these ids. It is no error if there are none.
func (s *Store) Delete(ctx context.Context, ids ...string) error { return s.index.Delete(ctx, ids...) }

// DeleteWhere deletes the documents that pass a filter, in the language of docs/filters.md, and returns how many.
func (s *Store) DeleteWhere(ctx context.Context, filter string) (uint64, error) {
	n, err := query.ParseFilter(s.index.Schema(), filter)
	if err != nil {
		return 0, err
	}
	return s.index.DeleteWhere(ctx, n)
}

// optionsOf returns what a request says.
func optionsOf(x any) (o RetrieverOptions, err error) {
	switch x := x.(type) {
	case nil:
	case RetrieverOptions:
		o = x
	case *RetrieverOptions:
		if x != nil {
			o = *x
		}
	case map[string]any:
		b, err := json.Marshal(x)
		if err != nil {
			return o, fmt.Errorf("%w: options: %w", pinion.ErrInvalid, err)
		}
		d := json.NewDecoder(strings.NewReader(string(b)))
		d.DisallowUnknownFields()
		if err := d.Decode(&o); err != nil {
			return o, fmt.Errorf("%w: options: %w", pinion.ErrInvalid, err)
		}
	default:
		return o, fmt.Errorf("%w: options of type %T", pinion.ErrInvalid, x)
	}
	if o.K == 0 {
		o.K = DefaultK
	}
	if o.K < 0 || o.K > pinion.MaxRanked || !(o.MinScore >= 0 && o.MinScore <= 1) {
		return o, fmt.Errorf("%w: options with k %d, not up to %d, and minScore %v, not from 0 to 1", pinion.ErrInvalid, o.K, pinion.MaxRanked, o.MinScore)
	}
	return o, nil
}

// retrieve is the retriever.
func (s *Store) retrieve(ctx context.Context, req *ai.RetrieverRequest) (*ai.RetrieverResponse, error) {
	o, err := optionsOf(req.Options)
	if err != nil {
		return nil, err
	}
	text := textOf(req.Query)
	switch {
	case strings.TrimSpace(text) == "":
		return nil, fmt.Errorf("%w: a query without text", pinion.ErrInvalid)
	case o.MinScore > 0 && s.c.Hybrid:
		return nil, fmt.Errorf("%w: minScore %v, of scores by ranks", pinion.ErrInvalid, o.MinScore)
	}
	near := query.Nearest{Field: FieldVector, Text: text, K: o.K}
	r := pinion.Request{Query: near, Limit: o.K, Fields: []string{FieldDocument}}
	if s.c.Hybrid {
		near.K = max(o.K, pinion.DefaultRanked)
		r.Query, r.Fuse = nil, &pinion.Fuse{Lists: []pinion.FuseList{{Query: query.Match{Field: FieldText, Text: text}, K: near.K}, {Query: near, K: near.K}}}
	}
	if r.Filter = o.Where; o.Filter != "" {
		n, err := query.ParseFilter(s.index.Schema(), o.Filter)
		if err != nil {
			return nil, err
		}
		if r.Filter = n; o.Where != nil {
			r.Filter = query.And{n, o.Where}
		}
	}
	page, err := s.index.Search(ctx, r)
	if err != nil {
		return nil, err
	}
	found := &ai.RetrieverResponse{Documents: []*ai.Document{}}
	for i := range page.Hits {
		h := &page.Hits[i]
		if o.MinScore > 0 && 2*h.Score-1 < o.MinScore {
			break
		}
		d, kept := &ai.Document{}, h.Value(FieldDocument)
		if err := json.Unmarshal([]byte(fmt.Sprint(kept)), d); err != nil {
			return nil, fmt.Errorf("document %.80q: %w", h.ID, err)
		}
		found.Documents = append(found.Documents, d)
	}
	return found, nil
}
