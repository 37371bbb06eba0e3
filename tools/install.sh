#!/bin/sh
# install.sh VENV WHAT: makes the virtual environment VENV with Python 3.11 or newer and installs WHAT into it, editable.
# Changes nothing outside VENV and needs no root.
set -eu
venv=$1 what=$2

python=
for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
  if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  echo "officectl needs Python 3.11 or newer, and none is on the PATH: install python3.11 or a newer one, then try again." >&2
  exit 1
fi

# Debian keeps ensurepip apart from Python, but its package with pip's wheel can be read without being installed.
unpack_pip() (
  cd "$1"
  mkdir -p lists/partial archives/partial
  options="-qq -oDir::State::lists=$1/lists -oDir::Cache=$1 -oAPT::Sandbox::User=root"
  apt-get $options update && apt-get $options download python3-pip-whl && dpkg -x python3-pip-whl_*.deb .
)

make_venv() {
  if "$python" -c 'import ensurepip' 2>/dev/null; then
    "$python" -m venv --clear "$venv"
    return
  fi
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  if unpack_pip "$folder" >"$folder/log" 2>&1; then
    "$python" -m venv --clear --without-pip "$venv"
    wheel=$(echo "$folder"/usr/share/python-wheels/pip-*.whl)
    "$venv/bin/python" "$wheel/pip" install --quiet --disable-pip-version-check --no-index "$wheel"
  elif command -v virtualenv >/dev/null 2>&1; then
    virtualenv --quiet --clear --python "$python" "$venv"
  else
    echo "$python cannot make virtual environments: install python3-venv (or virtualenv), then try again." >&2
    exit 1
  fi
}

# A half-made environment, or one whose Python has gone, is made anew.
"$venv/bin/python" -m pip --version >/dev/null 2>&1 || make_venv

echo "installing $what into $venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable "$what"
