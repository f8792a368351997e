"""All that is built is said in pyproject.toml; here the readme gets whole addresses,
as an index needs them."""

import re
import tomllib
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).parent


def readme() -> str:
    """README.md, with pictures from the pages and files from the repository,
    at the tag of this version."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pages, source = project["urls"]["Documentation"], project["urls"]["Source"]
    text = (HERE / "README.md").read_text(encoding="utf-8")
    text = text.replace("](book/_static/", f"]({pages}/_static/")
    return re.sub(r"\]\((?!https?:|#)", f"]({source}/blob/v{project['version']}/", text)


setup(long_description=readme(), long_description_content_type="text/markdown")
