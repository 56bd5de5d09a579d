package idxquery

import (
	"fmt"
	"os"
	"strings"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// checkSynonyms returns an error for flags that --synonyms does not go with.
func (f *flags) checkSynonyms() error {
	switch {
	case len(f.synonyms) == 0:
	case f.dot != "":
		return cli.Usage("--synonyms and --dot exclude each other: a vector has no words")
	case f.mode.Value == query.ModeAndOr.String():
		return cli.Usage("--synonyms takes --mode or or and: the hits of and-or depend on how many are wanted")
	}
	return nil
}

// synonymsOf returns the synonyms of the files of --synonyms, each for a field or for all others, or nil without.
func (f *flags) synonymsOf(s *schema.Schema) (*query.Synonyms, error) {
	files := map[string]*query.Synonyms{}
	for _, text := range f.synonyms {
		name, field := text, ""
		if before, after, ok := strings.Cut(text, "="); ok {
			if x, is := s.Field(before); is && x.Kind == schema.Text {
				name, field = after, x.Name
			}
		}
		if files[field] != nil {
			return nil, cli.Usage("--synonyms has two files for %s", whose(field))
		}
		var err error
		if files[field], err = readSynonyms(name); err != nil {
			return nil, err
		}
	}
	all := files[""]
	for field, own := range files {
		if field == "" {
			continue
		}
		if all == nil {
			all = new(query.Synonyms)
		}
		all = all.In(field, own)
	}
	return all, nil
}

// whose returns whose file one of --synonyms is.
func whose(field string) string {
	if field == "" {
		return "all fields"
	}
	return fmt.Sprintf("the field %q", field)
}

func readSynonyms(name string) (*query.Synonyms, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s, err := query.ParseSynonyms(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// expanded returns n with synonyms, if there are any.
func (s *session) expanded(n query.Node) (query.Node, error) { return s.synonyms.Rewrite(s.schema, n) }
