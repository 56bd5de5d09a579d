package analysis

import (
	"fmt"
	"strings"
	"testing"
)

// Words that are typed have their whole, and parts with positions, also those of one part.
func TestAppendWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"(c *Conn) Close()":             "1-2:c=0+c/c 4-8:conn=1+conn/conn 10-15:close=2+close/close",
		"readFrame x":                   "0-9:readframe=0+read/read,1+frame/frame 10-11:x=2+x/x",
		"httpserver2config":             "0-17:httpserver2config=0+httpserver/httpserver,1+2/2,2+config/config",
		"调用getUserName函数名":              "0-6:=0调用/ 6-17:getusername=1+get/get,2+user/user,3+name/name 17-26:=4函数/,5数名/",
		"_ __init__":                    "2-10:__init__=0+init/init",
		strings.Repeat("x", 300) + " y": "301-302:y=1+y/y",
	} {
		a, err := New("code", "parts=placed")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range a.(Compound).AppendWords(make([]Word, 3), []byte(text))[3:] {
			var parts []string
			for _, p := range w.Parts {
				parts = append(parts, fmt.Sprintf("%d%s/%s", p.At, p.Term, p.Whole))
			}
			got = append(got, fmt.Sprintf("%d-%d:%s=%s", w.Start, w.End, w.Whole, strings.Join(parts, ",")))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
	if a, _ := New("code", ""); a == nil {
		t.Fatal("no code")
	} else if _, ok := a.(Compound); ok {
		t.Error("stacked parts are told from wholes")
	}
}
