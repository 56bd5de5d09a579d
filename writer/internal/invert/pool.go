// Package invert turns documents into posting lists in memory. Documents are gathered
// in Batches. Inverters turn batches into runs of postings, concurrently. An Accumulator
// absorbs the batches in order and writes their documents and lists as a segment.
//
//	batch.go                    documents and deletions in arrival order
//	inverter.go, hash.go        a batch's terms and runs
//	accumulator.go              the terms and documents of many batches
//	fields.go, columns.go       documents with values of fields; columns
//	large.go, large_write.go    one document in pieces, and those to a segment
//	places.go                   where terms are in their documents
//	sortterms.go, write.go      an accumulator becomes a segment
//	pages.go, chunks.go, slots.go, stored.go
//	                            memory: runs, arrays and keys, hash tables, text
package invert

// Pool is memory that inverters and accumulators share. The zero value is ready to
// use.
type Pool struct {
	pages pagePool
	texts textPool
}

// Free frees the memory that is not in use.
func (p *Pool) Free() {
	p.pages.drop()
	p.texts.drop()
}
