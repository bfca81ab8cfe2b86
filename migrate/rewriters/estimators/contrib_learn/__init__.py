"""Estimators and Experiments of contrib.learn."""
