# SPDX-License-Identifier: BSD-3-Clause
"""Schemas of what simulations answer."""

from thalweg.answers.forms import Form, answer_form, any_value, flag, listed, maybe, named, number, record, text, whole

_MEAN = record(mean=maybe(number("null where nothing arrived.")), half_width=maybe(number("Of the 95 % interval.")))
_LINK_TIME = record(link=text(), ns=number())
_FINGERPRINT = text("Of all that happened, in hexadecimal digits: the same for the same question.")
_TRACED = {
    "calls": whole("Of a traced program, as what follows."),
    "recorded_seconds": number(),
    "computed_seconds": listed(number(), "Of each rank."),
    "is_cpu_time": flag(),
    "ratio": number("Simulated over traced time."),
    "remarks": listed(text()),
}
_NOTHING = record("Where there is nothing to say.")


def _simulated() -> Form:
    return record(
        "A strategy, a stream or a traced program.",
        optional=tuple(_TRACED),
        subject=text(),
        level=text("How exactly messages are played: loggp, flow or packet."),
        machine=text("The machine file or the network; empty for none."),
        loggops=text("What messages cost where there is no machine."),
        ranks=whole(),
        finish_ns=number("Of the simulated program, as all times but the last."),
        last_rank=whole(),
        why_ns=named(number(), "The parts of the critical path."),
        network=text(),
        path_links=listed(_LINK_TIME, "Links that the path waited for."),
        links=listed(record(link=text(), bytes=number(), busy=number("A part of the time.")), "The most loaded."),
        path_ranks=listed(record(rank=whole(), ns=number())),
        ends_ns=record(min=number(), median=number(), max=number()),
        waiting=number("The part of all ranks' time in which their processors had nothing to do."),
        operations=whole(),
        messages=whole(),
        events=whole(),
        packets=whole(),
        packet_hops=whole(),
        patterns=whole("Different sets of messages whose shares of links were computed."),
        folded=whole("Ranks that stand for others."),
        rounds={
            "anyOf": [
                record(
                    simulated=whole(),
                    total=whole(),
                    round_ns=number(),
                    before_ns=number(),
                    min_ns=number(),
                    are_steady=flag(),
                ),
                _NOTHING,
            ]
        },
        fingerprint=_FINGERPRINT,
        wall_seconds=number("That the simulation took."),
        **_TRACED,
    )


_RECORDED = record(
    "A recorded program: its messages, site by site.",
    subject=text(),
    ranks=whole(),
    recorded_seconds=number(),
    seconds=number("Of all sites, one after the other."),
    level=text(),
    network=text(),
    sites=listed(
        record(
            phase=text(),
            repeats=whole(),
            site=text(),
            messages=whole(),
            bytes=whole(),
            seconds=number(),
            rounds=whole(),
            finish_ns=number(),
            why_ns=named(number()),
            links=listed(record(link=text(), bytes=number())),
            fingerprint=_FINGERPRINT,
        )
    ),
)

FORMS = {
    "simulate program": answer_form("simulate program", "A simulated program", _simulated(), _RECORDED),
    "simulate network": answer_form(
        "simulate network",
        "A simulated network",
        record(
            "Under loads.",
            level=text(),
            topology=text(),
            routing=text(),
            pattern=text(),
            routers=named(any_value("A property of routers.")),
            stable_load=number("The highest load that is carried; 0 for none."),
            accepted_max=_MEAN,
            loads=listed(
                record(
                    load=number("A part of what links carry."),
                    accepted=_MEAN,
                    latency_ns=_MEAN,
                    saturated=flag(),
                    packets=whole(),
                    fingerprint=_FINGERPRINT,
                )
            ),
        ),
        record(
            "Messages of some sizes.",
            level=text(),
            title=text(),
            finish_ns=listed(named(number(), "The size as bytes, and the time of each way.")),
        ),
    ),
}
