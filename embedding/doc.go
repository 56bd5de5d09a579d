// Package embedding has what programs need to make vectors of texts with pinion.Options.Embed: a Client of endpoints that are compatible
// with OpenAI's, a Splitter of long texts, and a Cache of vectors in a file.
//
//	client := &embedding.Client{URL: "http://localhost:11434/v1", Model: "all-minilm"}
//	cache, err := embedding.OpenCache("vectors.cache")
//	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: s, Embed: []pinion.Embed{{Field: "embedding", From: []string{"text"},
//		Texts: client.Embed, Split: embedding.Splitter{Markdown: true}.Split, Cache: cache}}})
package embedding
