package cli

import "github.com/spf13/pflag"

// KeepCommits adds the flag --keep-commits. Without it a run keeps as many commits as
// the index says.
func KeepCommits(fl *pflag.FlagSet, p *int) {
	Int(fl, p, "keep-commits", 0, 1, Any, "keep `N` commits to go back to, the newest included (default: as the index says)")
	fl.Lookup("keep-commits").DefValue = "0" // shows none
}

// Kept describes how many commits an index keeps.
func Kept(n int) string { return Number(n, "commit") + ": see --keep-commits" }
