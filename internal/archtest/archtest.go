// Package archtest holds the code against ARCHITECTURE.md and the rules of
// CONTRIBUTING.md: imports, dependencies, doc comments, names and lengths of files.
// It consists of tests.
package archtest
