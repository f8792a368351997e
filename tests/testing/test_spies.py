"""What a library hands to its samplers: OpenDP as it is installed, diffprivlib by a small stand-in."""

import abc
import math
import sys
from types import ModuleType

import numpy as np
import opendp.measurements
import opendp.prelude as dp
import pytest

import sensitivity_lab as sl
from sensitivity_lab.testing import Claimed, assert_sensitivity, claims_of, spied

dp.enable_features("contrib", "honest-but-curious")

THREE = sl.Universe.value_range([0, 1, 3])
FLOATS = sl.Universe.value_range([0.0, 1.5, 3.0])


def ints(low=0, high=3, size=None):
    domain = dp.vector_domain(dp.atom_domain(bounds=(low, high), T=int), size)
    return domain, dp.symmetric_distance()


def noisy_sum(dataset, noise=None, records=None):
    noise = noise or dp.m.then_laplace(scale=0.5)
    return ((records or ints()) >> dp.t.then_sum() >> noise)(list(dataset))


MADE_BEFORE = ints() >> dp.t.then_sum() >> dp.m.then_laplace(scale=0.5)


# --- OpenDP ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("noise", "kind"),
    [
        (lambda: dp.m.then_laplace(scale=0.5), "laplace"),
        (lambda: dp.m.then_laplace(0.5), "laplace"),
        (lambda: dp.m.then_geometric(scale=0.5), "geometric"),
        (lambda: dp.m.then_geometric(scale=7.0, bounds=(0, 9)), "geometric"),
        (lambda: dp.m.then_gaussian(scale=0.5), "gaussian"),
        (lambda: dp.m.then_noise(dp.max_divergence(), scale=2.0), "noise"),
        (lambda: dp.m.then_noise(dp.zero_concentrated_divergence(), scale=2.0), "noise"),
    ],
)
@pytest.mark.parametrize("d_in", [1, 2, 5])
def test_opendp_claims_what_its_transformation_says(noise, kind, d_in):
    """Catches a formula of another noise: the map of the sum alone is the second route."""
    ((mechanism, sensitivity, value),) = claims_of(lambda: noisy_sum([1, 3], noise()), d_in=d_in)
    assert mechanism == f"OpenDP {kind}"
    assert sensitivity == pytest.approx((ints() >> dp.t.then_sum()).map(d_in), rel=1e-12)
    assert value == 4


def test_noise_and_maps_are_as_ever_inside_and_after_a_call():
    """Catches a spy that leaves a library without noise, or shows a caller an infinite loss."""
    before = opendp.measurements.make_laplace

    def release():
        measurement = ints() >> dp.t.then_sum() >> dp.m.then_laplace(scale=6.0)
        assert measurement.map(2) == 1.0
        assert measurement.check(2, 1.0)
        with pytest.raises(ZeroDivisionError):
            claims_of(lambda: noisy_sum([1]) / 0)
        return measurement([3])

    claims_of(release)
    assert opendp.measurements.make_laplace is before
    drawn = {noisy_sum([1, 3], dp.m.then_laplace(scale=100.0)) for _ in range(50)}
    assert len(drawn) > 10


def test_what_comes_after_the_noise_is_no_part_of_the_value():
    """Catches a value that the library's own rounding has changed, or a call that gets no answer."""
    answers = []

    def release():
        rounded = ints() >> dp.t.then_sum() >> dp.m.then_laplace(scale=0.5) >> (lambda x: -10 * x)
        answers.append(rounded([1, 3]))

    assert claims_of(release) == (Claimed("OpenDP laplace", 3.0, 4),)
    assert answers == [-40]


def test_a_measurement_may_stand_before_another_transformation():
    """Catches a chain that forgets its noise when it is made from the right."""

    def release():
        noisy = dp.t.make_sum(*ints()) >> dp.m.then_laplace(scale=0.5)
        return (
            dp.t.make_clamp(dp.vector_domain(dp.atom_domain(T=int)), ints()[1], (0, 3)) >> noisy
        )([9, 1])

    assert claims_of(release) == (Claimed("OpenDP laplace", 3.0, 4),)


def test_vectors_and_several_measurements_are_told_apart():
    """Catches a claim of one sampler with the value of another."""

    def release():
        counts = dp.t.then_count_by_categories([0, 1], null_category=False)
        vector = (dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()) >> counts
        (vector >> dp.m.then_laplace(scale=3.0))([0, 1, 1])
        noisy_sum([1, 3])

    assert [claim.value for claim in claims_of(release)] == [[1, 2], 4]
    with pytest.raises(ValueError, match=r"2 samplers were asked .*: say which="):
        assert_spied(lambda dataset: release(), THREE, sizes=1, relations=[sl.Add(1)])


