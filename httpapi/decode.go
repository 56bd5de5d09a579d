package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// decode sets the struct that to points to, one of the requests, to a JSON object. Keys that it does not have, keys that
// appear twice, and values of another type are errors that name the key. Null is as good as absent.
func decode(data []byte, to any) error {
	if !utf8.Valid(data) {
		return invalid("", "the request is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := decodeValue(d, reflect.ValueOf(to).Elem(), ""); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return invalid("", "there is something behind the request, at byte %d", d.InputOffset())
	}
	return nil
}

// decodeValue sets v to the next value of d, which stands at a key.
func decodeValue(d *json.Decoder, v reflect.Value, key string) error {
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return syntax(err, key)
	}
	switch kind := v.Kind(); {
	case string(raw) == "null":
		return nil
	case kind == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return decodeValue(json.NewDecoder(bytes.NewReader(raw)), v.Elem(), key)
	case kind == reflect.Struct:
		return decodeObject(raw, v, key)
	case kind == reflect.Slice:
		return decodeArray(raw, v, key)
	case kind == reflect.Map:
		return decodeMap(raw, v, key)
	}
	if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
		return invalid(key, "%.40s is not a %s", raw, typeName(v.Type()))
	}
	return nil
}

// syntax returns the error for a value that is no JSON.
func syntax(err error, key string) error {
	if errors.Is(err, io.EOF) {
		return invalid(key, "there is no JSON object")
	}
	return invalid(key, "it is not JSON: %v", err)
}

// typeName returns what people call a type.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Float32, reflect.Float64:
		return "number"
	}
	return "whole number"
}

func decodeObject(raw []byte, v reflect.Value, key string) error {
	if raw[0] != '{' {
		return invalid(key, "%.40s is not an object", raw)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.Token() // the bracket
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return syntax(err, key)
		}
		name := t.(string) // raw is JSON
		within := strings.TrimPrefix(key+"."+name, ".")
		i := fieldOf(v.Type(), name)
		switch {
		case i < 0:
			return invalid(within, "there is no such key, but %s", strings.Join(keys(v.Type()), ", "))
		case seen[name]:
			return invalid(within, "the key is there twice")
		}
		seen[name] = true
		if err := decodeValue(d, v.Field(i), within); err != nil {
			return err
		}
	}
	return nil
}

func decodeArray(raw []byte, v reflect.Value, key string) error {
	if raw[0] != '[' {
		return invalid(key, "%.40s is not an array", raw)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.Token() // the bracket
	for i := 0; d.More(); i++ {
		x := reflect.New(v.Type().Elem()).Elem()
		if err := decodeValue(d, x, fmt.Sprintf("%s[%d]", key, i)); err != nil {
			return err
		}
		v.Set(reflect.Append(v, x))
	}
	return nil
}

func decodeMap(raw []byte, v reflect.Value, key string) error {
	if raw[0] != '{' {
		return invalid(key, "%.40s is not an object", raw)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.Token() // the bracket
	v.Set(reflect.MakeMap(v.Type()))
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return syntax(err, key)
		}
		name := reflect.ValueOf(t) // a string: raw is JSON
		if v.MapIndex(name).IsValid() {
			return invalid(key, "%.40q is there twice", t)
		}
		x := reflect.New(v.Type().Elem()).Elem()
		if err := decodeValue(d, x, fmt.Sprintf("%s.%v", key, t)); err != nil {
			return err
		}
		v.SetMapIndex(name, x)
	}
	return nil
}

// keys returns the keys of a struct in JSON.
func keys(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// fieldOf returns the number of the field with a key, or -1.
func fieldOf(t reflect.Type, key string) int {
	for i, name := range keys(t) {
		if name == key {
			return i
		}
	}
	return -1
}

// decodeURL sets the struct that to points to, one of the requests, to parameters of a URL, which are called as the keys
// are. One of several values is given several times. Of facets and static it is the field, and so of passages, which may
// be empty. A like, vector, nearest, similarity, fuse, rescore and group are their JSON. Of booleans an empty value is true.
func decodeURL(params url.Values, to any) error {
	v := reflect.ValueOf(to).Elem()
	for name, values := range params {
		i := fieldOf(v.Type(), name)
		if i < 0 {
			return invalid(name, "there is no such parameter, but %s", strings.Join(keys(v.Type()), ", "))
		}
		f := v.Field(i)
		if f.Kind() != reflect.Slice && len(values) > 1 {
			return invalid(name, "the parameter is there twice")
		}
		for _, text := range values {
			if !utf8.ValidString(text) {
				return invalid(name, "it is not UTF-8")
			}
			if err := setParam(f, name, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// setParam sets a field of a request to the value of a parameter, or appends that.
func setParam(f reflect.Value, name, text string) error {
	switch to := f.Addr().Interface().(type) {
	case *string:
		*to = text
	case *[]string:
		*to = append(*to, text)
	case *int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return invalid(name, "%.40q is not a whole number", text)
		}
		*to = n
	case **float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return invalid(name, "%.40q is not a number", text)
		}
		*to = &x
	case *bool:
		b, err := strconv.ParseBool(text)
		if err != nil && text != "" {
			return invalid(name, "%.40q is not a boolean", text)
		}
		*to = b || text == ""
	case *[]Facet:
		*to = append(*to, Facet{Field: text})
	case **Static:
		*to = &Static{Field: text}
	case **Like:
		*to = new(Like)
		return decodeParam(*to, name, text)
	case **Vector:
		*to = new(Vector)
		return decodeParam(*to, name, text)
	case **Nearest:
		*to = new(Nearest)
		return decodeParam(*to, name, text)
	case **Similarity:
		*to = new(Similarity)
		return decodeParam(*to, name, text)
	case **Fuse:
		*to = new(Fuse)
		return decodeParam(*to, name, text)
	case **Rescore:
		*to = new(Rescore)
		return decodeParam(*to, name, text)
	case **Group:
		*to = new(Group)
		return decodeParam(*to, name, text)
	case **Passages:
		*to = &Passages{Field: text}
	}
	return nil
}
