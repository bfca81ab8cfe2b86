"""Static shapes and types: what Python asks of tensors, and how it is written."""
