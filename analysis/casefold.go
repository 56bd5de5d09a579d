package analysis

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// caseFolds says what Unicode's full case folding (CaseFolding.txt, status C and F) makes of
// the letters that it changes though they are lower-case: a letter, then what it becomes.
// Cherokee, whose folding is to upper case, is left out: it stays lower-case.
const caseFolds = "" +
	"µμ ßss \u0149ʼn \u017fs \u01f0j\u030c \u0345ι \u0390ι\u0308\u0301 \u03b0υ\u0308\u0301 ςσ \u03d0β " +
	"\u03d1θ \u03d5φ \u03d6π \u03f0κ \u03f1ρ \u03f5ε \u0587եւ ᲀв ᲁд ᲂо ᲃс ᲄт ᲅт ᲆъ ᲇѣ ᲈꙋ \u1e96h\u0331 " +
	"\u1e97t\u0308 \u1e98w\u030a \u1e99y\u030a \u1e9aaʾ \u1e9b\u1e61 \u1f50υ\u0313 \u1f52υ\u0313\u0300 " +
	"\u1f54υ\u0313\u0301 \u1f56υ\u0313\u0342 \u1f80\u1f00ι \u1f81\u1f01ι \u1f82\u1f02ι \u1f83\u1f03ι " +
	"\u1f84\u1f04ι \u1f85\u1f05ι \u1f86\u1f06ι \u1f87\u1f07ι \u1f90\u1f20ι \u1f91\u1f21ι \u1f92\u1f22ι " +
	"\u1f93\u1f23ι \u1f94\u1f24ι \u1f95\u1f25ι \u1f96\u1f26ι \u1f97\u1f27ι \u1fa0\u1f60ι \u1fa1\u1f61ι " +
	"\u1fa2\u1f62ι \u1fa3\u1f63ι \u1fa4\u1f64ι \u1fa5\u1f65ι \u1fa6\u1f66ι \u1fa7\u1f67ι \u1fb2\u1f70ι " +
	"\u1fb3αι \u1fb4\u03acι \u1fb6α\u0342 \u1fb7α\u0342ι \u1fbeι \u1fc2\u1f74ι \u1fc3ηι \u1fc4\u03aeι " +
	"\u1fc6η\u0342 \u1fc7η\u0342ι \u1fd2ι\u0308\u0300 \u1fd3ι\u0308\u0301 \u1fd6ι\u0342 " +
	"\u1fd7ι\u0308\u0342 \u1fe2υ\u0308\u0300 \u1fe3υ\u0308\u0301 \u1fe4ρ\u0313 \u1fe6υ\u0342 " +
	"\u1fe7υ\u0308\u0342 \u1ff2\u1f7cι \u1ff3ωι \u1ff4\u03ceι \u1ff6ω\u0342 \u1ff7ω\u0342ι \ufb00ff " +
	"\ufb01fi \ufb02fl \ufb03ffi \ufb04ffl \ufb05st \ufb06st \ufb13մն \ufb14մե \ufb15մի \ufb16վն " +
	"\ufb17մխ"

// caseFold is caseFolds by letter.
var caseFold = sync.OnceValue(func() map[rune]string {
	m := map[rune]string{}
	for entry := range strings.FieldsSeq(caseFolds) {
		r, n := utf8.DecodeRuneInString(entry)
		m[r] = entry[n:]
	}
	return m
})
