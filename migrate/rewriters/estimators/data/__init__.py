"""input_fns and what they read: functions that return a dataset with the same batches."""
