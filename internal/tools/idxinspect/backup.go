package idxinspect

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/store"
)

// Backup is what `idxinspect backup` prints.
type Backup struct {
	Index      string `json:"index"`
	Backup     string `json:"backup"`
	Generation uint64 `json:"commit"`
	Linked     int    `json:"linked_files"`
	Copied     int    `json:"copied_files"`
	Bytes      int64  `json:"bytes"`
}

func backupCommand() *cobra.Command {
	var copyAll bool
	cmd := command("backup INDEX DIR", "Copy the newest commit to another directory",
		`DIR must be empty or new. Writers and readers may work on INDEX meanwhile. Files are
linked where the file system can, which takes no time and no space, and copied
otherwise. A backup that fails is removed. Linked files share their blocks: to survive a
failing disk, use --copy and another disk. Run 'idxinspect verify' on the
result to check its content.`,
		`  idxinspect backup kjv.idx kjv.backup
  idxinspect backup --copy kjv.idx /mnt/other/kjv.idx`,
		[]string{"INDEX", "DIR"}, func(cmd *cobra.Command, args []string) (report, error) {
			from, err := indexdir.Open(args[0])
			if err != nil {
				return nil, cli.Opening(err)
			}
			defer from.Close()
			c, err := from.Latest() // before DIR is created
			if err != nil {
				return nil, cli.Opening(err)
			}
			c.Release()
			if err := cli.Committed(args[0], c.Manifest); err != nil {
				return nil, err
			}
			st, absent := os.Stat(args[1])
			if absent == nil && !st.IsDir() {
				return nil, fmt.Errorf("%s is not a directory", args[1])
			}
			fresh := cli.NewFresh(args[1])
			p := cli.NewProgress(cmd.ErrOrStderr(), "backup", 0, cli.BytesRate)
			stats, err := from.Backup(cmd.Context(), store.Dir(args[1]), indexdir.BackupOptions{Copy: copyAll, Progress: p.Update})
			p.Stop()
			if err != nil {
				if absent != nil {
					fresh.Undo()
				}
				return nil, err
			}
			return &Backup{args[0], args[1], stats.Generation, stats.Linked, stats.Copied, stats.Bytes}, nil
		})
	cmd.Flags().BoolVar(&copyAll, "copy", false, "copy every file, link none")
	return cmd
}

func (b *Backup) Text(w io.Writer) {
	fmt.Fprintf(w, "commit %s: %s linked, %d copied, %s\n", strconv.FormatUint(b.Generation, 10), cli.Number(b.Linked, "file"), b.Copied, cli.Bytes(b.Bytes))
}
