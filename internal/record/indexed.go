package record

import "github.com/pinion-index/pinion/schema"

// withPositions is what files have for a text that is indexed with positions. Else they have the number of its Index.
const withPositions = 4

// Indexed returns the number that manifests and segments have for what is indexed of f.
func Indexed(f *schema.Field) uint64 {
	if f.Positions {
		return withPositions
	}
	return uint64(f.Index)
}

// SetIndexed sets what is indexed of f to what a file has. schema.Field.Check refuses numbers that are unknown.
func SetIndexed(f *schema.Field, n uint8) {
	if f.Index, f.Positions = schema.Index(n), n == withPositions; f.Positions {
		f.Index = schema.IndexFreqs
	}
}

// IndexedName returns what is indexed of f in a word: none, docs, freqs or positions.
func IndexedName(f *schema.Field) string {
	if f.Positions {
		return "positions"
	}
	return f.Indexing().String()
}
