#!/usr/bin/env bash
# Runs every test of the repository and ends with "N passed, N failed, N skipped".
#
#   ./test.sh                all of it
#   ./test.sh go e2e         only these parts: format go fuzz install kernel cases browser
#
# What the tests need from Debian's packages is installed where it is missing.
# Jupyter's folders, the caches and the installed product are private to the
# run; only the npm package that drives the browser is kept between runs, in
# ${XDG_CACHE_HOME:-~/.cache}/fathom-test.
#
#   FUZZTIME=10s             time for each fuzz target
#   FATHOM_SHARED=../shared  data and a protocol harness beside the repository
#   SHOTS=DIR                where the browser test leaves its screenshots
set -u
cd "$(dirname "${BASH_SOURCE[0]}")"
root=$PWD
export FATHOM_SHARED=${FATHOM_SHARED:-$root/../shared}
parts=${*:-format go fuzz install kernel cases browser}
begun=$SECONDS

work=$(mktemp -d "${TMPDIR:-/tmp}/fathom-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
pass() { passed=$((passed + 1)); echo "ok    $*"; }
fail() { failed=$((failed + 1)); echo "FAIL  $*"; }
skip() { skipped=$((skipped + 1)); echo "SKIP  $*"; }
part() { echo; echo "== $* ($((SECONDS - begun)) s)"; }
wanted() { case " $parts " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }
# add LINE: adds a "N passed, N failed, N skipped" of another program.
add() {
  local n
  n=$(printf '%s\n' "$1" | grep -Eo '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped' | tail -1)
  if [ -z "$n" ]; then fail "$2: it ended without a count"; return; fi
  set -- $n
  passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
}

for dir in /usr/local/go/bin; do
  command -v go >/dev/null || PATH=$PATH:$dir
done
command -v go >/dev/null || { echo "Go is missing: https://go.dev/dl/"; exit 1; }

# The npm package is kept; all other caches but the Go build's are the run's own.
npm_dir=${XDG_CACHE_HOME:-$HOME/.cache}/fathom-test
GOCACHE=$(go env GOCACHE)
export GOCACHE XDG_CACHE_HOME=$work/cache

# --- what the tests need ---------------------------------------------------
packages="gcc python3 jupyter-client jupyter-notebook jupyter-nbconvert python3-nbclient python3-jupyter-kernel-test
  python3-ipykernel python3-psutil chromium chromium-driver nodejs"
command -v node >/dev/null && packages=${packages/nodejs/}
command -v gcc >/dev/null && packages=${packages/gcc/}
install_packages() {
  local missing="" sudo=""
  for p in $packages; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $p"
  done
  [ -z "$missing" ] && return 0
  [ "$(id -u)" = 0 ] || sudo="sudo -n"
  echo "installing$missing"
  $sudo apt-get update -qq >"$work/apt.log" 2>&1
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >>"$work/apt.log" 2>&1
}
jupyter_ready=yes
if wanted kernel || wanted cases || wanted browser || wanted go; then
  part "what the tests need"
  if ! command -v apt-get >/dev/null; then
    echo "no apt-get here: install by hand what is missing of: $packages"
  elif ! install_packages; then
    tail -5 "$work/apt.log"
    fail "Debian packages: apt-get install failed"
  fi
  /usr/bin/python3 -c 'import jupyter_client, jupyter_kernel_test, nbclient, psutil' 2>"$work/python.log" || {
    jupyter_ready=
    tail -1 "$work/python.log"
  }
fi

# Debian's Python comes first, also where another shadows it; nothing else of
# the PATH changes.
mkdir -p "$work/bin"
[ -x /usr/bin/python3 ] && ln -s /usr/bin/python3 "$work/bin/python3"
[ -x /usr/bin/jupyter ] && ln -s /usr/bin/jupyter "$work/bin/jupyter"
export PATH="$work/bin:$work/prefix/bin:$PATH"
export JUPYTER_CONFIG_DIR=$work/jupyter/config JUPYTER_DATA_DIR=$work/jupyter/data JUPYTER_RUNTIME_DIR=$work/jupyter/runtime
export IPYTHONDIR=$work/jupyter/ipython JUPYTER_PATH=$work/prefix/share/jupyter
export XDG_DATA_HOME=$work/share
mkdir -p "$JUPYTER_CONFIG_DIR" "$JUPYTER_DATA_DIR" "$JUPYTER_RUNTIME_DIR" "$IPYTHONDIR" "$XDG_DATA_HOME"

# --- form ------------------------------------------------------------------
if wanted format; then
  part "gofmt and go vet"
  unformatted=$(gofmt -l $( (git ls-files '*.go' 2>/dev/null || find . -name '*.go') | grep -v /testdata/) 2>&1)
  if [ -z "$unformatted" ]; then pass gofmt; else fail "gofmt: run gofmt -w on" $unformatted; fi
  if go vet ./... ; then pass "go vet"; else fail "go vet"; fi
  for target in darwin/arm64 linux/arm64; do
    if GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go build -o "$work/other" . ; then pass "builds for $target"; else fail "build for $target"; fi
  done
  if bash -n install.sh && bash -n test.sh; then pass "shell syntax"; else fail "shell syntax"; fi
fi

# --- the product, installed as a user would, twice -------------------------
installed=
if wanted install || wanted kernel || wanted cases || wanted browser; then
  part "install.sh, twice"
  if PREFIX=$work/prefix ./install.sh && PREFIX=$work/prefix ./install.sh >"$work/again.log" 2>&1; then
    pass "install.sh"
    installed=yes
    for f in quickstart.ipynb quickstart.html; do
      if [ -s "$work/cache/fathom/quickstart/$f" ]; then pass "$f"; else fail "$f was not written"; fi
    done
    if fathom doctor; then pass "fathom doctor"; else fail "fathom doctor"; fi
    if fathom export notebooks/quickstart.ipynb -o "$work/module" --source . >"$work/export.log" 2>&1 &&
      (cd "$work/module" && go mod tidy && go vet . && go run .) >>"$work/export.log" 2>&1; then
      pass "fathom export: go runs the quickstart as a module"
    else
      tail -20 "$work/export.log"
      fail "fathom export"
    fi
  else
    cat "$work/again.log" 2>/dev/null
    fail "install.sh"
  fi
fi

# --- go test ---------------------------------------------------------------
if wanted go; then
  part "go test ./..."
  # A minute of random cells against the Go compiler, with a fresh seed.
  FATHOM_FUZZ=${FATHOM_FUZZ:-60s} go test -v -timeout 25m ./... >"$work/go.log" 2>&1
  status=$?
  grep -E '^(ok|FAIL|panic:|---? FAIL)|\[build failed\]|^\s+--- (FAIL|SKIP)|^--- SKIP' "$work/go.log" | grep -v '^FAIL$'
  # Tests are counted at the top level; a package that does not build is one failure.
  p=$(grep -c '^--- PASS' "$work/go.log")
  f=$(grep -cE '^--- FAIL|^FAIL.*\[(build|setup) failed\]' "$work/go.log")
  s=$(grep -c '^--- SKIP' "$work/go.log")
  if [ $status -ne 0 ]; then
    [ "$f" -gt 0 ] || f=1
    grep -E -B2 -A40 '^\s*--- FAIL|^panic:|^# |build failed' "$work/go.log" | head -300
  fi
  grep -A3 '^--- SKIP' "$work/go.log" | grep -v '^---' | sed 's/^/  why: /'
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  echo "$p passed, $f failed, $s skipped"
fi

# --- fuzz ------------------------------------------------------------------
if wanted fuzz; then
  part "fuzz, ${FUZZTIME:-10s} each"
  targets=$(grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | grep -v /testdata/ | sed -E 's|^(.*)/[^/]*:func |\1 |' | sort -u)
  while read -r dir name; do
    [ -n "$name" ] || continue
    for try in 1 2; do
      go test -run '^$' -fuzz "^$name\$" -fuzztime "${FUZZTIME:-10s}" "$dir" >"$work/fuzz.log" 2>&1
      status=$?
      # The fuzzer now and then misses its own deadline on a busy machine; only
      # that is tried again.
      [ $status -ne 0 ] && [ $try = 1 ] && grep -q 'context deadline exceeded' "$work/fuzz.log" &&
        ! grep -q 'Failing input' "$work/fuzz.log" || break
    done
    if [ $status -eq 0 ]; then
      pass "$dir $name: $(grep -Eo 'execs: [0-9]+' "$work/fuzz.log" | tail -1)"
    else
      tail -40 "$work/fuzz.log"
      fail "$dir $name"
    fi
  done <<<"$targets"
fi

# --- a real client ---------------------------------------------------------
# Each of these needs the installed product and Jupyter's packages.
ready() {
  if [ -z "$jupyter_ready" ]; then skip "$1: Jupyter's packages are absent"; return 1; fi
  if [ -z "$installed" ]; then fail "$1: the product did not install"; return 1; fi
}

if wanted kernel && ready jupyter_kernel_test; then
  part "jupyter_kernel_test, every feature"
  timeout 600 python3 kernel/e2e/kernel_test.py 2>&1 | tee "$work/kit.log"
  add "$(cat "$work/kit.log")" jupyter_kernel_test
  part "jupyter nbconvert --execute"
  if timeout 300 jupyter nbconvert --log-level ERROR --execute --allow-errors --to notebook --output "$work/converted.ipynb" notebooks/quickstart.ipynb &&
    grep -q '"execution_count": [0-9]' "$work/converted.ipynb"; then
    pass "nbconvert runs the quickstart"
    if python3 kernel/e2e/same.py "$work/converted.ipynb" "$work/cache/fathom/quickstart/quickstart.ipynb"; then
      pass "a client and fathom run show the same"
    else
      fail "a client and fathom run show different things"
    fi
  else
    fail "nbconvert"
  fi
fi

if wanted cases; then
  if [ ! -f "$FATHOM_SHARED/cases/jupyter/behaviour.py" ]; then
    skip "the harness of protocol cases: absent, looked for $FATHOM_SHARED/cases/jupyter"
  elif ready "the harness of protocol cases"; then
    part "34 hard cases of the protocol"
    timeout 900 python3 "$FATHOM_SHARED/cases/jupyter/behaviour.py" fathom 2>&1 | tee "$work/cases.log"
    if ! grep -qE '^[0-9]+ of [0-9]+$' "$work/cases.log"; then fail "the harness ended without a count"; fi
    passed=$((passed + $(grep -c '^ok ' "$work/cases.log"))) failed=$((failed + $(grep -c '^FAIL ' "$work/cases.log")))
  fi
fi

if wanted browser && ready "the browser test"; then
  part "the classic notebook in Chromium"
  mkdir -p "$npm_dir"
  if [ ! -d "$npm_dir/node_modules/playwright-core" ]; then
    (cd "$npm_dir" && npm install --prefix . --no-audit --no-fund --loglevel error playwright-core)
  fi
  if [ ! -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
    skip "the browser test: chromium is absent"
  elif [ ! -d "$npm_dir/node_modules/playwright-core" ]; then
    skip "the browser test: playwright-core could not be installed by npm"
  else
    NODE_PATH=$npm_dir/node_modules timeout 600 node kernel/e2e/browser.mjs "${SHOTS:-}" "$work/cache/fathom/quickstart/quickstart.html" 2>&1 | tee "$work/browser.log"
    add "$(cat "$work/browser.log")" "the browser test"
  fi
fi

echo
echo "in $((SECONDS - begun)) s"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
