package idxinspect

import (
	"strings"

	"github.com/spf13/cobra"
)

// Bounds on what a completion looks at and offers.
const (
	maxOffered = 100
	maxScanned = 100_000 // ids, which are in no order
)

// complete completes the arguments that use names: files for INDEX, terms and ids of that
// index for TERM and ID.
func complete(use string) cobra.CompletionFunc {
	names := strings.Fields(use)[1:]
	return func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		i, last := len(args), len(names)-1
		if last >= 0 && i > last && names[last][0] == '[' {
			i = last // any number of them
		}
		if i > last {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var find func(x *index, begun string) []string
		switch strings.Trim(names[i], "[].") {
		case "TERM":
			find = offerTerms
		case "ID":
			find = offerIDs
		case "QUERY":
			return nil, cobra.ShellCompDirectiveNoFileComp
		default:
			return nil, cobra.ShellCompDirectiveDefault
		}
		return offer(args[0], begun, find), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeTerm completes a flag that takes a term of the index in the first argument.
func completeTerm(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offer(args[0], begun, offerTerms), cobra.ShellCompDirectiveNoFileComp
}

// offer returns what find finds in the index at path, nothing if it cannot be read.
func offer(path, begun string, find func(x *index, begun string) []string) (found []string) {
	_ = withIndex(path, func(x *index) error {
		found = find(x, begun)
		return nil
	})
	return found
}

func offerTerms(x *index, begun string) (found []string) {
	m := newTermMerge(x, &selection{prefix: begun})
	for len(found) < maxOffered && m.next() {
		found = append(found, string(m.Term()))
	}
	return found
}

func offerIDs(x *index, begun string) (found []string) {
	var id []byte
	for _, g := range x.segs {
		for doc := range min(g.Meta().Docs, maxScanned) {
			if g.deleted(doc) {
				continue
			}
			var err error
			if id, err = g.Documents().AppendID(id[:0], doc); err != nil {
				break
			}
			if strings.HasPrefix(string(id), begun) {
				found = append(found, string(id))
			}
			if len(found) == maxOffered {
				return found
			}
		}
	}
	return found
}
