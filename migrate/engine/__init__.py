"""The engine: source, names, calls, rules, detection, edits, verification, running over files."""
