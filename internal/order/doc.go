// Package order finds orders of documents. The size of a posting list depends on how
// documents are numbered: codecs that encode gaps need less space if documents that
// share terms are close together.
//
// Bisect is recursive graph bisection: Dhulipala, Kabiljo, Karrer, Ottaviano,
// Pupyrev and Shalita, "Compressing graphs and indexes with recursive graph
// bisection", KDD 2016. Documents and terms are a bipartite graph. The documents
// are split in halves, and pairs are exchanged between the halves while that lowers
// the estimated cost of the gaps (section 4 of the paper). Then the halves are split
// in the same way. Shuffle is a random order.
//
// All decisions are made with integer arithmetic, so that a Permutation depends only
// on its input and not on the number of goroutines.
package order
