package pool

import (
	"fmt"

	"github.com/pinion-index/pinion/query"
)

// Model is a way to distribute queries over cores (Tatikonda 2011, section 3). All models give
// the results of a Searcher.
type Model uint8

// The models.
const (
	// Inter gives each query to one worker (section 3.1).
	Inter Model = iota
	// DocRanges gives every worker an equal range of docIDs of every query, over one index
	// (section 3.2.1, DOCP-UI). As in the paper, a query begins when all workers are done with
	// the previous one.
	DocRanges
	// Partitions gives every worker some of the segments, as if they were indexes of their own
	// (section 3.2.1, DOCP-PI). Otherwise it is like DocRanges.
	Partitions
	// FineGrained cuts every query into small tasks that any worker can take (section 3.2.2,
	// FGQP). A conjunction gives intersection tasks, each for some blocks of the shortest list,
	// which create scoring tasks for the documents they find. A disjunction gives ranges of
	// docIDs. The paper has one producer. Here any worker that finds few tasks waiting becomes
	// one, since looking up and cutting a query can take as long as a task. While at least as
	// many queries wait as there are workers, each segment of a query is one task.
	//
	// Of all models but Inter, sorting and facets are cut by blocks of columns. A query that is sorted is cut only once its
	// best blocks have been looked at, by one worker, and leave others open.
	FineGrained
)

var modelNames = [...]string{Inter: "inter", DocRanges: "docp-ui", Partitions: "docp-pi", FineGrained: "fgqp"}

// String returns the paper's name: inter, docp-ui, docp-pi, fgqp.
func (m Model) String() string {
	if int(m) < len(modelNames) {
		return modelNames[m]
	}
	return fmt.Sprintf("model(%d)", uint8(m))
}

// ParseModel is the inverse of String. Its error matches query.ErrInvalid.
func ParseModel(name string) (Model, error) {
	for m, n := range modelNames {
		if n == name {
			return Model(m), nil
		}
	}
	return 0, fmt.Errorf("%w: unknown model %q (known: inter, docp-ui, docp-pi, fgqp)", query.ErrInvalid, name)
}

// exclusive reports whether one query is processed at a time.
func (m Model) exclusive() bool { return m == DocRanges || m == Partitions }
