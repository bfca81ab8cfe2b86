"""How a program builds its graph, executed with Python's values and tensors' static shapes.

What stands in a shape may differ from call to call and from round to round: each expression keeps
all that it was. What can't be told is unknown; a function that something unknown may call is lost.
"""
