package cmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	disk "github.com/model-catalog-service/svc/internal/files"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/sample"
	"github.com/model-catalog-service/svc/service/record"
)

// Shells returns the shells that svc writes completion scripts for.
func Shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// WriteCompletion writes the script that lets a shell complete command lines of the
// tree.
func WriteCompletion(w io.Writer, root *cobra.Command, shell string) error {
	switch shell {
	case "bash":
		return writeBashCompletion(w, root)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, true)
	}
	return root.GenPowerShellCompletionWithDesc(w)
}

// writeBashCompletion writes Cobra's script, which uses functions of the package
// bash-completion. Where they are not there bash would complain in three lines at each
// press of the key; the script says once what it needs instead.
func writeBashCompletion(w io.Writer, root *cobra.Command) error {
	var script bytes.Buffer
	if err := root.GenBashCompletionV2(&script, true); err != nil {
		return err
	}
	const before = `    COMPREPLY=()
    _get_comp_words_by_ref "$@" cur prev words cword
`
	const after = `    COMPREPLY=()
    if ! declare -F _get_comp_words_by_ref >/dev/null; then
        if [[ -z ${__svc_told-} ]]; then
            __svc_told=1
            printf '\nsvc: completing needs the package bash-completion: install it, and start bash again\n' >&2
        fi
        return 1
    fi
    _get_comp_words_by_ref "$@" cur prev words cword
`
	if !strings.Contains(script.String(), before) {
		return errors.New("the script for bash has no place to say what it needs")
	}
	_, err := io.WriteString(w, strings.Replace(script.String(), before, after, 1))
	return err
}

// The most that is read of a catalog, and offered of it, while somebody types.
const (
	mostOffered = 64 << 20 // bytes, which take a twentieth of a second
	mostNames   = 500
)

// mark is where names are in the canonical text of a catalog, which has it nowhere else: to
// validate it all would take too long.
type mark struct {
	before, after string
	isRuntime     bool // of which the seller is a name, too
}

var (
	modelMark   = mark{before: `{"identity":{"id":"`, after: `"`}
	runtimeMark = mark{before: `"runtime":{"id":"`, after: `"`, isRuntime: true}
	keyMark     = mark{before: `{"key":"`, after: `","kind":"`}
	serviceMark = mark{before: `{"key":"` + record.OfferService + `","kind":"fact","unit":null,"value":"`, after: `"`}
)

// offerNames offers the names at a mark of a catalog that begin with a word. If there are
// many, it offers how they go on up to the next slash. A file that it cannot read offers
// nothing.
func offerNames(catalog string, m mark, word string) ([]string, cobra.ShellCompDirective) {
	text, err := readOffered(catalog)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, starts := map[string]bool{}, map[string]bool{}
	for {
		_, after, found := strings.Cut(text, m.before)
		if !found {
			break
		}
		name, _, _ := strings.Cut(after, `"`)
		text = after[len(name):]
		if seller, _ := record.Seller(name); m.isRuntime && seller != name && strings.HasPrefix(seller, word) {
			names[seller], starts[seller] = true, true
		}
		if names[name] || !strings.HasPrefix(text, m.after) || !strings.HasPrefix(name, word) {
			continue
		}
		if console.Printable(name) != name || strings.ContainsAny(name, `\ `) {
			continue
		}
		names[name] = true
		if slash := strings.IndexByte(name[len(word):], '/'); slash >= 0 {
			name = name[:len(word)+slash+1]
		}
		starts[name] = true
	}
	if len(names) <= mostNames {
		return slices.Sorted(maps.Keys(names)), cobra.ShellCompDirectiveNoFileComp
	}
	offered := slices.Sorted(maps.Keys(starts))
	return offered[:min(len(offered), mostNames)], cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// readOffered reads the catalog whose names are offered.
func readOffered(catalog string) (string, error) {
	if catalog != files.Sample {
		return disk.Read(catalog, mostOffered)
	}
	return sample.Catalog()
}

// offerCatalogNames offers the names at a mark of the catalog that --catalog names.
func offerCatalogNames(m mark) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		named := c.Flags().Lookup("catalog")
		if option.IsFound(named) {
			option.SetFound(c.Flags(), foundName())
		}
		return offerNames(named.Value.String(), m, word)
	}
}

// offerServices offers the services that offers of the catalog have, and any.
func offerServices(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	words := []string{v3.AnyService, record.ServiceStandard}
	lists, directive := offerCatalogNames(serviceMark)(c, args, "")
	for _, list := range lists {
		words = append(words, strings.Split(list, ",")...)
	}
	slices.Sort(words)
	return slices.Compact(words), directive
}

// offerBounds offers the keys of the catalog, which a number follows.
func offerBounds(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	names, directive := offerCatalogNames(keyMark)(c, args, word)
	return names, directive | cobra.ShellCompDirectiveNoSpace
}

type completionOptions struct {
	root  *cobra.Command
	shell string
}

func newCompletion(run func(context.Context, completionOptions) error) *cobra.Command {
	return &cobra.Command{
		Use:               "completion SHELL",
		Short:             "Print a script that completes svc commands in your shell",
		ValidArgsFunction: option.First(option.Words(Shells()...)),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return option.Errorf("Missing argument: SHELL")
			}
			if !slices.Contains(Shells(), args[0]) {
				return option.NoneOf("SHELL", args[0], Shells())
			}
			return option.NoArguments(c, args[1:])
		},
		RunE: func(c *cobra.Command, args []string) error {
			return run(c.Context(), completionOptions{root: c.Root(), shell: args[0]})
		},
	}
}

func (p *program) completion(_ context.Context, opts completionOptions) error {
	return WriteCompletion(p.Console, opts.root, opts.shell)
}
