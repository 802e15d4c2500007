"""A sparse mixture of normal clusters with common factors."""
