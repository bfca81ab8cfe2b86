"""Sessions, placeholders and feed_dict as functions: the way of a graph program to TF 2.

`convert.convert` takes a module (`convert_files` those of a program) and gives the edits that make
it a TF 2 program whose ops still have TF 1's names, which the other rewriters then see to; or it
raises `Blocked` with the place that stopped it. It is large: who needs it imports it late.
"""