def assert_spied(run, universe, *, which=None, **question):
    function, claim = spied(run, universe, which=which)
    return assert_sensitivity(function, claim, universe, **question)


def test_opendp_holds_without_a_number_that_is_typed():
    """Catches a pair that `assert_sensitivity` cannot use, for one record or two."""
    relations = [sl.SymmetricDifference(1), sl.SymmetricDifference(2)]
    held = assert_spied(noisy_sum, THREE, sizes_within=range(4), relations=relations)
    assert held.headline == "exact"
    assert held.function == "noisy_sum"


def test_a_claim_of_opendp_that_is_too_small_fails():
    """Catches a spy that believes what it is told: the caller doubles records that have bounds."""

    def release(dataset):
        total = dp.t.make_sum(*ints())
        with_scale = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), 1.0)
        return (total >> with_scale)([2 * value for value in dataset])

    with pytest.raises(AssertionError, match="claimed 3, exact 6"):
        assert_spied(release, THREE, sizes_within=range(3), relations=[sl.Add(1)])


def test_gaussian_noise_for_means_of_floats():
    """Catches a claim that is rounded down, where OpenDP allows for the rounding of floats."""

    def release(dataset):
        domain = dp.vector_domain(dp.atom_domain(bounds=(0.0, 3.0), nan=False), len(dataset))
        mean = (domain, dp.symmetric_distance()) >> dp.t.then_mean()
        return (mean >> dp.m.then_gaussian(scale=1.0))([float(value) for value in dataset])

    function, claim = spied(release, FLOATS)
    # one change is two records in OpenDP's symmetric distance
    held = assert_sensitivity(
        function, lambda size: claim(k=2, size=size), FLOATS, sizes=[2, 3], relations=[sl.Change(1)]
    )
    assert held.headline == "exact"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: 3,
            "call used no sampler that is known: the mechanisms of diffprivlib, and OpenDP",
        ),
        (
            lambda: MADE_BEFORE([1]),
            "make it in the call",
        ),
        (lambda: dp.m.make_randomized_response_bool(0.75)(True), "make it in the call, by one of"),
        (
            lambda: dp.c.make_composition(
                [ints() >> dp.t.then_sum() >> dp.m.then_laplace(1.0) for _ in range(2)]
            )([1]),
            "without composition",
        ),
    ],
)
def test_what_is_not_known_is_named(call, words):
    """Catches a claim that is made up for a sampler whose noise nobody has seen."""
    with pytest.raises(LookupError, match=words):
        claims_of(call)


def test_bad_input_is_refused():
    """Catches a spy that fails in the middle of somebody's test, far from the mistake."""
    with pytest.raises(TypeError, match="call must be a function of no arguments"):
        claims_of(noisy_sum([1]))
    with pytest.raises(TypeError, match="run must be a function of a dataset"):
        spied(3, THREE)
    with pytest.raises(TypeError, match="universe must be a Universe"):
        spied(noisy_sum, [0, 1])
    with pytest.raises(ValueError, match="which must be"):
        spied(noisy_sum, THREE, which=-1)


# --- diffprivlib, of which only the shape is here: its own tools are asked by the case files --------


class DPMechanism(abc.ABC):
    """As diffprivlib's: a mechanism is made with a sensitivity, and randomises values."""

    def __init__(self, sensitivity=None, utility=None, candidates=None):
        if sensitivity is not None:
            self.sensitivity = sensitivity
        if utility is not None:
            self.utility, self.candidates = utility, candidates

    @abc.abstractmethod
    def randomise(self, value):
        """Randomise a value."""


class Laplace(DPMechanism):
    def randomise(self, value):
        return value + np.random.default_rng().laplace()


class LaplaceTruncated(Laplace):
    def randomise(self, value):
        return super().randomise(value)


class Folded(LaplaceTruncated):
    """It randomises as what it comes from."""


class Exponential(DPMechanism):
    def randomise(self, value=None):
        return 0


class Vector(DPMechanism):
    def randomise(self, value):
        return value


@pytest.fixture
def diffprivlib(monkeypatch):
    """A module of diffprivlib's shape."""
    base = ModuleType("diffprivlib.mechanisms.base")
    base.DPMechanism = DPMechanism
    for name in ("diffprivlib", "diffprivlib.mechanisms"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, base.__name__, base)


