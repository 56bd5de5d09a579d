package jsontext

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	for text, want := range map[Text]string{
		"":        `""`,
		"a b":     `"a b"`,
		`"\`:      `"\"\\"`,
		"Käse\n":  `"Käse\n"`,
		"\xff":    `{"base64":"/w=="}`,
		"base64:": `"base64:"`,
	} {
		got, err := json.Marshal(text)
		if err != nil || string(got) != want {
			t.Errorf("%q is %s, %v, want %s", string(text), got, err, want)
		}
	}
	var x Text
	for _, bad := range []string{`1`, `{"base64":"!"}`, `{"base32":"aa"}`, `["a"]`} {
		if err := json.Unmarshal([]byte(bad), &x); err == nil {
			t.Errorf("%s is read as %q", bad, string(x))
		}
	}
}

// TestRoundTrip writes and reads any bytes.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Text(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Text
		if err := json.Unmarshal(data, &got); err != nil || got != want {
			t.Fatalf("%s is read as %q, %v", data, string(got), err)
		}
	})
}
