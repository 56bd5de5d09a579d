package example

import (
	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
)

// Mapping says what mails consist of.
func Mapping() *mapping.IndexMappingImpl {
	text := bleve.NewTextFieldMapping()
	text.Analyzer = "en"
	mail := bleve.NewDocumentStaticMapping()
	mail.AddFieldMappingsAt("from", bleve.NewKeywordFieldMapping())
	mail.AddFieldMappingsAt("subject", text)
	mail.AddFieldMappingsAt("text", text)
	mail.AddFieldMappingsAt("sent", bleve.NewDateTimeFieldMapping())
	m := bleve.NewIndexMapping()
	m.DefaultMapping = mail
	return m
}

// Bleve makes an index in dir and searches it.
func Bleve(dir string) (found Found, err error) {
	index, err := bleve.New(dir, Mapping())
	if err != nil {
		return nil, err
	}
	defer index.Close()
	for id, m := range Mails {
		if err := index.Index(id, m); err != nil {
			return nil, err
		}
	}

	words := bleve.NewMatchQuery("thorns of a rose")
	words.SetField("text")
	phrase := bleve.NewMatchPhraseQuery("over budget")
	phrase.SetField("text")
	from := bleve.NewTermQuery("ann@example.org")
	from.SetField("from")
	since := bleve.NewDateRangeQuery(day(4), day(10))
	since.SetField("sent")

	found = Found{}
	for name, q := range map[string]query.Query{
		"words": words, "phrase": phrase, "from": from, "since": since,
		"both": bleve.NewConjunctionQuery(words, since),
	} {
		result, err := index.Search(bleve.NewSearchRequest(q))
		if err != nil {
			return nil, err
		}
		for _, hit := range result.Hits {
			found[name] = append(found[name], hit.ID)
		}
	}
	return found, nil
}
