package cli

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// needsPackage is the line of cobra's script for bash that calls a function of the package
// bash-completion.
const needsPackage = `    _get_comp_words_by_ref "$@" cur prev words cword
`

// withoutPackage does without that package. Readline separates words at = and :, too:
// those without a blank between them are joined.
const withoutPackage = `    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    local i word line=$COMP_LINE
    words=() cword=0
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        if ((i > 0)) && [[ $line != [[:space:]]* && ($word == [=:]* || ${words[${#words[@]}-1]} == *[=:]) ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        ((i == COMP_CWORD)) && cword=$((${#words[@]}-1))
        line=${line#"${line%%[![:space:]]*}"}
        line=${line#"$word"}
    done
    cur=${words[cword]}
    prev=
    ((cword > 0)) && prev=${words[cword-1]}
    return 0
`

// completeBash makes "completion bash" write a script that needs nothing but bash.
func completeBash(root *cobra.Command) {
	root.InitDefaultCompletionCmd("completion")
	bash, _, err := root.Find([]string{"completion", "bash"})
	if err != nil || bash.Name() != "bash" {
		return
	}
	bash.RunE = func(c *cobra.Command, _ []string) error {
		bare, _ := c.Flags().GetBool("no-descriptions")
		return bashScript(c.Root(), c.OutOrStdout(), !bare)
	}
}

func bashScript(root *cobra.Command, w io.Writer, descriptions bool) error {
	var b bytes.Buffer
	if err := root.GenBashCompletionV2(&b, descriptions); err != nil {
		return err
	}
	script := bytes.Replace(b.Bytes(), []byte(needsPackage), []byte(withoutPackage), 1)
	if bytes.Equal(script, b.Bytes()) {
		return fmt.Errorf("cobra's script for bash has changed")
	}
	_, err := w.Write(script)
	return err
}
