package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/budget"
	"github.com/pinion-index/pinion/internal/pace"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// The codes of an Error.
const (
	CodeInvalid     = "invalid"          // 400: a request that cannot be answered
	CodeToken       = "unauthorized"     // 401: no token, or not one of Options.Tokens
	CodeNotFound    = "not_found"        // 404: no such path
	CodeMethod      = "method"           // 405: a path without this method
	CodeSlow        = "slow"             // 408: a body that does not come in time
	CodeTooLarge    = "too_large"        // 413: a body, a batch or an answer beyond Options
	CodeHost        = "host"             // 421: a host name that is not served
	CodeBusy        = "busy"             // 429: more requests in flight than Options.MaxInFlight, or more bytes than MaxHeld
	CodeCanceled    = "canceled"         // 499: the client has gone, so that nobody sees it
	CodeInternal    = "internal"         // 500: damage or another fault, which Options.Observe is told of
	CodeEmbed       = "embed"            // 502: a text of the request could not be embedded by the model (pinion.ErrEmbed)
	CodeUnavailable = "unavailable"      // 503: the index is closed, or shards cannot be reached
	CodeDeadline    = "deadline"         // 504: no answer within the deadline
	statusCanceled  = 499                // as several servers log it
	internalMessage = "no answer: fault" // what clients hear of what is not their fault
)

// Error is an answer that is none, as JSON {"error": {"code": ..., "message": ..., "field": ...}}. A Backend may return
// one; other errors are classified by what they match.
type Error struct {
	Status  int    `json:"-"`               // of HTTP
	Code    string `json:"code"`            // one of the codes
	Message string `json:"message"`         // for people
	Field   string `json:"field,omitempty"` // the key of the request that is wrong, as facets[0].every
	cause   error
}

// Error returns the message, with the key that it is about.
func (e *Error) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

// Unwrap returns what caused e, or nil.
func (e *Error) Unwrap() error { return e.cause }

// ErrorBody is how an Error is written.
type ErrorBody struct {
	Error *Error `json:"error"`
}

// invalid returns an error for a key of a request.
func invalid(field, format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Code: CodeInvalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// blame returns err as an error for a key of a request.
func blame(field string, err error) *Error {
	e := invalid(field, "%s", messageOf(err))
	e.cause = err
	return e
}

// messageOf returns what clients are told of an error in their request.
func messageOf(err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "query: "), "invalid value: ")
}

// ErrorOf returns an error as clients see it, with the status that it has.
func ErrorOf(err error) *Error {
	var e *Error
	if errors.As(err, &e) && e.Status != 0 {
		return e
	}
	of := func(status int, code, message string) *Error {
		return &Error{Status: status, Code: code, Message: message, cause: err}
	}
	if errors.Is(err, pinion.ErrEmbed) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		return of(http.StatusBadGateway, CodeEmbed, "no answer: the text could not be embedded") // whatever the model's error matches
	}
	for _, wrong := range []error{store.ErrInvalid, query.ErrTooManyTerms, query.ErrParams,
		analysis.ErrUnknown, errors.ErrUnsupported, writer.ErrDocument} {
		if errors.Is(err, wrong) {
			return of(http.StatusBadRequest, CodeInvalid, messageOf(err))
		}
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return of(http.StatusRequestEntityTooLarge, CodeTooLarge, fmt.Sprintf("the body has more than %d bytes", large.Limit))
	case errors.Is(err, pace.ErrSlow):
		return of(http.StatusRequestTimeout, CodeSlow, pace.ErrSlow.Error())
	case errors.Is(err, budget.ErrAnswer):
		return of(http.StatusRequestEntityTooLarge, CodeTooLarge, fmt.Sprintf("%s: ask for fewer hits, fields, values or facets", budget.Cause(err)))
	case errors.Is(err, budget.ErrHeld):
		return of(http.StatusTooManyRequests, CodeBusy, "all requests together hold too many bytes: come again")
	case errors.Is(err, context.DeadlineExceeded):
		return of(http.StatusGatewayTimeout, CodeDeadline, "no answer within the deadline")
	case errors.Is(err, context.Canceled):
		return of(statusCanceled, CodeCanceled, "the request was canceled")
	case errors.Is(err, fs.ErrClosed):
		return of(http.StatusServiceUnavailable, CodeUnavailable, "the index is closed")
	}
	return of(http.StatusInternalServerError, CodeInternal, internalMessage)
}
