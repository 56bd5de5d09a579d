//go:build !invariants

package invariants

// Enabled reports whether the program was built with the tag invariants.
const Enabled = false

// Opened records that x was opened.
func Opened(x any, what string) {}

// Closed records that x was closed.
func Closed(x any) {}

// Check panics unless ok.
func Check(ok bool, what string) {}

// Poison marks a buffer as released.
func Poison(v []uint32) {}

// Unpoison checks that nothing was written to a buffer since Poison.
func Unpoison(v []uint32) {}
