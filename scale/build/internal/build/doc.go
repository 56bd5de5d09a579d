// Package build builds indexes in buckets with Apache Beam: with the runner Prism in one process, or on clusters with Flink,
// Spark or Dataflow.
//
//	inputs -> documents by partition -> a segment or several for each -> joined -> one manifest for each shard
//
// The order of documents does not depend on how many workers there are, nor on which is faster: by partition, then by input, in the order in
// which these are named, then as they lie in the input. A partition is a number that the hash of a document's id gives (Options.Partitions). So
// two builds of the same inputs with the same number of partitions have the same answers, to the bit: those of idxbuild over the documents
// in this order. Of documents with the same id the last one of the last input counts.
//
// Runners may execute a bundle of work again, also while the first execution goes on, and lose workers at any time. What a bundle writes are
// segments, which are objects under random ids. They are part of the index if the manifest names them, and it names those whose bundles the
// runner has committed, each once. Others are garbage, which bucket.Sweep removes. The manifest is created if there is no index yet, at the
// end. A build that fails before leaves none, and is run again.
//
// Inside:
//
//	options.go   Options, and how they travel
//	pipeline.go  Add, Run: the steps
//	read.go      inputs to blocks of documents, by partition
//	block.go     blocks as bytes
//	spill.go     blocks of a partition on disk, in order
//	write.go     a partition to segments
//	merge.go     segments joined; the manifests
package build
