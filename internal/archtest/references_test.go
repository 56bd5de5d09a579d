package archtest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	page = regexp.MustCompile(`\b(?:docs|format)/[\w/-]+\.md\b`) // from the root, in comments and pages
	link = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)\s]*)?\)`)  // of a Markdown page, relative to it
	code = regexp.MustCompile("(?ms)^```.*?^```$")               // of a Markdown page
)

// TestReferences finds mentions of pages that do not exist, and broken links between
// pages.
func TestReferences(t *testing.T) {
	err := walkModules(func(name string) error {
		markdown := strings.HasSuffix(name, ".md")
		if !markdown && !sourceFile.MatchString(name) {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		exists := func(target string) {
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s refers to %s, which does not exist", name, target)
			}
		}
		for _, m := range page.FindAll(text, -1) {
			exists(string(m))
		}
		if !markdown {
			return nil
		}
		for _, m := range link.FindAllSubmatch(code.ReplaceAll(text, nil), -1) {
			exists(path.Join(path.Dir(name), string(m[1])))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
