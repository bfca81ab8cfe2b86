"""What a TF 1 program builds and what it runs: graph construction told from session calls.

`walk` executes a module abstractly, statement by statement, and gives a `Region`: steps in order,
each with what it defines and uses, and the places where a session runs something. `slices` asks
which steps a run needs. Nothing here writes text: that is `migrate.rewriters.sessions`.
"""
