package eval_test

import (
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/eval"
)

func Example() {
	qrels, err := eval.ReadQrels("qrels", strings.NewReader("1 0 a 2\n1 0 b 0\n1 0 c 1\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := eval.ReadRun("run", strings.NewReader("1 Q0 b 1 3.5 x\n1 Q0 a 2 3.1 x\n1 Q0 d 3 0.2 x\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	measures, err := eval.ParseMeasures("map,P@2,nDCG@10")
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := eval.Evaluate(run, qrels, measures, eval.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, m := range result.Measures {
		fmt.Printf("%s %.4f\n", m, result.Means[i])
	}
	// Output:
	// map 0.2500
	// P_2 0.5000
	// ndcg_cut_10 0.4796
}
