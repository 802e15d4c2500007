"""Sphinx settings; `make docs` builds into docs/_build."""

import os
import re
import sys
from pathlib import Path
from typing import Any

import sparsek
from sparsek._registry import ESTIMATORS

DOCS = Path(__file__).parent
sys.path[:0] = [
    str(DOCS),
    str(DOCS.parent),
]  # to import the extensions in this folder, and validation

project = "sparsek"
author = "the sparsek developers"
version = release = sparsek.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "accessible",
    "mathml",
    "made_pages",
]
exclude_patterns = ["_build", "_made", "examples"]
templates_path = ["_templates"]

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
html_math_renderer = "mathml"  # formulas are shown without a script from the network

autodoc_typehints = "none"  # the docstrings give types and shapes
autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseEstimator,ndarray",
}
# What estimators have for scikit-learn's own use, such as a `set_..._request` for each method with weights
PLUMBING = re.compile(r"get_metadata_routing|[gs]et_params|set_output|set_\w+_request")
# Some systems do not tell `Silhouette` from `silhouette` in the name of a file.
autosummary_filename_map = {
    "sparsek.rcompat.Silhouette": "sparsek.rcompat.Silhouette_class"
}
autosummary_context = {
    "estimators": {row.name: row._asdict() for row in ESTIMATORS}
}  # for _templates
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
default_role = "literal"  # `names` in docstrings are shown as code
numpydoc_show_class_members = False
toc_object_entries_show_parents = (
    "hide"  # methods by their names alone: they fit beside the page
)
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"\.py$",  # run all examples
    "abort_on_example_error": True,
    "backreferences_dir": "api/examples",  # the lists "Examples using it" of the reference
    "doc_module": ("sparsek",),
    "capture_repr": (),  # show figures and printed output only
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "within_subsection_order": "FileNameSortKey",
}

html_theme = "pydata_sphinx_theme"
html_title = "sparsek"
html_static_path = ["_static"]
html_css_files = ["sparsek.css"]
html_search_scorer = str(DOCS / "_static" / "scorer.js")
html_extra_path = ["_made/site"]  # the validation report
html_copy_source = False
html_theme_options: dict[str, Any] = {
    "logo": {"text": f"sparsek {release}"},
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
if (
    "GITHUB_REPOSITORY" in os.environ
):  # the release workflow: a link to the repository, and all versions
    owner, _, repository = os.environ["GITHUB_REPOSITORY"].partition("/")
    html_theme_options |= {
        "github_url": f"https://github.com/{owner}/{repository}",
        "switcher": {
            "json_url": f"https://{owner}.github.io/{repository}/versions.json",
            "version_match": version,
        },
        "check_switcher": False,
        "navbar_end": ["version-switcher", "theme-switcher", "navbar-icon-links"],
    }
html_sidebars = {
    page: []
    for page in (
        *(
            "index",
            "start",
            "tutorial",
            "choosing",
            "reading-results",
            "migrating-from-r",
            "newcomer",
        ),
        *("command-line", "contents", "speed", "citing", "changelog"),
    )
}
copyright = "the sparsek developers; BSD-3-Clause"


def setup(app: Any) -> None:
    """Leave scikit-learn's own methods out of the reference."""
    app.connect("autodoc-skip-member", skip_plumbing)


def skip_plumbing(_app: Any, _kind: str, name: str, *_: Any) -> bool | None:
    """Whether a member is left out; None leaves it to the other rules."""
    return True if PLUMBING.fullmatch(name) else None
