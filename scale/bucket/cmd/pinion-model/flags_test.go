package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/internal/cli"
)

// Values for which the models mean nothing are refused by the names of their flags, before a trace is read.
func TestFlags(t *testing.T) {
	for flags, want := range map[string]string{
		"bucket --load 2":         "--load 2: from 0.001 to 0.99 is wanted",
		"bucket --cache 0.1,3":    "--cache 3",
		"bucket --errors 2":       "--errors 2: from 0 to 0.9",
		"bucket --errors NaN":     "--errors NaN",
		"bucket --searchers 1,0":  "--searchers 0: from 1",
		"bucket --docs 0":         "--docs 0",
		"bucket --cores 0":        "--cores 0",
		"bucket --queries -1":     "--queries -1",
		"bucket --rate 0":         "--rate 0",
		"bucket --median -1s":     "--median -1s: from 1e-09 s",
		"bucket --get -1":         "--get -1",
		"nodes --replicas 0":      "--replicas 0",
		"nodes --nodes 0":         "--nodes 0",
		"nodes --mtbf 0s":         "--mtbf 0s: from 1 s",
		"nodes --load 0.5,1":      "--load 1",
		"cache --share 2":         "--share 2",
		"grow --docs 0":           "--docs 0",
		"check --most -1":         "--most -1",
		"trace --most -1":         "--most -1",
		"cache --segment-docs x":  "--segment-docs",
		"bucket --gigabit 0":      "--gigabit 0",
		"nodes --stall -1ms":      "--stall -1ms",
		"bucket --p999 0s":        "--p999 0s",
		"bucket --segment-docs 0": "--segment-docs 0",
	} {
		var said bytes.Buffer
		cmd := command()
		cmd.SetArgs(append(strings.Fields(flags), "a", "b", "c")[:strings.Count(flags, " ")+1+args[strings.Fields(flags)[0]]])
		cmd.SetOut(&said)
		cmd.SetErr(&said)
		if err := cli.Execute(t.Context(), cmd); cli.ExitCode(err) != cli.ExitUsage || !strings.Contains(said.String(), want) {
			t.Errorf("%s: %v (%d)\n%s", flags, err, cli.ExitCode(err), said.String())
		}
	}
	// Each flag of a number or a time has limits, which its default keeps.
	for _, cmd := range command().Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if _, some := limits[f.Name]; !some && f.Name != "seed" && f.Value.Type() != "bool" {
				t.Errorf("%s --%s has no limits", cmd.Name(), f.Name)
			}
			f.Changed = true
			if err := cmd.Flags().Set(f.Name, strings.Trim(f.DefValue, "[]")); err != nil {
				t.Error(err)
			}
		})
		if err := check(cmd, nil); err != nil {
			t.Errorf("%s: %v", cmd.Name(), err)
		}
	}
}

// args is how many arguments the commands take.
var args = map[string]int{"bucket": 1, "nodes": 1, "cache": 1, "grow": 2, "check": 2, "trace": 3}
