package ocis

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/pinion-index/pinion/analysis"
)

// People search in names, tags and the like whatever their case, and whether their accents are composed, as most programs
// write them, or decomposed, as in names of files from a Mac. So both the terms of these fields and what is asked for are
// composed, without what cannot be seen. In columns a value stays as it came: the host shows it.

// ofNames spells values, which it does not cut.
var ofNames = func() analysis.Folder {
	a, err := analysis.New("keyword", "unicode=nfc,ignorable=drop")
	if err != nil {
		panic("ocis: " + err.Error())
	}
	return a.(analysis.Folder)
}()

// spelled returns a value as it is searched for.
func spelled(s string) string {
	return string(ofNames.AppendFolded(nil, []byte(strings.ToLower(string(ofNames.AppendFolded(nil, []byte(s)))))))
}

// spellings returns what is to be looked for: s as it is spelled, and, for paths and titles, which have terms as they came,
// and for what was indexed before values were spelled alike, decomposed and as it was typed.
func spellings(s string) []string {
	all := []string{spelled(s)}
	for _, other := range []string{norm.NFD.String(all[0]), strings.ToLower(s)} {
		if !slices.Contains(all, other) {
			all = append(all, other)
		}
	}
	return all
}
