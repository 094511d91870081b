"""`python -m docs.site`: builds the site into `.build/site`. Warnings are errors."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from docs.site.navigation import ROOT, sources
from toolchain.paths import BUILD, NODE_MODULES, SPHINX

HERE = Path(__file__).parent
SITE = BUILD / "site"
STAGED = BUILD / "site-source"
MERMAID = NODE_MODULES / "@mermaid-js" / "tiny"

_IMAGES = (".png", ".svg")


def main() -> int:
    shutil.rmtree(SITE, ignore_errors=True)
    _stage()
    built = subprocess.run(
        (
            *(SPHINX / "bin" / "python", "-m", "sphinx", "--builder", "html", "--quiet"),
            *("--fail-on-warning", "--keep-going", "--fresh-env"),
            *("--conf-dir", HERE, "--doctree-dir", BUILD / "site-doctrees", STAGED, SITE),
        ),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    if built.returncode != 0:
        print("The site is not built: Sphinx says above which page is wrong, and what.")
        return 1
    library = SITE / "_static" / "mermaid"
    library.mkdir()
    for file in (MERMAID / "dist" / "mermaid.tiny.js", MERMAID / "LICENSE"):
        shutil.copy(file, library)
    print(f"The site is built. Open {(SITE / 'index.html').relative_to(ROOT)} in a browser.")
    return 0


def _stage() -> None:
    """The pages as they lie in the project, below a first page: Sphinx wants one folder of them."""
    shutil.rmtree(STAGED, ignore_errors=True)
    STAGED.mkdir(parents=True)
    shutil.copy(HERE / "index.md", STAGED)
    docs = ROOT / "docs"
    images = (path for path in docs.rglob("*") if path.suffix in _IMAGES)
    for file in (*sources(), *images):
        place = STAGED / file.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)


if __name__ == "__main__":
    sys.exit(main())
