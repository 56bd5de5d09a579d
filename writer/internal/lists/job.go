package lists

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/segment"
)

// job is a number of terms with the entries of their lists in the sources.
type job struct {
	terms    []byte
	ends     []int
	shared   []uint16 // bytes that a term shares with the one before it
	refs     []Ref
	refEnds  []int
	postings uint64
	field    int // of the output

	result Encoded
	counts Counts
}

// Ref is one list of a term.
type Ref struct {
	Source uint32 // number of its segment
	Entry  segment.Entry
}

// usualTerms is enough for the terms of most jobs.
const usualTerms = ChunkTerms / 2

// newJob returns a job with room for what is usual, or for all lists of the segments.
func newJob(segments []*segment.Segment) *job {
	most, postings, sources := 0, 0, min(len(segments), 2)
	for _, s := range segments {
		m := s.Meta()
		most, postings = most+int(m.Terms), postings+int(m.Postings)
	}
	usualTerms, usualBytes := min(usualTerms, most), min(3*ChunkPostings, 16*most+8*postings)
	return &job{
		terms:   make([]byte, 0, 16*usualTerms),
		ends:    make([]int, 0, usualTerms),
		shared:  make([]uint16, 0, usualTerms),
		refs:    make([]Ref, 0, sources*usualTerms),
		refEnds: make([]int, 0, usualTerms),
		result:  Encoded{make([]byte, 0, usualBytes), make([]encodedList, 0, usualTerms)},
	}
}

func (j *job) reset() {
	j.terms, j.ends, j.shared, j.refs, j.refEnds, j.postings = j.terms[:0], j.ends[:0], j.shared[:0], j.refs[:0], j.refEnds[:0], 0
	j.result.Reset()
}

// walk walks the dictionaries of segments together and yields jobs in the order of fields and
// their terms. It takes jobs from free if there are any, and otherwise creates them.
func walk(segments []*segment.Segment, fields []Field, free chan *job, yield func(*job) bool) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	return eachField(segments, fields, func(field int, parts []Part, terms *build.TermMerger) (bool, error) {
		return walkField(segments, field, parts, terms, free, yield)
	})
}

// Each calls f with the lists of each term that segments hold in each of fields, in the order of
// Rewrite, until it returns false or an error, which Each returns. The slice is valid until f returns.
func Each(segments []*segment.Segment, fields []Field, f func(lists []Ref) (bool, error)) error {
	var refs []Ref
	return eachField(segments, fields, func(_ int, parts []Part, terms *build.TermMerger) (bool, error) {
		for terms.Next() {
			refs = appendRefs(refs[:0], terms, parts)
			if more, err := f(refs); !more || err != nil {
				return false, format.Locate(err, format.Place{List: string(terms.AppendTerm(nil)), Block: format.NoBlock})
			}
		}
		return true, terms.Err()
	})
}

// eachField calls do with the parts and the terms of each field, until it returns false.
func eachField(segments []*segment.Segment, fields []Field, do func(field int, parts []Part, terms *build.TermMerger) (bool, error)) error {
	sums := newFieldSums(segments)
	for i := range fields {
		parts := fields[i].Parts
		views := make([]segment.FieldView, len(parts))
		for j, p := range parts {
			views[j] = segments[p.Source].Field(p.Number)
		}
		terms := build.NewFieldMerger(views)
		if more, err := do(i, parts, terms); !more || err != nil {
			return err
		}
		for j, p := range parts {
			sums[p.Source][p.Number] = terms.Sums(j)
		}
	}
	return sums.compare(segments)
}

// walkField yields the jobs of a field of the output, whose terms and parts these are. It
// returns false if yield does.
func walkField(segments []*segment.Segment, field int, parts []Part, terms *build.TermMerger, free chan *job, yield func(*job) bool) (bool, error) {
	for more := terms.Next(); more; {
		var j *job
		select {
		case j = <-free:
			j.reset()
		default:
			j = newJob(segments)
		}
		j.field = field
		for more && len(j.ends) < ChunkTerms && j.postings < ChunkPostings && len(j.terms) < ChunkBytes {
			j.take(terms, parts)
			more = terms.Next()
		}
		if !yield(j) {
			return false, nil
		}
	}
	return true, terms.Err()
}

// take adds the current term and its lists to the job.
func (j *job) take(terms *build.TermMerger, parts []Part) {
	j.terms = terms.AppendTerm(j.terms)
	j.ends = append(j.ends, len(j.terms))
	j.shared = append(j.shared, uint16(terms.Shared()))
	from := len(j.refs)
	j.refs = appendRefs(j.refs, terms, parts)
	for i := range j.refs[from:] {
		j.postings += uint64(j.refs[from+i].Entry.DF)
	}
	j.refEnds = append(j.refEnds, len(j.refs))
}

// appendRefs appends the lists of the current term to refs.
func appendRefs(refs []Ref, terms *build.TermMerger, parts []Part) []Ref {
	for i := range terms.Lists() {
		source, e := terms.List(i)
		refs = append(refs, Ref{uint32(parts[source].Source), *e})
	}
	return refs
}

// encode calls f for every term.
func (j *job) encode(f func(e *Encoded, field int, lists []Ref) error) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	from, refFrom := 0, 0
	for i, to := range j.ends {
		if err := f(&j.result, j.field, j.refs[refFrom:j.refEnds[i]]); err != nil {
			return format.Locate(err, format.Place{List: string(j.terms[from:to]), Block: format.NoBlock})
		}
		from, refFrom = to, j.refEnds[i]
	}
	return nil
}

// appendTo adds the encoded lists to b. shared is how many bytes the last term that is in b
// shares with the last one of the jobs before. appendTo returns the same for this job.
func (j *job) appendTo(b *build.Builder, shared int) (int, error) {
	from := 0
	for i, to := range j.ends {
		shared = min(shared, int(j.shared[i]))
		if l := j.result.List(i); l.DF > 0 {
			if err := b.AppendShared(j.terms[from:to], shared, l); err != nil {
				return shared, err
			}
			shared = segment.MaxTerm
		}
		from = to
	}
	return shared, nil
}
