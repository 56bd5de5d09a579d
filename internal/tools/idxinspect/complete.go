package idxinspect

import (
	"strings"

	"github.com/pinion-index/pinion/internal/tools/inspect"
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
		var find func(x *inspect.Index, begun string) []string
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
func offer(path, begun string, find func(x *inspect.Index, begun string) []string) (found []string) {
	_ = inspect.With(path, func(x *inspect.Index) error {
		found = find(x, begun)
		return nil
	})
	return found
}

func offerTerms(x *inspect.Index, begun string) (found []string) {
	walk := inspect.NewFieldWalk(x.Segments(), x.Field, begun, "")
	for len(found) < maxOffered && walk.Next() {
		found = append(found, string(walk.Term()))
	}
	return found
}

func offerIDs(x *inspect.Index, begun string) (found []string) {
	var id []byte
	for _, g := range x.Segs {
		for doc := range min(g.Meta().Docs, maxScanned) {
			if g.Deleted(doc) {
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
