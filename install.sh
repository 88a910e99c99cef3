#!/usr/bin/env bash
# Builds fathom, installs it with its kernelspec, and runs a first notebook.
#
#   ./install.sh                 as root into /usr/local, else into ~/.local
#   PREFIX=DIR ./install.sh      into DIR/bin and DIR/share/jupyter
#   ./install.sh --build FILE    only builds the binary
#   ./install.sh --no-run        does not run the first notebook
#
# It is safe to run twice.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

say() { printf '%s\n' "$*"; }
die() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }

# hint PACKAGE OTHER: the command that installs something on this system.
hint() {
  local sudo="sudo "
  [ "$(id -u)" = 0 ] && sudo=""
  if command -v apt-get >/dev/null; then say "${sudo}apt-get install $1"
  elif command -v dnf >/dev/null; then say "${sudo}dnf install $1"
  elif command -v brew >/dev/null; then say "brew install $1"
  else say "$2"; fi
}

# The toolchain that go.mod asks for: a newer go command may be needed, and an
# older one fetches it by itself where it may.
find_go() {
  command -v go >/dev/null && return
  for dir in /usr/local/go/bin "$HOME/go/bin" "$HOME/sdk"/go*/bin; do
    if [ -x "$dir/go" ]; then PATH="$dir:$PATH"; return; fi
  done
  die "Go is missing. Get it from https://go.dev/dl/ (Linux: unpack into /usr/local, then: export PATH=\$PATH:/usr/local/go/bin)"
}

build() { # FILE
  find_go
  local want have
  want=$(sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' go.mod)
  have=$(go env GOVERSION | sed 's/^go//')
  if [ "$(printf '%s\n%s\n' "$want" "$have" | sort -V | head -1)" != "$want" ]; then
    die "Go $have is older than $want. Get a newer one from https://go.dev/dl/"
  fi
  # Compiled cells are plugins, which need cgo and so a C compiler. Without one
  # everything else works, and every cell is interpreted.
  if ! command -v "$(go env CC)" >/dev/null; then
    say "note: there is no C compiler, so cells are interpreted, not compiled. To have both:"
    say "  $(hint gcc 'install gcc or clang with your package manager'), then ./install.sh again"
    export CGO_ENABLED=0
  fi
  mkdir -p "$(dirname "$1")"
  say "building $1 (the first time takes a few minutes)"
  # A checkout of another user (sudo) is one that git will not read.
  local stamp=auto
  git rev-parse HEAD >/dev/null 2>&1 || stamp=false
  # Beside its place and then renamed: a running kernel keeps its old binary.
  go build -buildvcs=$stamp -o "$1.new" . || die "the build failed; the lines above say why"
  mv -f "$1.new" "$1"
}

run=yes
while [ $# -gt 0 ]; do
  case "$1" in
    --build)
      [ $# = 2 ] || die "--build wants a file after it"
      build "$2"
      exit ;;
    --no-run) run=no; shift ;;
    -h | --help) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit ;;
    *) die "unknown argument $1; ./install.sh --help lists them" ;;
  esac
done

if [ -n "${PREFIX:-}" ]; then
  mkdir -p "$PREFIX"
  prefix=$(cd "$PREFIX" && pwd)
  where=(--prefix "$prefix")
elif [ "$(id -u)" = 0 ]; then
  prefix=/usr/local
  where=(--prefix "$prefix")
else
  prefix=$HOME/.local
  where=(--user)
fi
bin=$prefix/bin/fathom
build "$bin"
"$bin" install "${where[@]}" --source "$PWD"

if ! command -v jupyter >/dev/null; then
  say "note: Jupyter is not installed (fathom run and fathom repl work without it). To have it:"
  say "  $(hint jupyter-notebook 'pip install jupyterlab')"
fi
case ":$PATH:" in
  *":$prefix/bin:"*) ;;
  *) say "note: $prefix/bin is not on your PATH; add it with: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac

if [ "$run" = yes ]; then
  out=${XDG_CACHE_HOME:-$HOME/.cache}/fathom/quickstart
  mkdir -p "$out"
  say "running notebooks/quickstart.ipynb"
  "$bin" run notebooks/quickstart.ipynb --quiet --ipynb "$out/quickstart.ipynb" --html "$out/quickstart.html" >"$out/quickstart.log" 2>&1 \
    || die "the first notebook failed; see $out/quickstart.log, and run: $bin doctor"
  say "the executed notebook: $out/quickstart.ipynb"
  say "the same as a page:    $out/quickstart.html"
fi
say "fathom is installed: $bin"
