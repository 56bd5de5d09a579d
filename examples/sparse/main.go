// Sparse searches documents of two tenants by words and by sparse vectors that were encoded elsewhere, joins both by
// reciprocal ranks, and judges all three. The documents, vectors and judgments beside it were made up by hand: they show
// how it is done, and nothing of how well an encoder does.
//
//	go run ./examples/sparse new.idx examples/sparse
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/eval"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// fields are those of the documents: the tenant for filters, and vectors in steps of 0.02, up to 5.1.
var fields = &schema.Schema{Fields: []schema.Field{
	{Name: "contents", Kind: schema.Text, Analyzer: "english", Stored: true},
	{Name: "tenant", Kind: schema.Keyword, Column: true},
	{Name: "vector", Kind: schema.Impacts, Scale: 0.02},
}}

// question is a line of queries.jsonl.
type question struct {
	ID, Tenant, Contents string
	Vector               map[string]float64
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sparse DIR DATA")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir, data string) error {
	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: fields})
	if err != nil {
		return err
	}
	defer index.Close()
	if err := add(ctx, index, filepath.Join(data, "docs.jsonl")); err != nil {
		return err
	}
	queries, err := os.ReadFile(filepath.Join(data, "queries.jsonl"))
	if err != nil {
		return err
	}
	words, vectors, joined := eval.Run{}, eval.Run{}, eval.Run{}
	for lines := bufio.NewScanner(bytes.NewReader(queries)); lines.Scan(); {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return err
		}
		dot := query.Dot{Field: "vector", Boost: 0.02} // the weights of a query are rounded as those of documents
		for term, weight := range q.Vector {
			if err := dot.Add(term, weight); err != nil {
				return err
			}
		}
		if words[q.ID], err = search(ctx, index, q.Tenant, query.Match{Text: q.Contents}); err != nil {
			return err
		}
		if vectors[q.ID], err = search(ctx, index, q.Tenant, dot); err != nil {
			return err
		}
		joined[q.ID] = join(words[q.ID], vectors[q.ID])
		fmt.Printf("%s: %s:", q.Tenant, q.Contents)
		for _, d := range joined[q.ID][:min(3, len(joined[q.ID]))] {
			fmt.Printf(" %s", d.ID)
		}
		fmt.Println()
	}
	return judge(filepath.Join(data, "qrels"), []string{"words", "vectors", "joined"}, []eval.Run{words, vectors, joined})
}

// add adds the documents of a file and returns when searches see them.
func add(ctx context.Context, index *pinion.Index, path string) error {
	docs, err := exchange.OpenDocuments(path, exchange.DocumentOptions{Schema: fields})
	if err != nil {
		return err
	}
	defer docs.Close()
	for {
		id, values, err := docs.NextValues()
		if err == io.EOF {
			return index.Sync(ctx)
		}
		if err == nil {
			err = index.Add(ctx, pinion.Doc{ID: string(id), Values: values})
		}
		if err != nil {
			return err
		}
	}
}

// search returns the best documents of a tenant.
func search(ctx context.Context, index *pinion.Index, tenant string, n query.Node) (found []eval.Doc, err error) {
	own := query.Equal("tenant", tenant)
	page, err := index.Search(ctx, pinion.Request{Query: query.Bool{Must: []query.Node{n}, Filter: []query.Node{own}}, Limit: 100})
	for _, h := range page.Hits {
		found = append(found, eval.Doc{ID: string(h.ID), Score: float64(h.Score)})
	}
	return found, err
}

// join scores documents by the sum of 1 / (60 + rank) over rankings (Cormack, Clarke and Buettcher, Reciprocal Rank Fusion
// outperforms Condorcet and individual Rank Learning Methods, SIGIR 2009): ranks compare where scores do not.
func join(rankings ...[]eval.Doc) (all []eval.Doc) {
	scores := map[string]float64{}
	for _, ranking := range rankings {
		for i, d := range ranking {
			scores[d.ID] += 1 / float64(60+i+1)
		}
	}
	for id, score := range scores {
		all = append(all, eval.Doc{ID: id, Score: score})
	}
	slices.SortFunc(all, func(a, b eval.Doc) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return all
}

// judge prints the means of measures of runs.
func judge(qrels string, names []string, runs []eval.Run) error {
	f, err := os.Open(qrels)
	if err != nil {
		return err
	}
	defer f.Close()
	judgments, err := eval.ReadQrels(qrels, f)
	if err != nil {
		return err
	}
	measures, err := eval.ParseMeasures("nDCG@10,R@10")
	if err != nil {
		return err
	}
	for i, run := range runs {
		r, err := eval.Evaluate(run, judgments, measures, eval.Options{Complete: true})
		if err != nil {
			return err
		}
		fmt.Printf("%-8s nDCG@10 %.3f, recall@10 %.3f\n", names[i], r.Means[0], r.Means[1])
	}
	return nil
}
