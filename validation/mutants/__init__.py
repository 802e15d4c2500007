"""Mutation testing: does any test notice when one token of the code is changed?"""
