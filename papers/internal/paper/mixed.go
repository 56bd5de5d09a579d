package paper

import (
	"slices"
	"strings"
)

// differ says what the runs of a report do not have in common: rows of different runs do
// not compare then.
func (r *Report) differ() string {
	what := differences(r.Runs)
	if len(what) == 0 {
		return ""
	}
	return "the runs differ in " + listed(what) + ", so that rows compare within a run only"
}

// aspects are what runs have in common if their rows compare. What one of two runs does not
// tell does not set them apart: runs on the CPU have no GPU, and old ones no documents.
var aspects = []struct {
	name   string
	differ func(a, b *Run) bool
}{
	{"machine", func(a, b *Run) bool { return a.CPU != b.CPU || a.GPU != b.GPU && a.GPU != "" && b.GPU != "" }},
	{"cores", func(a, b *Run) bool { return a.Cores != b.Cores }},
	{"scale", func(a, b *Run) bool { return a.Scale != b.Scale }},
	{"documents", func(a, b *Run) bool {
		for name, n := range a.Documents {
			if m, ok := b.Documents[name]; ok && m != n {
				return true
			}
		}
		return false
	}},
}

// differences names the aspects in which two of the runs differ.
func differences(runs []*Run) (what []string) {
	for _, x := range aspects {
		for i, a := range runs {
			if slices.ContainsFunc(runs[:i], func(b *Run) bool { return x.differ(a, b) }) {
				what = append(what, x.name)
				break
			}
		}
	}
	return what
}

// listed joins words with commas and a last "and".
func listed(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// unmix goes through verdicts that no group of like runs gives by itself: they set rows beside
// each other that do not compare. If only the number of cores differs, they say so; otherwise
// the runs that are like the first judge, if they have the rows.
func (r *Report) unmix() {
	what := differences(r.Runs)
	if len(what) == 0 {
		return
	}
	groups := r.alike()
	first, all := r.x.Judge(r.of(groups[0])), []Verdict(nil)
	for _, g := range groups {
		all = append(all, r.x.Judge(r.of(g))...)
	}
	why := "the runs differ in " + listed(what)
	for i, v := range r.Verdicts {
		at := slices.IndexFunc(first, func(a Verdict) bool { return a.Claim == v.Claim })
		switch {
		case slices.Contains(all, v):
		case slices.Equal(what, []string{"cores"}):
			r.Verdicts[i].Why += "; " + why
		case at >= 0:
			r.Verdicts[i] = first[at]
		default:
			r.Verdicts[i] = Verdict{Claim: v.Claim, Holds: Untested, Why: why + ", and none of them has all rows for it"}
		}
	}
}

// alike groups the runs, by their index, that do not differ.
func (r *Report) alike() (groups [][]int) {
next:
	for i, run := range r.Runs {
		for j, g := range groups {
			if len(differences([]*Run{r.Runs[g[0]], run})) == 0 {
				groups[j] = append(g, i)
				continue next
			}
		}
		groups = append(groups, []int{i})
	}
	return groups
}

// of returns the entries of some runs, and those that only the paper has.
func (r *Report) of(runs []int) (t Table) {
	for _, e := range r.Entries {
		if !e.Ours || slices.Contains(runs, e.Run) {
			t = append(t, e)
		}
	}
	return t
}
