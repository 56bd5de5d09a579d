package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestManPage compares a page with what is to be on it: text that troff would read as requests or dashes is
// escaped, lists keep their lines, and hidden flags and commands are left out.
func TestManPage(t *testing.T) {
	cmd := &cobra.Command{Use: "tool FILE", Short: "Do this", Long: "It does this:\n\n  1  as it is\n  2  \\too", Example: "  tool a\n.b", Run: func(*cobra.Command, []string) {}}
	cmd.Flags().IntP("k", "k", 10, "how many, `N`")
	cmd.Flags().String("gone", "", "removed")
	if err := cmd.Flags().MarkHidden("gone"); err != nil {
		t.Fatal(err)
	}
	cmd.AddCommand(&cobra.Command{Use: "sub", Short: "Do that", Long: "It does that.", Run: func(*cobra.Command, []string) {}},
		&cobra.Command{Use: "old", Hidden: true, Run: func(*cobra.Command, []string) {}})
	t.Setenv("SOURCE_DATE_EPOCH", "1764115200")
	dir := t.TempDir()
	if err := ManPages(cmd, dir); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "tool.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{".TH \"TOOL\" \"1\" \"Nov 2025\" ", "\ntool \\- Do this\n", "\nIt does this:\n.PP\n.EX\n  1  as it is\n  2  \\etoo\n.EE\n.SH OPTIONS\n",
		".TP\n\\fB\\-k\\fP, \\fB\\-\\-k\\fP \\fIN\\fP\nhow many, N (default 10)\n", ".EX\n  tool a\n\\&.b\n.EE\n", ".SH EXIT STATUS\n.TP\n0\n", ".SH SEE ALSO\n\\fBtool\\-sub\\fP(1)\n"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(string(page), "gone") || strings.Contains(string(page), "old") {
		t.Errorf("the page has what is hidden:\n%s", page)
	}
	if _, err := os.Stat(filepath.Join(dir, "tool-sub.1")); err != nil {
		t.Error(err)
	}
}
