"""One call in sparsek and in a running R."""

from collections.abc import Mapping
from typing import Any

import pytest

from r_reference.bridge import available, run_case
from validation.parity.cases import compare_outcomes
from validation.parity.outcome import call_ours


def differences(function: str, package: str, args: Mapping[str, Any]) -> str:
    """What differs between sparsek and R, values, messages and stream; nothing where all is equal.

    The test is skipped without R or the package.
    """
    found, reason = available(package)
    if not found:
        pytest.skip(reason)
    case = {"id": function, "function": function, "package": package}
    case |= {"seed": 1, "sample_kind": "Rejection", "before": 0}
    return compare_outcomes(case, "live", call_ours(case, args), run_case(case, args)).message
