// Package command gives programs outside this folder the commands, such as those of module
// scale/bucket, which open indexes by their URLs as well.
package command

import (
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/tools/idxbuild"
	"github.com/pinion-index/pinion/internal/tools/idxinspect"
	"github.com/pinion-index/pinion/internal/tools/idxmerge"
	"github.com/pinion-index/pinion/internal/tools/idxquery"
)

// Build returns the command idxbuild.
func Build() *cobra.Command { return idxbuild.Command() }

// Merge returns the command idxmerge.
func Merge() *cobra.Command { return idxmerge.Command() }

// Query returns the command idxquery.
func Query() *cobra.Command { return idxquery.Command() }

// Inspect returns the command idxinspect.
func Inspect() *cobra.Command { return idxinspect.Command() }
