"""What a run asks for: lists, parts, choices and ops that are made where they are run."""
