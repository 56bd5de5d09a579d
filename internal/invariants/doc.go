// Package invariants checks, in programs built with the tag invariants, what no test
// sees from outside: that what is opened is closed, once; that nothing is released
// more often than it was acquired; and that buffers are not used after they have been
// released. A violation panics, or fails the tests of a package that call Main.
// Without the tag Enabled is false and the functions do nothing and cost nothing.
package invariants
