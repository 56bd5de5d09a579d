// Package eval measures how well rankings answer queries, as trec_eval does: it reads
// relevance judgments (qrels) and runs, and computes measures of each query and their
// means. It uses nothing of the engine.
//
// A document is relevant if its judgment is 1 or more, and judged if that is 0 or more;
// negative judgments mean, as in trec_eval, that a document was in the pool and not
// judged. A document without a judgment counts as not relevant.
//
// Rankings are in descending order of scores. Documents with equal scores are in
// descending order of their ids as bytes, which is trec_eval's order and not that of the
// ranks in the file. Scores are compared as float64 numbers, as trec_eval 10 does.
//
// The measures, by the names that trec_eval prints:
//
//	P_K          relevant documents among the first K, divided by K
//	recall_K     relevant documents among the first K, divided by the relevant ones
//	success_K    1 if one of the first K is relevant
//	map, map_cut_K
//	             mean average precision: the precisions at the ranks of relevant
//	             documents, of the first K, summed and divided by the relevant ones
//	recip_rank, recip_rank_K
//	             1 divided by the rank of the first relevant document, of the first K
//	ndcg, ndcg_cut_K
//	             discounted cumulative gain, divided by the best that is possible; the
//	             gain is the judgment, the discount the binary logarithm of the rank plus 1
//	Rprec        precision at the number of relevant documents
//	bpref        how often relevant documents precede those that are judged not relevant
//	judged_K     judged documents among the first K, divided by K
//
// trec_eval has all but the last and recip_rank with a cutoff, which it calculates with
// its option -M. Its unj_K is 1 - judged_K where at least K documents were retrieved.
//
// Sources:
//
//	P, recall, map, Rprec  Buckley and Voorhees, Retrieval System Evaluation, in TREC: Experiment
//	                       and Evaluation in Information Retrieval, 2005
//	ndcg                   Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques,
//	                       ACM TOIS 20, 2002, with the discount of every rank that trec_eval uses
//	bpref                  Buckley and Voorhees, Retrieval evaluation with incomplete information,
//	                       SIGIR 2004
//	recip_rank             Voorhees, The TREC-8 question answering track report, 1999
//	details                the source of trec_eval, https://github.com/usnistgov/trec_eval
package eval

// Inside:
//
//	measure.go  the measures of one ranking
//	mean.go     all queries of a run, and means
//	read.go     files of judgments and runs
