package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/cli"
)

// Arguments and flags that are wrong are bad usage, before a bucket is opened.
func TestMisuse(t *testing.T) {
	for args, want := range map[string]string{
		"import a":                          "URL is missing",
		"import a b":                        "b is no URL, such as s3://name/path",
		"export a b":                        "a is no URL",
		"export file:///nowhere":            "DIR is missing",
		"sweep nowhere":                     "nowhere is no URL",
		"sweep --retention 1s file:///no":   "--retention is at least 1h",
		"sweep --keep-commits -1 file:///n": "--keep-commits",
		"export --commit x file:///n b":     "--commit",
	} {
		var said bytes.Buffer
		cmd := command()
		cmd.SetArgs(strings.Fields(args))
		cmd.SetOut(&said)
		cmd.SetErr(&said)
		if err := cli.Execute(t.Context(), cmd); cli.ExitCode(err) != cli.ExitUsage || !strings.Contains(said.String(), want) {
			t.Errorf("%s: %v (%d)\n%s", args, err, cli.ExitCode(err), said.String())
		}
	}
}
