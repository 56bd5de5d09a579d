//go:build languages

package main

import _ "github.com/pinion-index/pinion/analysis/languages" // stemmers and stop words of seventeen languages
