// Package node searches a collection that is divided among shards: each an index that one or several nodes serve over NATS,
// and a Router that asks one node of each shard and makes one answer of theirs. Answers are those of one index of all
// documents, to the bit: what scores depend on travels as integers (query.Collection, query.Frequencies).
//
//	map.go      Map: the shards and their commits; ShardOf: which documents a shard has
//	publish.go  the Map in its key-value bucket, and which commits it takes
//	status.go   what nodes have, and what a person does to the Map
//	wire.go     requests and answers as bytes; wire_query.go, wire_page.go: their parts
//	node.go     Node: answers for one shard; commits.go: the commits that it has open
//	device.go   what answers searches in place of a Searcher, such as a GPU
//	router.go   Router: a request in one state of the map; rounds.go: what it asks the shards, and merges; fuse.go: lists
//	            view.go: one state of the map; follow.go: its changes; scatter.go: attempts, hedging and deadlines
//	metrics.go  what a Router tells Prometheus
//	server.go   an embedded NATS server
//	dirs.go     names of shards, and their directories
//
// The commands below cmd run nodes, routers, and all of a cluster: docs/shards.md.
//
// Bytes, durability and consensus of the map are those of NATS (JetStream); nothing of that is here.
package node
