package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	_ "github.com/blevesearch/bleve/v2/index/scorch" // what indexes are kept in
	_ "github.com/blevesearch/bleve/v2/index/upsidedown"
	_ "github.com/blevesearch/bleve/v2/index/upsidedown/store/boltdb"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/registry"
	index "github.com/blevesearch/bleve_index_api"
)

// source is an index of bleve's in a directory, open for reading. Unlike one that bleve.Open returns, it needs none of the
// analyzers that the mapping names.
type source struct {
	index   index.Index
	mapping *mapping.IndexMappingImpl
}

func (s *source) Advanced() (index.Index, error) { return s.index, nil }
func (s *source) DocCount() (uint64, error)      { return 0, nil }
func (s *source) Mapping() mapping.IndexMapping  { return s.mapping }

// meta is the content of index_meta.json.
type meta struct {
	Storage string         `json:"storage"`
	Type    string         `json:"index_type"`
	Config  map[string]any `json:"config"`
}

// open opens the index in a directory. The caller closes the result's index.
func open(dir string) (s *source, err error) {
	b, err := os.ReadFile(filepath.Join(dir, "index_meta.json"))
	if err != nil {
		return nil, fmt.Errorf("no index of bleve's: %w", err)
	}
	var m meta
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("%s: index_meta.json: %w", dir, err)
	}
	if m.Type == "" { // before bleve wrote it
		m.Type = "upside_down"
	}
	construct := registry.IndexTypeConstructorByName(m.Type)
	if construct == nil {
		return nil, fmt.Errorf("%s: unknown type of index %q", dir, m.Type)
	}
	if m.Config == nil {
		m.Config = map[string]any{}
	}
	m.Config["path"] = filepath.Join(dir, "store")
	m.Config["create_if_missing"], m.Config["error_if_exists"], m.Config["read_only"] = false, false, true
	defer func() {
		if p := recover(); p != nil {
			s, err = nil, fmt.Errorf("%s: damaged: %v", dir, p)
		}
	}()
	s = &source{}
	if s.index, err = construct(m.Storage, m.Config, index.NewAnalysisQueue(1)); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if err := s.start(); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if s.mapping, err = readMapping(s.index); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: mapping: %w", dir, err), s.index.Close())
	}
	return s, nil
}

// start opens the index. Where files are damaged, bleve goes back to an older state and logs that, which would
// lose documents: that is an error here.
func (s *source) start() error {
	var said bytes.Buffer
	before := log.Writer()
	log.SetOutput(&said)
	err := s.index.Open()
	log.SetOutput(before)
	if err == nil && said.Len() > 0 {
		line, _, _ := strings.Cut(said.String(), "\n")
		err = errors.Join(fmt.Errorf("bleve says: %s", line), s.index.Close())
	}
	return err
}

// readMapping returns the mapping that an index has. What it says of analyzers stays as it is: their parts need not be in
// this program.
func readMapping(x index.Index) (_ *mapping.IndexMappingImpl, err error) {
	r, err := x.Reader()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	b, err := r.GetInternal([]byte("_mapping"))
	if err != nil {
		return nil, err
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(b, &parts); err != nil {
		return nil, err
	}
	analysis := parts["analysis"]
	delete(parts, "analysis")
	if b, err = json.Marshal(parts); err != nil {
		return nil, err
	}
	m := mapping.NewIndexMapping()
	if err := json.Unmarshal(b, m); err != nil {
		return nil, err
	}
	if analysis != nil {
		err = json.Unmarshal(analysis, m.CustomAnalysis)
	}
	return m, err
}
