package main

import (
	"context"
	"hash/fnv"
	"strings"
)

// letters stands in for a model, so that the example runs without one, and is for show only: texts are near each other if their words share
// sequences of four letters. It knows nothing of what words mean.
func letters(_ context.Context, texts []string) (vectors [][]float32, err error) {
	for _, text := range texts {
		v := make([]float32, 256)
		v[0] = 1e-3 // a text without letters has a direction too
		for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
			for i := 0; i+4 <= len(word); i++ {
				h := fnv.New32a()
				h.Write([]byte(word[i : i+4]))
				v[h.Sum32()%256]++
			}
		}
		vectors = append(vectors, v)
	}
	return vectors, nil
}
