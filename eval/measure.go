package eval

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/internal/errs"
)

// ErrInvalid is matched by errors about measures that do not exist, files that are in none
// of the known forms, and judgments or runs that contradict themselves.
var ErrInvalid = errs.New("invalid")

// kind is what a Measure measures.
type kind uint8

const (
	precision kind = iota + 1
	recall
	success
	averagePrecision
	reciprocalRank
	ndcg
	rPrecision
	bPref
	judgedShare
)

// Measure is what is measured of a ranking, with the number of documents that are looked at. The package comment defines them.
// Measures are comparable.
type Measure struct {
	kind   kind
	cutoff int // 0: none
}

// The measures without a cutoff.
var (
	MAP        = Measure{kind: averagePrecision}
	RPrecision = Measure{kind: rPrecision}
	BPref      = Measure{kind: bPref}
)

// Precision is P_K, of at least one document.
func Precision(k int) Measure { return Measure{precision, k} }

// Recall is recall_K, of at least one document.
func Recall(k int) Measure { return Measure{recall, k} }

// Success is success_K, of at least one document.
func Success(k int) Measure { return Measure{success, k} }

// AveragePrecision is map_cut_K, or with 0 MAP.
func AveragePrecision(k int) Measure { return Measure{averagePrecision, k} }

// ReciprocalRank is recip_rank_K, or with 0 recip_rank, the MRR of all documents.
func ReciprocalRank(k int) Measure { return Measure{reciprocalRank, k} }

// NDCG is ndcg_cut_K, or with 0 ndcg of all documents.
func NDCG(k int) Measure { return Measure{ndcg, k} }

// Judged is judged_K, of at least one document.
func Judged(k int) Measure { return Measure{judgedShare, k} }

// naming is how a kind is called.
type naming struct {
	kind       kind
	plain, cut string   // trec_eval's name without and with a cutoff; empty if there is none
	others     []string // names elsewhere, in lower case
}

var namings = []naming{
	{precision, "", "P", []string{"precision"}},
	{recall, "", "recall", []string{"r"}},
	{success, "", "success", []string{"hit", "hits"}},
	{averagePrecision, "map", "map_cut", []string{"map", "ap"}},
	{reciprocalRank, "recip_rank", "recip_rank", []string{"mrr", "rr"}},
	{ndcg, "ndcg", "ndcg_cut", []string{"ndcg"}},
	{rPrecision, "Rprec", "", []string{"r-precision"}},
	{bPref, "bpref", "", nil},
	{judgedShare, "", "judged", nil},
}

// Names returns the names of all measures, with K for a cutoff.
func Names() (names []string) {
	for _, n := range namings {
		if n.plain != "" {
			names = append(names, n.plain)
		}
		if n.cut != "" {
			names = append(names, n.cut+"_K")
		}
	}
	return names
}

// naming returns how m is called, or false if there is no such measure.
func (m Measure) naming() (n naming, ok bool) {
	for _, n := range namings {
		if n.kind == m.kind {
			return n, m.cutoff > 0 && n.cut != "" || m.cutoff == 0 && n.plain != ""
		}
	}
	return naming{}, false
}

// String returns trec_eval's name of the measure, such as "map" and "ndcg_cut_10".
func (m Measure) String() string {
	n, ok := m.naming()
	switch {
	case !ok:
		return fmt.Sprintf("Measure(%d, %d)", m.kind, m.cutoff)
	case m.cutoff == 0:
		return n.plain
	}
	return n.cut + "_" + strconv.Itoa(m.cutoff)
}

// MarshalText returns trec_eval's name of the measure.
func (m Measure) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText sets m to the measure of a name: trec_eval's, as P_10, P.10 and ndcg_cut_10, or
// that of papers, as P@10, nDCG@10, MRR@10 and MAP, in any case. The error matches ErrInvalid.
func (m *Measure) UnmarshalText(text []byte) error {
	name := string(text)
	base, cutoff := name, 0
	if i := strings.LastIndexAny(name, "@_."); i >= 0 {
		if k, err := strconv.Atoi(name[i+1:]); err == nil && k > 0 && name[i+1] != '+' {
			base, cutoff = name[:i], k
		}
	}
	for _, n := range namings {
		is := Measure{n.kind, cutoff}
		_, ok := is.naming()
		own := n.plain
		if cutoff > 0 {
			own = n.cut
		}
		if ok && (strings.EqualFold(base, own) || slices.Contains(n.others, strings.ToLower(base))) {
			*m = is
			return nil
		}
	}
	return fmt.Errorf("%w measure %q: the measures are %s", ErrInvalid, name, strings.Join(Names(), ", "))
}

