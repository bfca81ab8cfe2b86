"""Collections: the variables of a graph or of a scope, as the lists that they are."""
