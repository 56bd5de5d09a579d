// Trials makes the trials of docs/trials.md, in the counts of its column "script", on
// all processors, and prints the counts reached. A trial is a test of this module that is
// run in parts, each a process of its own with seeds of its own.
//
//	go run ./internal/reliability/trials                        all of them; it takes days
//	go run ./internal/reliability/trials -seconds 3600          as much as an hour allows
//	go run ./internal/reliability/trials -only '^queries$' -count queries=20000 -seed 7000000
//	go run ./internal/reliability/trials -only '^fuzz ' -seconds 700 -keep DIR   fuzzing alone, what lacks most first; again to go on
//	go run ./internal/reliability/trials -build DIR             the programs, for a machine without Go:
//	DIR/trials -programs DIR -seconds 600                       there, in the root of the repository
//
// Each part of a trial that fails is printed with the command that repeats it, and its
// output is kept in the folder -failures names.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var (
	only     = flag.String("only", "", "make the trials whose name this regular expression matches")
	cores    = flag.Int("cores", runtime.NumCPU(), "processes at a time")
	seconds  = flag.Int("seconds", 0, "end after so many seconds (0: when all counts are reached)")
	first    = flag.Uint64("seed", 1, "seed of the first part of each trial")
	programs = flag.String("programs", "", "folder of programs that -build made; without it they are built now")
	buildTo  = flag.String("build", "", "build the programs, and this one, in this folder, and do nothing else")
	fuzz     = flag.Int("fuzz", 10_000_000, "executions of each fuzz target")
	kept     = flag.String("keep", "", "folder for the counts reached and the inputs of fuzz targets; a run with the same folder goes on from there")
	scratch  = flag.String("scratch", "", "folder of a disk with 20 GB of room; without it the trials of large indexes are left out")
	failures = flag.String("failures", "failures", "folder for the output of what fails")
	counts   = map[string]int{}
)

func main() {
	flag.Func("count", "NAME=N: the count of a trial, instead of that of docs/trials.md; may be repeated", func(s string) error {
		name, value, _ := strings.Cut(s, "=")
		n, err := strconv.Atoi(value)
		counts[name] = n
		return err
	})
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	failed, err := run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "trials:", err)
	}
	if err != nil || failed {
		os.Exit(1)
	}
}

func run(ctx context.Context) (failed bool, err error) {
	start := time.Now()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return false, err
	}
	if *buildTo != "" {
		return false, build(ctx, *buildTo, pattern)
	}
	if *scratch != "" {
		if *scratch, err = filepath.Abs(*scratch); err != nil {
			return false, err
		}
	}
	dir := *programs
	if dir == "" {
		if dir, err = os.MkdirTemp("", "trials-"); err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
		if err := build(ctx, dir, pattern); err != nil {
			return false, err
		}
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return false, err
	}
	keep := *kept
	if keep == "" {
		keep = dir
	} else if keep, err = filepath.Abs(keep); err != nil {
		return false, err
	}
	all, err := trials(ctx, dir, keep, pattern)
	if err != nil {
		return false, err
	}
	for _, t := range all {
		if n, ok := counts[t.name]; ok {
			t.want = n
		}
	}
	if *kept != "" {
		if err := load(keep, all); err != nil {
			return false, err
		}
	}
	s := &schedule{dir: dir, trials: all, start: start}
	if *seconds > 0 {
		s.end = s.start.Add(time.Duration(*seconds) * time.Second)
	}
	failed = s.run(ctx, *cores)
	if *kept != "" {
		err = save(keep, all)
	}
	return failed, err
}
