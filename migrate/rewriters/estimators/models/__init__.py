"""What a model_fn becomes: a Keras model with its layers, variables and steps."""
