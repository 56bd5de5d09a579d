// Package archtest holds the code against ARCHITECTURE.md and the rules of
// CONTRIBUTING.md: imports, dependencies, doc comments, names, lengths of files.
// All of it is in its tests.
package archtest
