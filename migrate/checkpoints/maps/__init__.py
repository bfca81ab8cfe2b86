"""Which tensor of a checkpoint becomes which of another, and what is done to it on the way."""
