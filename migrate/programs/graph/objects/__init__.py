"""Objects of the program's classes: whose part of the graph something is, and who shares it."""
