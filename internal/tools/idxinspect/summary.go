package idxinspect

import (
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/tools/inspect"
)

func summaryCommand() *cobra.Command {
	return command("summary INDEX", "Show what an index consists of",
		`It reads headers only, so it takes no longer for a large index. Of an index with
fields it shows the schema, and for each field the documents that are not deleted
and have a token in it, their tokens, and the bytes of dictionary, lists, positions,
lengths and column.`,
		`  idxinspect summary kjv.idx
  idxinspect summary --json kjv.idx | jq .documents`,
		[]string{"INDEX"}, func(_ *cobra.Command, args []string) (report, error) {
			return opened(args[0], inspect.Summarize)
		})
}
