"""File formats of checkpoints, one file each."""