// ParseMeasures returns the measures of names that commas separate.
func ParseMeasures(names string) ([]Measure, error) {
	var all []Measure
	for name := range strings.SplitSeq(names, ",") {
		var m Measure
		if err := m.UnmarshalText([]byte(strings.TrimSpace(name))); err != nil {
			return nil, err
		}
		if slices.Contains(all, m) {
			return nil, fmt.Errorf("%w measures %q: %s comes twice", ErrInvalid, names, m)
		}
		all = append(all, m)
	}
	return all, nil
}

// Of returns the measure of one ranking, best document first and each once, by the
// judgments of its query. It is 0 if no document is relevant, but for Judged, and for a
// measure that does not exist.
func (m Measure) Of(ranking []Doc, judgments map[string]int) float64 {
	j := judge(ranking, judgments)
	return j.value(m)
}

// judged is a ranking with its judgments.
type judged struct {
	rels     []int // by rank; unjudged for documents without a judgment
	ideal    []int // judgments of the relevant documents, descending
	nonrel   int   // documents that are judged not relevant
	relevant int
}

// unjudged is any negative judgment, or none.
const unjudged = -1

func judge(ranking []Doc, judgments map[string]int) *judged {
	j := &judged{rels: make([]int, len(ranking))}
	for _, rel := range judgments {
		switch {
		case rel > 0:
			j.ideal = append(j.ideal, rel)
		case rel == 0:
			j.nonrel++
		}
	}
	slices.SortFunc(j.ideal, func(a, b int) int { return b - a })
	j.relevant = len(j.ideal)
	for i, d := range ranking {
		rel, ok := judgments[d.ID]
		if !ok || rel < 0 {
			rel = unjudged
		}
		j.rels[i] = rel
	}
	return j
}

// count returns how many of the first k documents have a judgment of at least least.
func (j *judged) count(k, least int) float64 {
	n := 0
	for _, rel := range j.rels[:min(k, len(j.rels))] {
		if rel >= least {
			n++
		}
	}
	return float64(n)
}

func (j *judged) value(m Measure) float64 {
	if _, ok := m.naming(); !ok {
		return 0
	}
	k := m.cutoff
	if m.kind == judgedShare {
		return j.count(k, 0) / float64(k)
	}
	if j.relevant == 0 {
		return 0
	}
	if k == 0 {
		k = max(len(j.rels), len(j.ideal))
	}
	switch m.kind {
	case precision:
		return j.count(k, 1) / float64(k)
	case recall:
		return j.count(k, 1) / float64(j.relevant)
	case success:
		return min(j.count(k, 1), 1)
	case averagePrecision:
		return j.averagePrecision(k)
	case reciprocalRank:
		return j.reciprocalRank(k)
	case ndcg:
		return gain(j.rels, k) / gain(j.ideal, k)
	case rPrecision:
		return j.count(j.relevant, 1) / float64(j.relevant)
	}
	return j.bpref()
}

func (j *judged) averagePrecision(k int) float64 {
	found, sum := 0, 0.0
	for i, rel := range j.rels[:min(k, len(j.rels))] {
		if rel > 0 {
			found++
			sum += float64(found) / float64(i+1)
		}
	}
	return sum / float64(j.relevant)
}

func (j *judged) reciprocalRank(k int) float64 {
	for i, rel := range j.rels[:min(k, len(j.rels))] {
		if rel > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// gain returns the discounted cumulative gain of the first k documents.
func gain(rels []int, k int) float64 {
	sum := 0.0
	for i, rel := range rels[:min(k, len(rels))] {
		if rel > 0 {
			sum += float64(rel) / math.Log2(float64(i+2))
		}
	}
	return sum
}

// bpref returns the mean, over the relevant documents, of 1 minus the share of the first
// R documents judged not relevant that precede it. R is the number of relevant documents, or
// of those judged not relevant if that is less.
func (j *judged) bpref() float64 {
	before, sum := 0, 0.0
	for _, rel := range j.rels {
		switch {
		case rel == 0:
			before++
		case rel > 0 && before == 0:
			sum++
		case rel > 0:
			sum += 1 - float64(min(before, j.relevant))/float64(min(j.nonrel, j.relevant))
		}
	}
	return sum / float64(j.relevant)
}
