package languages_test

import (
	"fmt"

	"github.com/pinion-index/pinion/analysis"
	_ "github.com/pinion-index/pinion/analysis/languages"
)

func Example() {
	french, err := analysis.New("french", "fold=accents")
	if err != nil {
		fmt.Println(err)
		return
	}
	text := []byte("Les chevaux de l’écurie")
	fmt.Printf("%s\n", analysis.Terms(french.Tokenizer(), text))
	fmt.Println(french.Options())
	// Output:
	// [cheval ecur]
	// max=255,stop=french,fold=accents
}
