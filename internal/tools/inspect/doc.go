// Package inspect finds what is in an index, each matter once: commands print its values as text or JSON, package
// htmlreport draws them on a page, and package serve shows them in a browser.
//
//	index.go            Index: an index or a file, as much of it as opens
//	summary.go          what it consists of
//	fields.go           what there is of each field
//	columns.go          what there is of each column
//	terms.go, walk.go   the dictionaries of several segments together
//	list.go             the list of a term: headers, parts, bounds
//	postings.go         blocks and postings
//	docs.go, text.go    documents, and what is stored of them
//	explain.go          how a document gets its score
//	verify.go           what is damaged
//	collect.go          one walk over all lists: bytes, histograms, the longest; what needs postings comes from a random
//	                    sample of blocks, so that its time and memory do not depend on the number of postings
//	sizes.go            bytes by section, form, part and codec
//	histogram.go        Histogram
//	sample.go           the sample of blocks
//	packing.go          what a block's payload says about it
//	codecs.go           what lists would need in other codecs
//	plan.go             what a GPU would have of the lists that queries ask for
//	linearity.go        how close a list is to a line
package inspect
