"""The command line: one module a noun, each with a click command called ``command``."""
