"""Names and scopes: what TF 1 calls its variables, ops and layers."""
