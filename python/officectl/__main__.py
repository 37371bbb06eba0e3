"""`python -m officectl` is the same as `officectl`."""

from officectl.cli.main import main

main()
