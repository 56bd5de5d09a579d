package writer

import (
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/build"
	"github.com/pinion-index/pinion/store"
)

// mergeJob is a number of terms with the entries of their lists in the sources.
type mergeJob struct {
	terms    []byte
	ends     []int
	shared   []uint16 // bytes that a term shares with the one before it
	lists    []listRef
	listEnds []int
	postings uint64

	result encoded
	counts MergeStats
}

// listRef is a list of source number source.
type listRef struct {
	source uint32
	entry  segment.Entry
}

// usualTerms is room for the terms of most jobs.
const usualTerms = chunkTerms / 2

func newMergeJob(sources int) *mergeJob {
	return &mergeJob{
		terms:    make([]byte, 0, 16*usualTerms),
		ends:     make([]int, 0, usualTerms),
		shared:   make([]uint16, 0, usualTerms),
		lists:    make([]listRef, 0, min(sources, 2)*usualTerms),
		listEnds: make([]int, 0, usualTerms),
		result:   encoded{make([]byte, 0, 3*chunkPostings), make([]encodedList, 0, usualTerms)},
	}
}

func (j *mergeJob) reset() {
	j.terms, j.ends, j.shared, j.lists, j.listEnds, j.postings = j.terms[:0], j.ends[:0], j.shared[:0], j.lists[:0], j.listEnds[:0], 0
	j.result.reset()
}

// terms walks the dictionaries together and yields jobs in the order of terms.
func (m *merger) terms(free chan *mergeJob, yield func(*mergeJob) bool) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	segments := make([]*segment.Segment, len(m.sources))
	for i, src := range m.sources {
		segments[i] = src.seg
	}
	walk := build.NewTermMerger(segments)
	for more := walk.Next(); more; {
		var j *mergeJob
		select {
		case j = <-free:
			j.reset()
		default:
			j = newMergeJob(len(m.sources))
		}
		for more && len(j.ends) < chunkTerms && j.postings < chunkPostings {
			j.take(walk)
			more = walk.Next()
		}
		if !yield(j) {
			return nil
		}
	}
	return walk.Err()
}

// take appends the walk's present term and its lists.
func (j *mergeJob) take(walk *build.TermMerger) {
	j.terms = walk.AppendTerm(j.terms)
	j.ends = append(j.ends, len(j.terms))
	j.shared = append(j.shared, uint16(walk.Shared()))
	for i := range walk.Lists() {
		source, e := walk.List(i)
		j.lists = append(j.lists, listRef{uint32(source), *e})
		j.postings += uint64(e.DF)
	}
	j.listEnds = append(j.listEnds, len(j.lists))
}

// appendTo adds the encoded lists to b.
func (j *mergeJob) appendTo(b *build.Builder) error {
	from, shared := 0, segment.MaxTerm
	for i, to := range j.ends {
		shared = min(shared, int(j.shared[i]))
		if l := j.result.list(i); l.DF > 0 {
			if err := b.AppendShared(j.terms[from:to], shared, l); err != nil {
				return err
			}
			shared = segment.MaxTerm
		}
		from = to
	}
	return nil
}
