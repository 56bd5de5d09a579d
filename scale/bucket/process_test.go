package bucket

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	_ "gocloud.dev/blob/fileblob"
)

// raceIn says to a process of this test what to do: url, folder, writer, commits.
const raceIn = "PINION_BUCKET_RACE"

func TestMain(m *testing.M) {
	if url := os.Getenv(raceIn); url != "" {
		if err := raceProcess(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func raceProcess(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	x, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	b, err := OpenURL(ctx, url)
	if err != nil {
		return err
	}
	defer b.Close()
	return race(ctx, b, os.Args[3], x, n)
}

// raceProcesses lets processes race on the bucket of a URL.
func raceProcesses(t *testing.T, url string, writers, n int) {
	t.Helper()
	var all sync.WaitGroup
	for x := range writers {
		dir := t.TempDir()
		all.Go(func() {
			c := exec.Command(os.Args[0], strconv.Itoa(x), strconv.Itoa(n), dir)
			c.Env = append(os.Environ(), raceIn+"="+url)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	b, err := OpenURL(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	checkRace(t, b, writers, n)
}

func TestProcesses(t *testing.T) {
	n := 6
	if testing.Short() {
		n = 2
	}
	raceProcesses(t, "file:///"+filepath.ToSlash(t.TempDir()), 8, n)
}

// TestDirectory: of two files that are created under one name, one is.
func TestDirectory(t *testing.T) {
	b, err := OpenURL(t.Context(), "file:///"+filepath.ToSlash(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for g := range uint64(20) {
		var all sync.WaitGroup
		won := make(chan string, 8)
		for x := range 8 {
			all.Go(func() {
				content := strconv.Itoa(x)
				err := createObject(t.Context(), b, manifestKey(g+1), stringsReader(content), false)
				if err == nil {
					won <- content
				} else if !exists(err) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if len(won) != 1 {
			t.Fatalf("%d have created %s", len(won), manifestKey(g+1))
		}
		if got, err := b.ReadAll(t.Context(), manifestKey(g+1)); err != nil || string(got) != <-won {
			t.Fatal(string(got), err)
		}
	}
	if manifests, others, err := list(t.Context(), b); err != nil || len(manifests) != 20 || len(others) != 0 {
		t.Errorf("%d manifests, %d other objects, %v", len(manifests), len(others), err)
	}
}
