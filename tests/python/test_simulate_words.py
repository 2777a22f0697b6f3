# SPDX-License-Identifier: BSD-3-Clause
"""What simulations are told in words, damaged: they answer, or refuse with a remedy; nothing else happens."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support import examples
from thalweg.cli import application
from thalweg.errors import ThalwegError

NETWORK = ("network", "--packets", "40", "--workers", "1", "--network")
PROGRAM = ("allreduce", "ring", "-n", "4", "--machine")
QUESTIONS = (
    (*NETWORK, "star:4", "--load", "0.2..0.4:0.1", "--multicast", "fanout=2,sets=1"),
    (*NETWORK, "tree:2^2", "--load", "0.2,0.5", "--pattern", "shift:1", "--router", "buffers=2"),
    (*NETWORK, "tree:2^2", "--reduce", "groups=1,units=2", "--bytes", "8,64"),
    (*NETWORK, "torus:3x3", "--routing", "ugal", "--pattern", "exchange:1", "--load", "0.1"),
    ("stream", "--shape", "2x2", "--items", "3", "--bytes", "8", "--buffer-bytes", "64"),
    (*PROGRAM, "mesh:2x3", "--loggops", "25,15,10,0.6,0,65", "--without", "1,2", "--link-bandwidth", "1GB/s"),
    (*PROGRAM, "star:6", "--noise", "random:1000,25,7", "--cores", "1", "--ranks-per-node", "2"),
    (*PROGRAM, "hypercube:3", "--level", "packet", "--router", "buffers=2", "--router", "credit_rule=link"),
    ("alltoall", "bruck", "-n", "5", "--param", "radix=2", "--bytes", "1KiB", "--ties", "order", "--root", "0"),
)


@given(data=st.data())
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_words_are_answered_or_refused(data: st.DataObject, capsys: pytest.CaptureFixture[str]) -> None:
    words = list(data.draw(st.sampled_from(QUESTIONS)))
    place = data.draw(st.sampled_from([i for i, word in enumerate(words) if i and words[i - 1].startswith("-")]))
    for _ in range(data.draw(st.integers(1, 3))):
        word = words[place]
        at = data.draw(st.integers(0, max(0, len(word) - 1)))
        # A digit takes a place that was there: no number gets longer, so what is asked stays small.
        put = data.draw(st.one_of(st.text(alphabet=".,:=x-+e²_ n\té", max_size=2), st.sampled_from("0129")))
        words[place] = word[:at] + put + word[at + 1 :]
    try:
        application(["simulate", *words])
        assert capsys.readouterr().out
    except ThalwegError as error:
        assert str(error)
