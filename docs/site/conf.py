"""Configuration of Sphinx. It runs in Sphinx's own environment, with the project on its path."""

from docs.site import extension
from docs.site.navigation import ROOT
from tablewright import __version__

project = "Tablewright"
version = release = __version__
language = "en"

extensions = ["myst_parser", extension.__name__]
# As on GitHub: every heading can be linked to, and a link to a page is a path.
myst_heading_anchors = 6
highlight_language = "none"

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = f"Tablewright {version}"
html_static_path = [str(ROOT / "docs" / "site" / "static")]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_domain_indices = False
html_use_index = False
