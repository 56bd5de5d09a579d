package inspect

// PlanStep is the expected hit rate with a budget: that of a plan made from every other
// query, on the remaining ones.
type PlanStep struct {
	Budget   int64   `json:"budget"`
	Bytes    int64   `json:"resident_bytes"`
	Lists    float64 `json:"list_hits"`  // share of lists asked for that are resident
	ByteHits float64 `json:"byte_hits"`  // the same weighted by bytes
	Queries  float64 `json:"query_hits"` // share of queries that need no copy
}
