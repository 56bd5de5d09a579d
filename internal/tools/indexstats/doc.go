// Package indexstats collects what an index consists of in one walk over its dictionary:
// bytes by section, form of list and codec, histograms, and the longest lists. What needs
// postings comes from a random sample of blocks, so that the time and memory of a walk do
// not depend on the number of postings.
//
//	walk.go       Walk: the terms of several segments together
//	collect.go    Collect and Stats
//	sizes.go      bytes by section, form, part and codec
//	histogram.go  Histogram
//	sample.go     the sample of blocks
//	block.go      what a block's payload says about it
package indexstats
