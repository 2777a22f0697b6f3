# SPDX-License-Identifier: BSD-3-Clause
"""Schemas of what commands say of places: of ranks, of allocations, and of tasks that move."""

from thalweg.answers.forms import Form, answer_form, listed, maybe, named, number, record, text, whole


def _metrics() -> Form:
    keys = {
        "hop-bytes": number("Bytes times links that they cross."),
        "hops per byte": number(),
        "link": number("Bytes on the busiest link over its capacity."),
        "contention": number("The same in its busiest phase."),
        "time": number("In seconds."),
    }
    return record(**keys)


FORMS = {
    "place map": answer_form(
        "place map",
        "Which rank goes where",
        record(
            machine=text("The network."),
            method=text("That found it."),
            seconds=number("Of the search."),
            slot_of=listed(whole(), "The slot of each rank."),
            node_of=listed(whole(), "The node of each rank."),
            identity=_metrics(),
            placed=_metrics(),
            bounds=named(record(value=number(), reason=text()), "By objective: no placement is below."),
            imbalance=maybe(number("By how much the heaviest slot is above the mean, where ranks share slots.")),
        ),
    ),
    "place advise": answer_form(
        "place advise",
        "Which allocation to ask for",
        record(
            allocations=listed(
                record(
                    shape=text("Sides of a box of switches, or how nodes were chosen."),
                    nodes=whole(),
                    ranks_per_node=whole("At most."),
                    spare=whole("Of the nodes: these need not be used."),
                    seconds=number("Of all communication, predicted."),
                    seconds_in_order=number("The same with ranks in order."),
                    hops_per_byte=number(),
                    link_max=number("Bytes on the busiest link over its capacity, phase by phase."),
                    hottest=text("The busiest link; empty for none."),
                ),
                "The fastest first.",
            )
        ),
    ),
    "balance": answer_form(
        "balance",
        "Who sends how many tasks to whom",
        record(
            ranks=whole(),
            tasks=whole(),
            order=text(),
            scheme=text("That was chosen."),
            reason=text(),
            load_max_before=whole(),
            load_max_after=whole(),
            candidates=listed(
                record(
                    scheme=text(),
                    receives_max=whole("Messages that one rank receives."),
                    tasks_received_max=whole(),
                    sends_max=whole(),
                    tasks_sent_max=whole(),
                    messages=whole(),
                    tasks=whole("That move."),
                    hop_tasks=maybe(number("Tasks times hops, where the network is known.")),
                    exchange_seconds=number(),
                    work_seconds=number(),
                )
            ),
            transfers=listed(listed(whole()), "Sender, receiver and tasks."),
        ),
    ),
}
