"""What an import brings, and what it asks for."""

from conftest import said

HEAVY = {"matplotlib", "ipywidgets", "scipy", "IPython", "opendp", "dask", "distributed", "tqdm"}


def test_importing_the_package_loads_no_heavy_module():
    """Catches an import at the top of a module that only a picture, a bar or the book needs."""
    ask = (
        "; sl.global_sensitivity(sl.SUM, sl.Universe.value_range([0, 1]), size=2, "
        "relation=sl.Change(1))"
    )
    for then, late in (("", HEAVY | {"numpy", "pandas"}), (ask, HEAVY | {"pandas"})):
        script = f"import sys, sensitivity_lab as sl{then}; print(*sys.modules)"
        loaded = {name.split(".")[0] for name in said(script)[0].split()}
        assert ("numpy" in loaded) == bool(then)
        assert not late & loaded


def test_a_picture_without_matplotlib_says_what_to_install():
    """Catches a light installation that fails at import, or with a bare error."""
    _, error = said(
        "import sys; sys.modules['matplotlib'] = None; import sensitivity_lab as sl; sl.plot_sweep"
    )
    needed = "ImportError: plot_sweep needs matplotlib: install 'sensitivity-lab[plot]'"
    assert error.splitlines()[-1] == needed
