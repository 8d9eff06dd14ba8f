package main

import (
	"fmt"
	"strings"
)

// formula is what Homebrew installs svc by: the archives for macOS and Linux, with the checksums
// that SHA256SUMS has.
func (r *release) formula(made []file) file {
	var text strings.Builder
	fmt.Fprintf(&text, `# Made by the release of svc; the next release replaces it.
class Svc < Formula
  desc %q
  homepage %q
  version %q
  license "Apache-2.0"
`, summary, homepage, r.version.number())
	for _, system := range []struct{ name, block string }{{"darwin", "on_macos"}, {"linux", "on_linux"}} {
		var inner strings.Builder
		for _, arch := range []struct{ name, block string }{{"arm64", "on_arm"}, {"amd64", "on_intel"}} {
			for _, f := range made {
				if f.name == archiveFolder(r.version, platform{system.name, arch.name})+".tar.gz" {
					fmt.Fprintf(&inner, "    %s do\n      url %q\n      sha256 %q\n    end\n", arch.block,
						homepage+"/releases/download/"+string(r.version)+"/"+f.name, hexSum(f.text))
				}
			}
		}
		if inner.Len() > 0 {
			fmt.Fprintf(&text, "\n  %s do\n%s  end\n", system.block, inner.String())
		}
	}
	text.WriteString(`
  def install
    bin.install "svc"
    bash_completion.install "completions/svc.bash" => "svc"
    zsh_completion.install "completions/_svc"
    fish_completion.install "completions/svc.fish"
    man1.install Dir["man/man1/*"]
    man5.install Dir["man/man5/*"]
    man7.install Dir["man/man7/*"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/svc version")
  end
end
`)
	return file{name: "svc.rb", text: []byte(text.String())}
}
