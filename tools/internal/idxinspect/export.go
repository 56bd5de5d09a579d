package idxinspect

import "github.com/spf13/cobra"

func exportCommand() *cobra.Command { return &cobra.Command{Use: "export"} }
