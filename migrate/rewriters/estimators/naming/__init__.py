"""Functions that ask for variables by name, in scopes."""
