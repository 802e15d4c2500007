"""Sphinx settings; `make docs` builds into docs/_build."""

import sparsek

project = "sparsek"
author = "the sparsek developers"
version = release = sparsek.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
exclude_patterns = ["_build"]
html_theme = "furo"
numpydoc_show_class_members = False
autodoc_typehints = "none"  # the docstrings give types and shapes
