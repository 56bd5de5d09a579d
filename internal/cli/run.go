// Package cli is shared by the commands: exit codes, error messages, tables, JSON,
// progress, and flags for sizes and formats.
package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/analysis"
	_ "github.com/pinion-index/pinion/analysis/languages" // indexes name them
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// Exit codes.
const (
	ExitOK     = 0
	ExitFailed = 1 // a failed run, or damage found
	ExitUsage  = 2 // bad usage
	ExitOpen   = 3 // an index that cannot be opened, is of a newer version or has an unknown analyzer
)

// exitMeanings are the exit codes of all commands and what they mean.
var exitMeanings = []struct {
	code  int
	means string
}{
	{ExitOK, "The command did what it was asked to do."},
	{ExitFailed, "The run failed, or found damage or differences."},
	{ExitUsage, "The command line is wrong. Nothing was done."},
	{ExitOpen, "An index cannot be opened, is of a newer version or has an unknown analyzer."},
	{128 + int(syscall.SIGINT), "An interrupt ended the command."},
	{128 + int(syscall.SIGTERM), "A termination signal ended the command."},
}

// usageError is a mistake in the command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// Usage returns an error that ends the command with ExitUsage.
func Usage(msg string, args ...any) error { return usageError{fmt.Errorf(msg, args...)} }

// openError is a failure to open an index.
type openError struct{ err error }

func (e openError) Error() string { return e.err.Error() }
func (e openError) Unwrap() error { return e.err }

// Opening marks err, unless nil, as a failure to open an index. An index that opens, but was made
// with another analyzer, other fields or without texts, is none, nor is a fault of the program: such a run fails.
func Opening(err error) error {
	if err == nil || errors.Is(err, writer.ErrAnalyzer) || errors.Is(err, writer.ErrStored) || errors.Is(err, schema.ErrInvalid) ||
		errors.As(err, new(*store.PanicError)) {
		return err
	}
	return openError{err}
}

// ExitCode returns the exit code for the error of a command.
func ExitCode(err error) int {
	var usage usageError
	var open openError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &usage):
		return ExitUsage
	case errors.As(err, &open), errors.Is(err, analysis.ErrUnknown),
		errors.Is(err, format.ErrNotAnIndex), errors.Is(err, format.ErrTooNew), errors.Is(err, format.ErrTooOld):
		return ExitOpen
	}
	return ExitFailed
}

// patience is how long an interrupted command may take to stop by itself.
const patience = 5 * time.Second

// Main runs cmd on the program's arguments and exits. An interrupt, a hangup or
// SIGTERM cancels the command's context; a second one kills the program. A program
// that a signal ended exits with 128 and the signal's number.
func Main(cmd *cobra.Command) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endings...)
	code := make(chan int, 1)
	go func() {
		s, _ := (<-signals).(syscall.Signal)
		code <- 128 + int(s)
		signal.Stop(signals)
		cancel()
		// A read of standard input cannot be canceled. An index survives the exit.
		time.Sleep(patience)
		fmt.Fprintf(os.Stderr, "%s: interrupted\n", cmd.Name())
		os.Exit(128 + int(s))
	}()
	Describe(cmd)
	err := Execute(ctx, cmd)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		os.Exit(<-code)
	}
	os.Exit(ExitCode(err))
}

// Describe makes cmd write its manual page or a completion script in place of what it does, if the program's arguments ask for
// that.
func Describe(cmd *cobra.Command) {
	if len(os.Args) > 1 && os.Args[1] == manFlag {
		cmd.RunE = func(cmd *cobra.Command, _ []string) error {
			if len(os.Args) != 3 {
				return Usage("%s takes a directory", manFlag)
			}
			return ManPages(cmd, os.Args[2])
		}
		cmd.Args = cobra.NoArgs
		cmd.SetArgs([]string{})
	}
	// Cobra would take a query "completion" for its command.
	if completes(os.Args[1:]) {
		completeBash(cmd)
	} else if !cmd.HasSubCommands() {
		cmd.CompletionOptions.DisableDefaultCmd = true
	}
}

