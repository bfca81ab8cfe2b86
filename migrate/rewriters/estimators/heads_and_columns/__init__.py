"""Canned Estimators, their heads and feature columns."""
