"""diffprivlib 0.6.6: a regression's x·x has noise for 0; x is from 0 to 100, and one is changed."""
# pip install 'diffprivlib==0.6.6' 'scikit-learn<1.9'

from diffprivlib.mechanisms import Laplace, LaplaceFolded
from diffprivlib.models import LinearRegression

DATASETS = [[0], [100]]  # values of x, whose y is always 1; one record is changed
handed = []  # what goes to the noise: a sensitivity, and a number to randomise


def randomise(mechanism, number):
    handed.append((mechanism.sensitivity, number))
    return number


def answer(dataset):
    Laplace.randomise = LaplaceFolded.randomise = randomise
    model = LinearRegression(bounds_X=(0, 100), bounds_y=(0, 1), fit_intercept=False)
    model.fit([[x] for x in dataset], [1] * len(dataset))
    return float(handed[-1][1])  # of y·y, x·y and x·x, the last


def claim():
    answer(DATASETS[0])
    return float(handed[-1][0])


if __name__ == "__main__":
    x, y = map(answer, DATASETS)
    print(f"claimed {claim()}, answers {x} and {y}, distance {abs(x - y)}")