// completes reports whether arguments ask for a completion script: "completion", alone or
// with a shell or a flag of its own.
func completes(args []string) bool {
	if len(args) == 0 || args[0] != "completion" {
		return false
	}
	return len(args) == 1 || slices.Contains([]string{"bash", "zsh", "fish", "powershell", "-h", "--help"}, args[1])
}

// output remembers the first error of writing to standard output, which the
// commands do not check at each line.
type output struct {
	io.Writer
	mu    sync.Mutex
	err   error
	lines int
	cut   bool // lines are cut
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines += bytes.Count(p[:n], []byte("\n"))
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

func (o *output) Unwrap() io.Writer { return o.Writer }

// noteCut records that lines written to w are cut at the terminal's width.
func noteCut(w io.Writer) {
	switch o := w.(type) {
	case *output:
		o.mu.Lock()
		o.cut = true
		o.mu.Unlock()
	case interface{ Unwrap() io.Writer }:
		noteCut(o.Unwrap())
	}
}

// paging returns how to see output that a terminal of that height did not show in full.
func (o *output) paging(height int) string {
	switch {
	case o.cut:
		return "Lines are cut at the terminal's width: '| less -S' shows all of them."
	case height > 0 && o.lines > 3*height:
		return Number(o.lines, "line") + ": '| less' shows them page by page."
	}
	return ""
}

// Execute runs cmd and prints its error. Output that could not be written is one.
func Execute(ctx context.Context, cmd *cobra.Command) error {
	prepare(cmd)
	out := &output{Writer: cmd.OutOrStdout()}
	cmd.SetOut(out)
	ran, err := cmd.ExecuteContextC(ctx)
	if err == nil {
		err = out.err
	}
	if _, height := terminalSize(out); height > 0 {
		if hint := out.paging(height); hint != "" {
			fmt.Fprintln(cmd.ErrOrStderr(), hint)
		}
	}
	if err == nil {
		return nil
	}
	msg := Message(err)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		msg = strings.ReplaceAll(msg, context.Canceled.Error(), "interrupted")
	}
	if wantsJSON(ran) {
		return cmp.Or(writeFailure(cmd.ErrOrStderr(), &Failure{msg, ran.CommandPath(), ExitCode(err), hint(err)}), err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", ran.CommandPath(), msg)
	if hint := hint(err); hint != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s\n", hint)
	}
	if ExitCode(err) == ExitUsage {
		fmt.Fprintf(cmd.ErrOrStderr(), "Try '%s --help'.\n", ran.CommandPath())
	}
	return err
}

// Failure is an error as --json has it: an object on a line of its own, the last on
// standard error.
type Failure struct {
	Error   string `json:"error"`
	Command string `json:"command"`
	Exit    int    `json:"exit"`
	Hint    string `json:"hint,omitempty"`
}

// wantsJSON reports whether the command line has --json. The flag is not set if another
// one before it was wrong.
func wantsJSON(c *cobra.Command) bool {
	if c.Flags().Lookup("json") == nil {
		return false
	}
	on, _ := c.Flags().GetBool("json")
	return on || slices.Contains(os.Args, "--json")
}

func writeFailure(w io.Writer, f *Failure) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(f)
}

// Message returns an error as commands print it: a fault of the program with its stack, which a report of it needs.
func Message(err error) string {
	msg := Printable(err.Error())
	if fault := (*store.PanicError)(nil); errors.As(err, &fault) {
		msg += "\n" + Printable(strings.TrimSpace(string(fault.Stack)))
	}
	return msg
}

// hint says what the user can do about err. It may be empty.
func hint(err error) string {
	switch {
	case errors.As(err, new(*store.PanicError)):
		return "This is a fault of Pinion and says nothing about the index: please report it with all of the above."
	case errors.Is(err, format.ErrTooNew):
		return "A newer Pinion wrote this index: use that one to read it."
	case errors.Is(err, format.ErrTooOld):
		return "Build the index again from its documents."
	case errors.Is(err, format.ErrCorrupt):
		return "Run 'idxinspect verify' for all that is damaged, and 'idxinspect repair' for what can be had."
	}
	return ""
}

