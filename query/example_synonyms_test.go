package query_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
)

func ExampleParseSynonyms() {
	p := open()
	defer p.close()
	set, err := query.ParseSynonyms(strings.NewReader(`
# words of the weather
gale => storm
storm, tempest, rough sea
`))
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"gale", "storm", "the rough sea"} {
		page, err := p.Search(context.Background(), pinion.Request{Query: query.Match{Field: "body", Text: text}, Synonyms: set})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(text, len(page.Hits))
	}
	// Output:
	// gale 1
	// storm 2
	// the rough sea 2
}
