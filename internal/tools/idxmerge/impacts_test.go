package idxmerge

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// quantize runs idxmerge --impacts and returns what it prints.
func quantize(t *testing.T, args ...string) (r Quantized, err error) {
	t.Helper()
	cmd, out := Command(), new(strings.Builder)
	cmd.SetOut(out)
	cmd.SetErr(out)
	cmd.SetArgs(append(args, "--json"))
	if err = cmd.ExecuteContext(t.Context()); err == nil {
		err = json.Unmarshal([]byte(out.String()), &r)
	}
	return r, err
}

// Every weight is the BM25 score of its posting in steps of the scale, computed from the documents, whatever segments and
// deletes there are, and every posting that is missing scores half a step at most.
func TestImpactsOfText(t *testing.T) {
	dir := t.TempDir()
	src, out := filepath.Join(dir, "src"), filepath.Join(dir, "out")
	w, err := writer.Open(t.Context(), src, writer.Options{MergePolicy: writer.NoMerges, Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "tag", Kind: schema.Keyword}, {Name: "body", Kind: schema.Text, Analyzer: "whitespace", K1: 1.2, B: 0.75}}}})
	if err != nil {
		t.Fatal(err)
	}
	docs, r := map[string]map[string]int{}, rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		id, words := fmt.Sprint(i), []string{"all"}
		for range 1 + r.IntN(20) {
			words = append(words, fmt.Sprint("w", r.IntN(1+r.IntN(400))))
		}
		if err := w.Add(t.Context(), writer.Doc{ID: []byte(id), Values: []schema.Value{
			schema.KeywordValue(0, []byte("k")), schema.TextValue(1, []byte(strings.Join(words, " ")))}}); err != nil {
			t.Fatal(err)
		}
		docs[id] = map[string]int{}
		for _, word := range words {
			docs[id][word]++
		}
		if i == 1000 {
			if err := w.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := 0; i < 3000; i += 7 {
		if err := w.Delete(t.Context(), fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
		delete(docs, fmt.Sprint(i))
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := quantize(t, "--impacts", "body", "--out", out, src)
	if err != nil {
		t.Fatal(err)
	}
	want, most := bm25(docs, 1.2, 0.75)
	if got := report.Scale * 255; math.Abs(got-most) > 1e-5*most || report.Docs != len(docs) || report.Zeroed == 0 {
		t.Errorf("%+v, want a greatest score of %v, %d documents, and some postings left out", report, most, len(docs))
	}
	checkWeights(t, out, report, want)
	if _, err := quantize(t, "--impacts", "body", "--out", out, src); err == nil || !strings.Contains(err.Error(), "makes a new index") {
		t.Error(err)
	}
	for _, name := range []string{"tag", "none"} {
		if _, err := quantize(t, "--impacts", name, "--out", filepath.Join(dir, "other"), src); err == nil || !strings.Contains(err.Error(), "no field of text") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// bm25 returns the scores of all words by document, and the greatest.
func bm25(docs map[string]map[string]int, k1, b float64) (scores map[string]map[string]float64, most float64) {
	df, lens, tokens := map[string]int{}, map[string]int{}, 0
	for id, words := range docs {
		for word, tf := range words {
			df[word]++
			lens[id] += tf
			tokens += tf
		}
	}
	n, scores := float64(len(docs)), map[string]map[string]float64{}
	for id, words := range docs {
		scores[id] = map[string]float64{}
		for word, tf := range words {
			idf := math.Log(1 + (n-float64(df[word])+0.5)/(float64(df[word])+0.5))
			k := k1 * (1 - b + b*float64(lens[id])*n/float64(tokens))
			scores[id][word] = idf * (k1 + 1) * float64(tf) / (float64(tf) + k)
			most = max(most, scores[id][word])
		}
	}
	return scores, most
}

// checkWeights compares the weights of an index with scores, and removes these.
func checkWeights(t *testing.T, dir string, report Quantized, want map[string]map[string]float64) {
	index, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	s, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	field, ok := s.Field(report.Field)
	if !ok || field.Description().Kind != schema.Impacts {
		t.Fatal("no field of impacts")
	}
	const near = 1e-4 // steps that float32 may lack
	postings := uint64(0)
	for terms := field.Terms(nil); terms.Next(); {
		term := string(terms.Term())
		for p, err := range field.Postings([]byte(term)) {
			if err != nil {
				t.Fatal(err)
			}
			id, err := s.AppendID(nil, p.Doc)
			if err != nil {
				t.Fatal(err)
			}
			score := want[string(id)][term] / report.Scale
			if p.Freq == 0 || math.Abs(float64(p.Freq)-score) > 0.5+near {
				t.Fatalf("document %s, term %s: weight %d, want %v", id, term, p.Freq, score)
			}
			delete(want[string(id)], term)
			postings++
		}
	}
	zeroed := uint64(0)
	for id, left := range want {
		for term, score := range left {
			if zeroed++; score/report.Scale > 0.5+near {
				t.Errorf("document %s has no term %s, which weighs %v", id, term, score/report.Scale)
			}
		}
	}
	if postings != report.Postings || zeroed != report.Zeroed {
		t.Errorf("%d postings, %d left out, want %d and %d", report.Postings, report.Zeroed, postings, zeroed)
	}
}
