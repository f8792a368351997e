"""Numbers: exact ones, how far apart two answers lie, how both are written, and what goes wrong."""

# fmt: off
from sensitivity_lab.numbers.exact import (
    Exact as Exact, brief as brief, by_name as by_name, exact_number as exact_number,
    is_finite as is_finite, is_real as is_real, is_sequence as is_sequence,
    proper_norm as proper_norm, rounded_root_gap as rounded_root_gap, sequence as sequence,
    simplest as simplest, whole_number as whole_number,
)
from sensitivity_lab.numbers.gap import (
    Gap as Gap, Labelled as Labelled, are_near as are_near, by_key as by_key,
    gap_between as gap_between, sorted_labels as sorted_labels,
)
from sensitivity_lab.numbers.text import (
    cell_text as cell_text, counted as counted, dataset_text as dataset_text,
    fields_repr as fields_repr, number_text as number_text, true_minus as true_minus,
    value_text as value_text,
)
# fmt: on