// prepare sets up cmd and its subcommands in the way common to all commands.
func prepare(cmd *cobra.Command) {
	cmd.SilenceErrors = true
	cmd.SilenceUsage = true
	cmd.DisableAutoGenTag = true
	cmd.Version = "shown"
	cmd.SetVersionTemplate("{{.Name}} {{programVersion}}\n") // a GPU is looked for only then
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usageError{suggestFlag(c, err)} })
	cmd.SetUsageTemplate(usage)
	fillAll(cmd)
	completeChoices(cmd)
	strictHelp(cmd)
	markArgs(cmd)
}

// strictHelp makes "help" on an unknown command a usage error.
func strictHelp(cmd *cobra.Command) {
	cmd.InitDefaultHelpCmd()
	for _, sub := range cmd.Commands() {
		if sub.Name() != "help" {
			continue
		}
		sub.Run = nil
		sub.RunE = func(c *cobra.Command, args []string) error {
			topic, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return Usage("unknown command %q%s", strings.Join(args, " "), DidYouMean(args[0], commandNames(c.Root())))
			}
			topic.InitDefaultHelpFlag() // lists it
			return topic.Help()
		}
	}
}

// markArgs makes wrong arguments usage errors.
func markArgs(cmd *cobra.Command) {
	check := cmd.Args
	switch {
	case check != nil:
		cmd.Args = func(c *cobra.Command, args []string) error {
			err := flagAsValue(c)
			if err == nil {
				err = check(c, args)
			}
			if err == nil {
				err = checkOutputs(c, args)
			}
			if err != nil {
				return usageError{err}
			}
			return nil
		}
	case cmd.HasSubCommands():
		cmd.Args = func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return Usage("unknown command %q%s", args[0], DidYouMean(args[0], commandNames(c)))
			}
			return nil
		}
		if cmd.RunE == nil && cmd.Run == nil {
			cmd.RunE = func(c *cobra.Command, _ []string) error {
				c.SetOut(c.ErrOrStderr())
				c.Help()
				return Usage("a command is wanted")
			}
		}
	}
	for _, sub := range cmd.Commands() {
		markArgs(sub)
	}
}

// flagAsValue returns an error if the value of a flag is another flag, which is what
// "--in-place --order bp DIR" gives.
func flagAsValue(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		name, ok := strings.CutPrefix(f.Value.String(), "--")
		if ok && f.Value.Type() == "string" && c.Flags().Lookup(name) != nil {
			err = fmt.Errorf("--%s takes a value, not the flag --%s", f.Name, name)
		}
	})
	return err
}

// Want returns a check for exactly the named arguments, as in Want("INDEX", "TERM");
// messages use the names. A last name that ends in "..." means one or more arguments, a
// last name in brackets any number.
func Want(names ...string) cobra.PositionalArgs {
	least, most := len(names), len(names)
	if n := len(names); n > 0 {
		last := names[n-1]
		if len(last) > 3 && last[len(last)-3:] == "..." {
			most = -1
		}
		if last[0] == '[' {
			least, most = n-1, -1
		}
	}
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s is missing", names[len(args)])
		case most >= 0 && len(args) > most:
			return fmt.Errorf("unexpected argument %q", args[most])
		}
		return nil
	}
}

// IsNotExist reports whether err is about a file that does not exist.
func IsNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// Overtaken returns err if it is about a file that does not exist and the newest commit of
// d is no longer c, and may have removed it: Dir.OpenLatest then starts again. It returns nil for
// other errors, and for a file that is missing.
func Overtaken(d *indexdir.Dir, c *indexdir.Commit, err error) error {
	if !IsNotExist(err) {
		return nil
	}
	if id, e := d.Newest(); e != nil || id == c.ID() {
		return e
	}
	return err
}
