#!/bin/sh
# install.sh VENV WHAT: makes the virtual environment VENV with Python 3.11 or newer and installs WHAT into it, editable.
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

make_venv() {
  if "$python" -c 'import ensurepip' 2>/dev/null; then
    "$python" -m venv --clear "$venv"
  elif command -v virtualenv >/dev/null 2>&1; then
    virtualenv --quiet --clear --python "$python" "$venv"
  elif [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    # Debian keeps ensurepip apart from Python.
    package=$("$python" -c 'import sys; print("python3.%d-venv" % sys.version_info[1])')
    echo "installing $package"
    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends "$package" >/dev/null
    "$python" -m venv --clear "$venv"
  else
    echo "$python cannot make virtual environments: install python3-venv (or virtualenv), then try again." >&2
    exit 1
  fi
}

# A half-made environment, or one whose Python has gone, is made anew.
"$venv/bin/python" -m pip --version >/dev/null 2>&1 || make_venv

echo "installing $what into $venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable "$what"
