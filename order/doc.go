// Package order finds orders of documents. A posting list is a list of docIDs, so
// how documents are numbered decides what most codecs need for it: those that code
// gaps gain when documents that share terms stand together.
//
// Bisect is recursive graph bisection: Dhulipala, Kabiljo, Karrer, Ottaviano,
// Pupyrev and Shalita, "Compressing graphs and indexes with recursive graph
// bisection", KDD 2016. Documents and terms are a bipartite graph; the documents
// are split in halves, and pairs are exchanged between the halves while that lowers
// the estimated cost of the gaps (section 4 there); then each half is treated alike.
// Shuffle is the order without any structure.
//
// All arithmetic that decides is on integers, so that a Permutation depends on its
// input alone and not on how many goroutines worked on it.
package order
