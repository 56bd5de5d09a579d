package embedding

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// Client asks an endpoint that is compatible with OpenAI's for the vectors of texts: POST URL/embeddings. It is safe for concurrent use, and
// its fields must not be changed then.
type Client struct {
	// URL is the base of the endpoint, such as https://api.openai.com/v1.
	URL string
	// Model is the name that the endpoint has for the model.
	Model string
	// Key, unless "", is sent as the bearer token.
	Key string
	// Dims, unless 0, asks the model for vectors of so many dimensions, which only some can give.
	Dims int
	// Floats asks for numbers in decimal, of endpoints that do not have base64, which is shorter. Answers may come in either form.
	Floats bool
	// Prefix is put before each text, of models that want to be told what it is for, such as "query: ".
	Prefix string
	// Batch is the greatest number of texts of a request. 0 means DefaultBatch.
	Batch int
	// Attempts is how often a request is sent, at most, if the endpoint cannot be reached, or answers with 408, 409, 429 or 5xx. 0 means
	// DefaultAttempts.
	Attempts int
	// Wait is the longest time between two attempts. 0 means DefaultWait. The first one is half a second, each next one twice that, and what
	// the endpoint says in Retry-After if that is more: an endpoint that asks for more than Wait is not asked again.
	Wait time.Duration
	// HTTP sends the requests. Nil means http.DefaultClient. Give it a timeout, or the contexts: there is no other.
	HTTP *http.Client
}

// Defaults of a Client.
const (
	DefaultBatch    = 128
	DefaultAttempts = 5
	DefaultWait     = 30 * time.Second
)

// firstWait is the time after the first attempt.
const firstWait = 500 * time.Millisecond

// Error is an answer of an endpoint that has no vectors.
type Error struct {
	Status  int    // of HTTP
	Message string // what the endpoint says, up to 1,000 bytes
	after   time.Duration
}

// Error returns the status and the message.
func (e *Error) Error() string {
	return strings.TrimSuffix(fmt.Sprintf("HTTP status %d %s: %s", e.Status, http.StatusText(e.Status), e.Message), ": ")
}

// Embed returns the vectors of texts, in their order, as pinion.Embed.Texts does. An error names the endpoint. It wraps an *Error, or is of
// the network or of ctx, and matches store.ErrInvalid for a Client without URL or Model, or with numbers below 0.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	to, err := url.Parse(c.URL)
	if err != nil { // which has the URL, and what it may have of a password
		return nil, fmt.Errorf("%w: a Client whose URL cannot be read", store.ErrInvalid)
	}
	if c.URL == "" || c.Model == "" || c.Dims < 0 || c.Batch < 0 || c.Attempts < 0 || c.Wait < 0 {
		return nil, fmt.Errorf("%w: a Client of URL %q, model %q, %d dimensions, batches of %d, %d attempts within %v", store.ErrInvalid, to.Redacted(), c.Model, c.Dims, c.Batch, c.Attempts, c.Wait)
	}
	if to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
		return nil, fmt.Errorf("%w: a Client of URL %q: it is no http or https URL", store.ErrInvalid, to.Redacted())
	}
	to = to.JoinPath("embeddings")
	all := make([][]float32, 0, len(texts))
	for batch := range slices.Chunk(texts, cmp.Or(c.Batch, DefaultBatch)) {
		vectors, err := c.ask(ctx, to.String(), batch)
		if err != nil {
			return nil, fmt.Errorf("embeddings of %s: %w", to.Redacted(), err)
		}
		all = append(all, vectors...)
	}
	return all, nil
}

