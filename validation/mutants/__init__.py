"""Mutation testing: whether any test fails when one token of the code is changed."""
