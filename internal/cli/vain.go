package cli

import (
	"strings"

	"github.com/spf13/pflag"
)

// Vain is when flags have no effect, because of others.
type Vain struct {
	Flags string // their names, with blanks between them
	If    bool
	Why   string // behind the name of one in the error, such as "goes with --run"
}

// InVain returns an error of usage for the first flag that was given and has no effect, or nil.
func InVain(fl *pflag.FlagSet, all ...Vain) error {
	for _, v := range all {
		for name := range strings.FieldsSeq(v.Flags) {
			if v.If && fl.Changed(name) {
				return Usage("--%s %s", name, v.Why)
			}
		}
	}
	return nil
}
