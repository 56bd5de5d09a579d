// Package mcp serves an index to assistants by the Model Context Protocol, over lines of JSON-RPC 2.0: tools to search, to fetch a document,
// and to count by a field.
package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/cli"
)

// Viewer gives the index as it is at the moment: a pinion.Reader or a pinion.Index.
type Viewer interface {
	View(context.Context, func(*pinion.View) error) error
}

// versions are those of the protocol that the server speaks, the newest first. What it sends is the same in all.
var versions = []string{"2025-06-18", "2025-03-26", "2024-11-05"}

// maxLine is the longest request, in bytes.
const maxLine = 4 << 20

// The codes of JSON-RPC.
const (
	codeParse   = -32700
	codeRequest = -32600
	codeMethod  = -32601
	codeParams  = -32602
)

// failure is an error of JSON-RPC.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func failed(code int, format string, args ...any) *failure {
	return &failure{code, fmt.Sprintf(format, args...)}
}

// Serve answers the requests of in, a line each, to out, until in ends or ctx does. The error is one of reading and writing, or of ctx.
func Serve(ctx context.Context, of Viewer, version string, in io.Reader, out io.Writer) error {
	s := &server{of, version}
	lines, done := make(chan []byte), make(chan error, 1)
	go func() { // a read cannot be canceled
		scan := bufio.NewScanner(in)
		scan.Buffer(nil, maxLine)
		for scan.Scan() {
			select {
			case lines <- bytes.Clone(scan.Bytes()):
			case <-ctx.Done():
				return
			}
		}
		err := scan.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("a request of more than %d bytes", maxLine)
		}
		done <- err
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-done:
			return err
		case line := <-lines:
			if answer := s.answer(ctx, line); answer != nil {
				if _, err := out.Write(append(answer, '\n')); err != nil {
					return err
				}
			}
		}
	}
}

type server struct {
	of      Viewer
	version string
}

// answer returns the answer to a line, or nil if there is none.
func (s *server) answer(ctx context.Context, line []byte) []byte {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	var r struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	var result any
	var wrong *failure
	switch err := json.Unmarshal(line, &r); {
	case err != nil && !json.Valid(line):
		wrong = failed(codeParse, "it is not JSON: %v", err)
	case err != nil || r.Version != "2.0" || !isID(r.ID):
		r.ID, wrong = nil, failed(codeRequest, "it is no request of JSON-RPC 2.0: an object with jsonrpc, method, and an id that is a string or a number")
	case r.Method == "" && (r.Result != nil || r.Error != nil):
		return nil // an answer, though nothing was asked
	case r.Method == "":
		wrong = failed(codeRequest, "it has no method")
	case r.ID == nil:
		return nil // a notification: nothing here waits for one
	default:
		result, wrong = s.call(ctx, r.Method, r.Params)
	}
	b, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result,omitempty"`
		Error   *failure        `json:"error,omitempty"`
	}{"2.0", r.ID, result, wrong})
	if err != nil { // of a value that JSON has not, which no tool returns
		b, _ = json.Marshal(map[string]any{"jsonrpc": "2.0", "id": r.ID, "error": failed(-32603, "%v", err)})
	}
	return b
}

// isID reports whether b may be the id of a request: there is none, or it is a string or a number.
func isID(b json.RawMessage) bool {
	return b == nil || b[0] == '"' || b[0] == '-' || b[0] >= '0' && b[0] <= '9'
}

// call returns the result of a method.
func (s *server) call(ctx context.Context, method string, params json.RawMessage) (any, *failure) {
	switch method {
	case "initialize":
		return s.initialize(ctx, params)
	case "ping":
		return struct{}{}, nil
	case "tools/list":
		var list []any
		for _, t := range tools {
			list = append(list, map[string]any{"name": t.name, "description": t.about, "inputSchema": t.schema(), "annotations": map[string]any{"readOnlyHint": true}})
		}
		return map[string]any{"tools": list}, nil
	case "tools/call":
		var p struct {
			Name      string
			Arguments json.RawMessage
		}
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, failed(codeParams, "params of tools/call: %v", err)
		}
		i := slices.IndexFunc(tools, func(t tool) bool { return t.name == p.Name })
		if i < 0 {
			return nil, failed(codeParams, "there is no tool %q", p.Name)
		}
		return s.run(ctx, &tools[i], p.Arguments), nil
	}
	return nil, failed(codeMethod, "there is no method %q", method)
}

// initialize returns what the server is, and which fields the index has.
func (s *server) initialize(ctx context.Context, params json.RawMessage) (any, *failure) {
	var p struct{ ProtocolVersion string }
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, failed(codeParams, "params of initialize: %v", err)
	}
	version := versions[0]
	if slices.Contains(versions, p.ProtocolVersion) {
		version = p.ProtocolVersion
	}
	about := []string{"An index of documents, to be searched."}
	err := s.of.View(ctx, func(v *pinion.View) error {
		about[0] = "An index of " + cli.Number(v.Len(), "document") + ", to be searched. Its fields:"
		sch := v.Schema()
		for i := range sch.Fields {
			f := &sch.Fields[i]
			line := fmt.Sprintf("%s (%v)", nameOf(f.Name), f.Kind)
			if f.Column {
				line += ", in filters and counts"
			}
			about = append(about, line)
		}
		return nil
	})
	if err != nil {
		about = append(about, "It cannot be read now: "+err.Error())
	}
	return map[string]any{"protocolVersion": version, "capabilities": map[string]any{"tools": struct{}{}},
		"serverInfo": map[string]any{"name": "pinion", "version": s.version}, "instructions": strings.Join(about, "\n")}, nil
}

// nameOf returns the name that clients see of a field.
func nameOf(field string) string {
	if field == "" {
		return "text"
	}
	return field
}

// run returns the result of a tool. What is wrong with its arguments is a result too, which the assistant reads.
func (s *server) run(ctx context.Context, t *tool, arguments json.RawMessage) any {
	var found any
	a, err := t.parse(arguments)
	if err == nil {
		err = s.of.View(ctx, func(v *pinion.View) (err error) {
			found, err = t.run(ctx, v, a)
			return err
		})
	}
	text := []byte(nil)
	if err == nil {
		text, err = json.Marshal(found)
	}
	if err != nil {
		return map[string]any{"content": []any{content{"text", err.Error()}}, "isError": true}
	}
	return map[string]any{"content": []any{content{"text", string(text)}}, "structuredContent": found}
}

// content is a part of a result.
type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// OfView returns a Viewer of the index as it is at one moment. The View must stay open.
func OfView(v *pinion.View) Viewer { return one{v} }

type one struct{ v *pinion.View }

func (o one) View(_ context.Context, f func(*pinion.View) error) error { return f(o.v) }
