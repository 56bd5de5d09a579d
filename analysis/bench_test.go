package analysis

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"
)

// collection returns the texts of the JSONL collection (gzip) that the
// environment variable PINION_COLLECTION names.
func collection(b *testing.B) [][]byte {
	path := os.Getenv("PINION_COLLECTION")
	if path == "" {
		b.Skip("PINION_COLLECTION names no collection")
	}
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	var texts [][]byte
	dec := json.NewDecoder(bufio.NewReaderSize(z, 1<<20))
	for dec.More() {
		var doc struct{ Contents string }
		if err := dec.Decode(&doc); err != nil {
			b.Fatal(err)
		}
		texts = append(texts, []byte(doc.Contents))
	}
	return texts
}

func BenchmarkAnalyzers(b *testing.B) {
	texts := collection(b)
	var size int64
	for _, t := range texts {
		size += int64(len(t))
	}
	for _, name := range Names()[:len(kinds)] {
		b.Run(name, func(b *testing.B) {
			a, err := New(name, "")
			if err != nil {
				b.Fatal(err)
			}
			tokenizer := a.Tokenizer()
			var toks Tokens
			tokens := 0
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				tokens = 0
				for _, t := range texts {
					toks.Reset()
					tokenizer.Tokenize(&toks, t)
					tokens += toks.Len()
				}
			}
			b.ReportMetric(float64(tokens), "tokens/op")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(tokens), "ns/token")
		})
	}
}
