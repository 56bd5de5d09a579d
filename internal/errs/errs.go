// Package errs has the error that all errors for what a caller gave match. Package store exports it as ErrInvalid.
package errs

import "errors"

// ErrInvalid is matched by every error for an argument, a text or a request that cannot be used.
var ErrInvalid = errors.New("invalid argument")

// New returns an error with a text that matches ErrInvalid, for the errors of one package.
func New(text string) error { return &invalid{text} }

type invalid struct{ text string }

func (e *invalid) Error() string        { return e.text }
func (e *invalid) Is(target error) bool { return target == ErrInvalid }

// The errors of queries, which package query exports.
var (
	ErrQuery        = New("query: invalid value")
	ErrTooManyTerms = errors.New("query: too many terms")
)
