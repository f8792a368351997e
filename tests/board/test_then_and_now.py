"""Then and now: the long sums, which no checker builds, by arithmetic."""

from fractions import Fraction

from sensitivity_board.cases import sums_asked as asked


def test_the_long_sums_move_as_the_paper_says():
    """Catches a long dataset that is not the one it is said to be.

    With m ones, each of the m/2 pairs that follow adds the spacing at m, m/2⁵², and with one fewer
    none does: the gap is 1 + m²/2⁵³.
    """
    for name, m in (("pydp", 2**27), ("pipelinedp_sums", 2**17), ("smartnoise_sums", 2**19)):
        (tool,) = [one for one in asked.watched(name) if "(-1.0, 1.0)" in one.setting]
        x, y = tool.answers
        assert [asked.size_of(side) for side in (x, y)] == [2 * m, 2 * m - 1]
        assert x[0] == ((1.0,), m)
        up, down = x[1][0]
        spacing = Fraction(m, 2**52)
        assert (Fraction(up) + Fraction(down), x[1]) == (spacing / 2**51, y[1])
        assert 0 < up - spacing / 2 < spacing / 1000
        assert Fraction(tool.answers[x]) - Fraction(tool.answers[y]) == 1 + Fraction(m**2, 2**53)
    (numpys,) = [one for one in asked.watched("diffprivlib_sums") if "(-1.0" in one.setting]
    assert asked.exact_gap(*numpys.answers.values()) == 1  # it adds in pairs, and holds
