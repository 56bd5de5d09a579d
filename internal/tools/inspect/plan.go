package inspect

// PlanStep is what queries are expected to find resident with a budget: that of a plan made from every other query, on the remaining
// ones. Lists that are neither resident nor new had no room.
type PlanStep struct {
	Budget   int64   `json:"budget"`
	Bytes    int64   `json:"resident_bytes"`
	Lists    float64 `json:"list_hits"`  // share of lists asked for that are resident
	New      float64 `json:"list_new"`   // share of them that no query of the plan asks for
	ByteHits float64 `json:"byte_hits"`  // Lists weighted by bytes
	Queries  float64 `json:"query_hits"` // share of queries that need no copy
}
