package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// DidYouMean returns "; did you mean ...?" with the candidate that is nearest to a
// mistyped word, or nothing if none is near.
func DidYouMean(word string, candidates []string) string {
	best, least := "", 1+max(1, len(word)/3)
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), c); d < least {
			best, least = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// distance returns how many bytes must be inserted, removed, replaced or exchanged
// with their neighbor to turn a into b (optimal string alignment).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

func commandNames(c *cobra.Command) []string {
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	return names
}

// suggestFlag adds the flag that is nearest to an unknown one, and says in the commands'
// words what a flag takes.
func suggestFlag(c *cobra.Command, err error) error {
	var number *strconv.NumError
	var value *pflag.InvalidValueError
	if errors.As(err, &number) && errors.As(err, &value) {
		wanted := "a number is wanted"
		switch number.Func {
		case "ParseUint":
			wanted = "a number from 0 is wanted"
		case "ParseBool":
			wanted = "true or false is wanted"
		}
		return fmt.Errorf("invalid argument %q for \"--%s\" flag: %s", value.GetValue(), value.GetFlag().Name, wanted)
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if hint := DidYouMean(unknown.GetSpecifiedName(), names); hint != "" {
		return fmt.Errorf("%w%s", err, strings.Replace(hint, "mean ", "mean --", 1))
	}
	return err
}

// CompleteList lets shells complete each element of a flag that takes words between commas.
func CompleteList(c *cobra.Command, flag string, words []string) {
	_ = c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		before := begun[:strings.LastIndexByte(begun, ',')+1]
		var found []string
		for _, w := range words {
			if strings.HasPrefix(before+w, begun) {
				found = append(found, before+w)
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// completeChoices lets shells complete the words of every Choice.
func completeChoices(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if choice, ok := f.Value.(*Choice); ok {
			// The error means that the flag has a function already.
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(choice.words, cobra.ShellCompDirectiveNoFileComp))
		}
	})
	for _, sub := range c.Commands() {
		completeChoices(sub)
	}
}
