// Pinion-bucket copies indexes to buckets and back, and removes what is old there.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"gocloud.dev/blob"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/scale/bucket"
	_ "github.com/pinion-index/pinion/scale/bucket/drivers"
)

func main() { cli.Main(command()) }

func command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pinion-bucket COMMAND",
		Short: "Copy indexes to buckets and back, and remove what is old there",
		Long: `A URL names an index in object storage: s3://name/path, gs://name/path,
azblob://name/path, or file:///path for a directory of objects. To build, merge, query and
inspect one, give its URL to idxbuild, idxmerge, idxquery and idxinspect of this module.`,
	}
	cmd.AddCommand(importCommand(), exportCommand(), sweepCommand())
	return cmd
}

// with calls f with the bucket of a URL, which open opens.
func with(ctx context.Context, open func(context.Context, string) (*blob.Bucket, error), url string, f func(b *blob.Bucket) error) error {
	if !cli.IsURL(url) {
		return cli.Usage("%s is no URL, such as s3://name/path or file:///path", url)
	}
	b, err := open(ctx, url)
	if err != nil {
		return cli.Opening(err)
	}
	return errors.Join(f(b), b.Close())
}

func importCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "import DIR URL",
		Short:   "Make the documents of an index part of one in a bucket",
		Example: "  pinion-bucket import kjv.idx s3://name/kjv",
		Args:    cli.Want("DIR", "URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return with(cmd.Context(), bucket.CreateURL, args[1], func(b *blob.Bucket) error {
				return bucket.Import(cmd.Context(), b, args[0], bucket.WriteOptions{})
			})
		},
	}
}

func exportCommand() *cobra.Command {
	var generation uint64
	cmd := &cobra.Command{
		Use:     "export URL DIR",
		Short:   "Make an index directory of one in a bucket",
		Example: "  pinion-bucket export s3://name/kjv kjv.idx",
		Args:    cli.Want("URL", "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return with(cmd.Context(), bucket.OpenURL, args[0], func(b *blob.Bucket) error {
				return bucket.Export(cmd.Context(), b, generation, args[1])
			})
		},
	}
	cmd.Flags().Uint64Var(&generation, "commit", 0, "the commit of that number `N` (default: the newest)")
	return cmd
}

func sweepCommand() *cobra.Command {
	o := bucket.SweepOptions{}
	cmd := &cobra.Command{
		Use:     "sweep URL",
		Short:   "Remove commits that were superseded, objects that nothing names and unfinished uploads",
		Example: "  pinion-bucket sweep s3://name/kjv --retention 6h --dry-run",
		Args:    cli.Want("URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Retention < bucket.MinRetention {
				return cli.Usage("--retention is at least %v", bucket.MinRetention)
			}
			return with(cmd.Context(), bucket.OpenURL, args[0], func(b *blob.Bucket) error {
				s, err := bucket.Sweep(cmd.Context(), b, o)
				if err != nil && s.Kept == 0 {
					return err // nothing was removed
				}
				does := "removed"
				if o.DryRun {
					does = "would remove"
				}
				_, e := fmt.Fprintf(cmd.OutOrStdout(), "%s %s, %s of %s and %s; %s left\n", does, cli.Number(s.Commits, "commit"),
					cli.Number(s.Objects, "object"), cli.Bytes(s.Bytes), cli.Number(s.Uploads, "unfinished upload"), cli.Number(s.Kept, "commit"))
				return errors.Join(err, e)
			})
		},
	}
	cmd.Flags().DurationVar(&o.Retention, "retention", 24*time.Hour, "how long what is not needed remains, an hour at least")
	cli.Int(cmd.Flags(), &o.KeepCommits, "keep-commits", 0, 0, cli.Any, "how many commits `N` remain in any case (default: what the index says)")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "remove nothing and write nothing")
	return cmd
}