def mean_of(dataset, kind=LaplaceTruncated):
    return kind(np.float64(3 / len(dataset))).randomise(np.float64(sum(dataset) / len(dataset)))


@pytest.mark.usefixtures("diffprivlib")
class TestDiffprivlib:
    @pytest.mark.parametrize("kind", [Laplace, LaplaceTruncated, Folded])
    def test_a_mechanism_gives_its_value_back(self, kind):
        """Catches a subclass that is not watched, one that is seen twice, and numbers of numpy."""
        answers = []
        (claim,) = claims_of(lambda: answers.append(mean_of([0, 3], kind)))
        assert claim == Claimed(f"diffprivlib {kind.__name__}", 1.5, 1.5)
        assert (type(claim.sensitivity), type(claim.value)) == (float, float)
        assert answers == [1.5]
        assert isinstance(Laplace(1).randomise(0), float)
        assert Laplace(1).randomise(0) != 0

    def test_values_of_one_mechanism_are_together(self):
        """Catches a histogram whose bins are held to the claim one by one."""

        def histogram(dataset):
            noise = Laplace(1)
            return [noise.randomise(list(dataset).count(key)) for key in (0, 3)]

        ends = sl.Universe.value_range([0, 3])
        assert claims_of(lambda: histogram([0, 3, 3])) == (
            Claimed("diffprivlib Laplace", 1, (1, 2)),
        )
        added = assert_spied(histogram, ends, sizes_within=range(4), relations=[sl.AddRemove(1)])
        assert added.headline == "exact"
        with pytest.raises(AssertionError, match="too small by ×2, claimed 1, exact 2"):
            assert_spied(histogram, ends, sizes=2, relations=[sl.Change(1)])

    def test_two_mechanisms_are_two_claims(self):
        """Catches a mechanism that is taken for one that is gone, because it stands in its place."""

        def release(dataset):
            Laplace(1).randomise(len(dataset))
            Laplace(3).randomise(sum(dataset))

        assert [claim[1:] for claim in claims_of(lambda: release([0, 3]))] == [(1, 2), (3, 3)]
        held = assert_spied(release, THREE, which=1, sizes_within=range(3), relations=[sl.Add(1)])
        assert held.headline == "exact"

    def test_an_exponential_mechanism_is_asked_for_its_utilities(self):
        """Catches a choice that is taken for the value, and one that is left to chance."""
        chosen = []

        def quantile(candidates):
            chosen.append(Exponential(1, [-1, 0, -2], candidates).randomise())

        (claim,) = claims_of(lambda: quantile(["low", "mid", "high"]))
        assert claim == Claimed("diffprivlib Exponential", 1, (-1, 0, -2))
        claims_of(lambda: quantile(None))
        assert chosen == ["mid", 1]

    def test_the_claim_is_a_function_of_the_size(self):
        """Catches a claim that is read once, at one size."""
        held = assert_spied(mean_of, THREE, sizes=[1, 2, 3], relations=[sl.Change(1)])
        assert [row.claimed for row in held.rows] == [3, 1.5, 1]
        assert held.headline == "exact"

    def test_a_sensitivity_that_depends_on_the_data_is_refused(self):
        """Catches noise that tells of the data, held to whichever number came first."""

        def spread(dataset):
            return Laplace(max(dataset) - min(dataset)).randomise(sum(dataset))

        with pytest.raises(
            ValueError, match="one sensitivity for all datasets of size 2, got 0 and"
        ):
            assert_spied(spread, THREE, sizes=2, relations=[sl.Change(1)])

    def test_what_states_nothing_is_refused(self):
        """Catches a claim for two records, or of a mechanism that has no such number."""
        with pytest.raises(ValueError, match="states its sensitivity for neighbours, k=1, got 2"):
            assert_spied(mean_of, THREE, sizes=2, relations=[sl.Change(2)])
        with pytest.raises(LookupError, match="Vector states no sensitivity"):
            claims_of(lambda: Vector().randomise(math.pi))

    def test_missing_records_reach_the_library(self):
        """Catches a universe with None that no library can be asked about."""
        some = sl.Universe.value_range([0, 3, None])

        def total(dataset):
            return Laplace(3).randomise(sum(value or 0 for value in dataset))

        held = assert_spied(total, some, sizes=2, relations=[sl.Change(1)])
        assert held.headline == "exact"
