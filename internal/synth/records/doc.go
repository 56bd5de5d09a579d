// Package records makes records with values beside their words, for benchmarks of filters,
// sorting, facets and retention: the lines of a log, and the products of a shop, each
// with queries. They depend on the number and the seed alone, not on the machine.
//
// The files:
//
//	logs.go     lines of a log: times that ascend, bursts, levels, services, tenants
//	shop.go     products: titles, brands, categories, prices
//	queries.go  queries over them
//	words.go    words with Zipf frequencies
//	json.go     the forms in JSON
package records
