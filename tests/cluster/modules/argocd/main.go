// Argo CD's repository server and application controller, unchanged, from its module: which one is told by the first
// argument.
package main

import (
	"fmt"
	"os"

	controller "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	repository "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	"github.com/spf13/cobra"
)

func main() {
	commands := map[string]func() *cobra.Command{
		"argocd-application-controller": controller.NewCommand,
		"argocd-repo-server":            repository.NewCommand,
	}
	var command func() *cobra.Command
	if len(os.Args) > 1 {
		command = commands[os.Args[1]]
	}
	if command == nil {
		fmt.Fprintln(os.Stderr, "wanted first: argocd-application-controller or argocd-repo-server")
		os.Exit(2)
	}
	started := command()
	started.SetArgs(os.Args[2:])
	if err := started.Execute(); err != nil {
		os.Exit(1)
	}
}
