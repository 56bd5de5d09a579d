package idxinspect

import (
	"context"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/tools/inspect"
)

func verifyCommand() *cobra.Command {
	var level, threads int
	cmd := command("verify INDEX", "Check every byte of an index",
		`It checks the files of an index and shows every damaged place: section, term, block,
bytes and documents, and which single flipped bit explains it. The exit code is 1 if there
is any. It names files that belong to no commit, too. Levels:
  1  the checksums of pages, sections and files
  2  also the dictionary, ids, lengths, stored text and the headers of lists
  3  also every posting and all that lists say about their postings`,
		`  idxinspect verify kjv.idx
  idxinspect verify --level 1 kjv.idx`,
		[]string{"INDEX"}, func(cmd *cobra.Command, args []string) (report, error) {
			v, err := verify(cmd.Context(), cmd.ErrOrStderr(), args[0], check.Level(level), threads)
			if err != nil {
				return nil, err
			}
			return v, v.Err()
		})
	cli.Int(cmd.Flags(), &level, "level", int(check.Postings), int(check.Checksums), int(check.Postings), "how thorough to be: `N` of 1 to 3")
	cli.Threads(cmd.Flags(), &threads)
	return cmd
}

// verify checks an index, or a file by itself.
func verify(ctx context.Context, stderr io.Writer, path string, level check.Level, threads int) (*inspect.Verification, error) {
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return inspect.VerifyPath(ctx, path, inspect.VerifyOptions{Level: level, Threads: threads,
		Progress: func(file string, _ int64) (func(done, total int64), func()) {
			p := cli.NewProgress(stderr, "verify "+file, 0, cli.BytesRate)
			return p.Update, p.Stop
		}})
}
