"""Tests of the fuzzing campaign."""
