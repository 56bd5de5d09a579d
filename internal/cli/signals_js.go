package cli

import (
	"os"
	"syscall"
)

// endings are the signals that end a program. Here there is none for a hangup.
var endings = []os.Signal{os.Interrupt, syscall.SIGTERM}
