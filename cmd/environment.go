package cmd

import (
	"strconv"

	"github.com/spf13/cobra"
)

// Variable is an environment variable that svc reads.
type Variable struct {
	Name    string // or several names, with commas
	Meaning string
	read    func(*cobra.Command) bool // reports whether a command reads it
}

// Variables returns the variables that a command reads, or the program whichever
// command it is given.
func Variables(c *cobra.Command) (read []Variable) {
	for _, v := range allVariables() {
		if !c.HasParent() || v.read(c) {
			read = append(read, v)
		}
	}
	return read
}

// allVariables are all that there are.
func allVariables() []Variable {
	all := []Variable{
		{"SVC_CONFIG", "the configuration file, in the place of svc/config.yaml in your configuration directory", readsSettings},
		{configHome, "where your configuration directory is: the first, or .config in the second; on macOS Library/Application Support in the second; on Windows the third", readsSettings},
	}
	for _, s := range allSettings() {
		about := s.about
		if s.fallback != "" {
			about += " (default " + s.fallback + ")"
		}
		all = append(all, Variable{s.variable(), about, s.read})
	}
	return append(all,
		Variable{"NO_COLOR", "if it is not empty: no colour, unless --color says always", hasColor},
		Variable{"TERM", "if it is dumb: no colour, unless --color says always, and no progress bar", hasColor},
		Variable{"LISTEN_PID, LISTEN_FDS", "the socket that a service manager hands over, in the place of --host and --port: sd_listen_fds(3)", isServer},
		Variable{"NOTIFY_SOCKET", "where a service manager wants to be told that the port answers: sd_notify(3)", isServer},
		Variable{"HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "the proxy to ask an endpoint through, and the hosts to ask without one; also in lower case", isCalled("verify")},
		Variable{"SSL_CERT_FILE, SSL_CERT_DIR", "where the certificates are that are trusted, in the place of those of the system (not on macOS and Windows)", isCalled("verify", "fetch")},
		Variable{"PGPASSWORD, PGPASSFILE, PGSERVICEFILE, ...", "passwords and other parameters for PostgreSQL, by the names that libpq gives them", isCalled("verify-serve", "verify-load")},
		Variable{"GOMAXPROCS, GOMEMLIMIT", "how many processors and how much memory to use, as the Go runtime reads them", (*cobra.Command).Runnable},
		Variable{"GOGC", "how far the heap may grow before garbage is collected, in percent (default " + strconv.Itoa(seldom) + ")", isCalled("compile", "validate")},
		Variable{"SVC_COMPLETION_DESCRIPTIONS", "if it is false: completions come without a word about each", isCalled("completion")},
	)
}

// configHome are the variables that os.UserConfigDir looks at.
const configHome = "XDG_CONFIG_HOME, HOME, AppData"

// readsSettings reports whether a command reads the configuration.
func readsSettings(c *cobra.Command) bool {
	return c.Runnable() && c.Annotations[annotationNoSettings] == ""
}

// setsOption returns a function that reports whether a command takes a setting
// for its option of that name. A strict command takes no option from elsewhere.
func setsOption(name string) func(*cobra.Command) bool {
	return func(c *cobra.Command) bool {
		return readsSettings(c) && !c.DisableFlagParsing && c.Flags().Lookup(name) != nil
	}
}

func isServer(c *cobra.Command) bool { return c.Name() == "serve" || c.Name() == "verify-serve" }

func hasColor(c *cobra.Command) bool { return c.Flags().Lookup("color") != nil }

func isCalled(names ...string) func(*cobra.Command) bool {
	return func(c *cobra.Command) bool {
		for _, name := range names {
			if c.Name() == name {
				return true
			}
		}
		return false
	}
}
