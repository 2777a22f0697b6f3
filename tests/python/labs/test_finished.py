# SPDX-License-Identifier: BSD-3-Clause
import sys

import pytest

from thalweg.errors import ThalwegError
from thalweg_labs.bench.finished import finished


def test_what_a_job_prints() -> None:
    program = "import os; print(os.environ['ONE'], 'PATH' in os.environ)"
    assert finished([sys.executable, "-c", program], 60, {"ONE": "1"}) == "1 True\n"


@pytest.mark.parametrize(
    ("program", "limit_s", "message"),
    [
        ("import time; time.sleep(60)", 0.2, "did not end within 0.2 s"),
        ("import sys; sys.exit('no such thing')", 60, "ended with status 1\nno such thing"),
    ],
)
def test_what_ends_otherwise(program: str, limit_s: float, message: str) -> None:
    with pytest.raises(ThalwegError, match=message) as raised:
        finished([sys.executable, "-c", program], limit_s, remedy="try another one")
    assert raised.value.remedy == "try another one"