// ask sends a request until it is answered.
func (c *Client) ask(ctx context.Context, to string, texts []string) ([][]float32, error) {
	request := struct {
		Model    string   `json:"model"`
		Input    []string `json:"input"`
		Encoding string   `json:"encoding_format"`
		Dims     int      `json:"dimensions,omitempty"`
	}{c.Model, make([]string, len(texts)), "base64", c.Dims}
	if c.Floats {
		request.Encoding = "float"
	}
	for i, t := range texts {
		request.Input[i] = c.Prefix + t
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	wait, longest := min(firstWait, cmp.Or(c.Wait, DefaultWait)), cmp.Or(c.Wait, DefaultWait)
	for attempt := 1; ; attempt++ {
		vectors, err := c.send(ctx, to, body, len(texts))
		if err == nil || attempt >= cmp.Or(c.Attempts, DefaultAttempts) || !again(err) {
			return vectors, err
		}
		pause := wait/2 + rand.N(wait/2+1) // so that many clients do not come again together
		if e := (*Error)(nil); errors.As(err, &e) {
			pause = max(pause, e.after)
		}
		end, ends := ctx.Deadline()
		if pause > longest || ends && time.Until(end) < pause {
			return nil, fmt.Errorf("not asked again, which would be in %v: %w", pause.Round(time.Millisecond), err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		wait = min(2*wait, longest)
	}
}

// again reports whether the same request may succeed later.
func again(err error) bool {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Status == http.StatusRequestTimeout || e.Status == http.StatusConflict || e.Status == http.StatusTooManyRequests || e.Status >= 500 && e.Status != http.StatusNotImplemented
	}
	var network *networkError
	return errors.As(err, &network) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// networkError is an error of a connection, also one that ends within an answer.
type networkError struct{ error }

func (e *networkError) Unwrap() error { return e.error }

// send sends a request for the vectors of n texts once.
func (c *Client) send(ctx context.Context, to string, body []byte, n int) ([][]float32, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if c.Key != "" {
		r.Header.Set("Authorization", "Bearer "+c.Key)
	}
	answer, err := cmp.Or(c.HTTP, http.DefaultClient).Do(r)
	if err != nil {
		var of *url.Error
		if errors.As(err, &of) {
			err = of.Err // without the URL, which may have a password
		}
		return nil, &networkError{err}
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, failure(answer)
	}
	most := int64(n)*maxVector + 1<<20
	b, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	switch {
	case err != nil:
		return nil, &networkError{fmt.Errorf("an answer that ends after %d bytes: %w", len(b), err)}
	case int64(len(b)) > most:
		return nil, fmt.Errorf("an answer of more than %d bytes, for %d texts", most, n)
	}
	return c.parse(b, n)
}

// maxVector is more bytes than the greatest vector has as JSON.
const maxVector = 32 * schema.MaxDims

// failure returns the Error of an answer.
func failure(answer *http.Response) error {
	e := &Error{Status: answer.StatusCode, after: retryAfter(answer.Header.Get("Retry-After"))}
	b, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10)) // what has come of it
	var said struct{ Error json.RawMessage }
	if json.Unmarshal(b, &said) == nil && len(said.Error) > 0 {
		var message struct{ Message string }
		var text string
		switch {
		case json.Unmarshal(said.Error, &message) == nil && message.Message != "":
			b = []byte(message.Message)
		case json.Unmarshal(said.Error, &text) == nil:
			b = []byte(text)
		}
	}
	e.Message = strings.ToValidUTF8(strings.TrimSpace(string(b[:min(len(b), 1000)])), "")
	return e
}

// retryAfter returns the time that the header says, or 0.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.ParseFloat(header, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, 1e9) * float64(time.Second))
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// parse returns the vectors of an answer for n texts, which may be in any order.
func (c *Client) parse(b []byte, n int) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index     *int
			Embedding json.RawMessage
		}
	}
	if err := json.Unmarshal(b, &answer); err != nil {
		return nil, fmt.Errorf("an answer of %d bytes that is not as it should be: %w", len(b), err)
	}
	if len(answer.Data) != n {
		return nil, fmt.Errorf("%d vectors of %d texts", len(answer.Data), n)
	}
	vectors := make([][]float32, n)
	for i, d := range answer.Data {
		at := i // some endpoints leave it out
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= n || vectors[at] != nil {
			return nil, fmt.Errorf("a vector with index %d, of %d texts: it is outside, or there twice", at, n)
		}
		v, err := parseVector(d.Embedding)
		switch {
		case err != nil:
			return nil, fmt.Errorf("vector %d: %w", at, err)
		case len(v) == 0 || c.Dims > 0 && len(v) != c.Dims:
			return nil, fmt.Errorf("vector %d has %d dimensions, want %d", at, len(v), c.Dims)
		}
		vectors[at] = v
	}
	return vectors, nil
}

// parseVector returns a vector, which is an array of numbers, or base64 of float32.
func parseVector(b json.RawMessage) (v []float32, err error) {
	switch {
	case len(b) > 0 && b[0] == '[' && bytes.Contains(b, []byte("null")): // as servers write NaN, and encoding/json leaves at 0
		return nil, errors.New("a value is null")
	case len(b) == 0 || b[0] != '"':
		err = json.Unmarshal(b, &v)
		return v, err
	}
	var packed []byte // encoding/json takes base64 apart
	if err := json.Unmarshal(b, &packed); err != nil {
		return nil, err
	}
	if len(packed)%4 != 0 {
		return nil, fmt.Errorf("base64 of %d bytes, which are no float32", len(packed))
	}
	for ; len(packed) > 0; packed = packed[4:] {
		v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(packed)))
	}
	return v, nil
}
