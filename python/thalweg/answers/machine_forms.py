# SPDX-License-Identifier: BSD-3-Clause
"""Schemas of what commands say of machines and hosts."""

from thalweg.answers.forms import answer_form, any_value, choice, flag, listed, maybe, number, record, text, whole

_HOST = record(host=text(), node=whole("Its place in the network."))
_FIGURE = record(value=number("The median."), low=number("A tenth."), high=number("Nine tenths."))
_COSTS = record(
    bytes_max=maybe(whole("null: any size.")),
    latency_s=_FIGURE,
    send_s=_FIGURE,
    send_s_per_byte=_FIGURE,
    receive_s=_FIGURE,
    receive_s_per_byte=_FIGURE,
    overlapped_s=_FIGURE,
    overlapped_s_per_byte=_FIGURE,
    gap_s=_FIGURE,
    gap_s_per_byte=_FIGURE,
    unexpected_s=_FIGURE,
    unexpected_s_per_byte=_FIGURE,
    two_way=_FIGURE,
    shared=_FIGURE,
    trip_two_way=_FIGURE,
    trip_shared=_FIGURE,
    trip_shared_two_way=_FIGURE,
    overlapped_shared_s=_FIGURE,
    overlapped_shared_s_per_byte=_FIGURE,
)

FORMS = {
    "doctor": answer_form(
        "doctor",
        "What works on a host",
        record(
            findings=listed(
                record(
                    state=choice("ok", "none", "warn", "fail"),
                    subject=text(),
                    text=text(),
                    remedy=text("Empty where nothing is to be done."),
                )
            )
        ),
    ),
    "machine probe": answer_form(
        "machine probe",
        "What messages, copies and sums cost",
        record(
            machine_file=text("Where the figures were written."),
            title=text(),
            mpi=text(),
            transport=text(),
            date=text(),
            cores=whole(),
            ranks=whole(),
            job_nodes=whole(),
            network=text("Empty where it is not known."),
            hosts=listed(_HOST),
            levels=listed(
                record(
                    level=text("How far apart ranks are."),
                    burst_bytes=number("That a sender may have under way for nothing."),
                    pairs=whole("That sent at once."),
                    samples=whole(),
                    outliers=whole(),
                    worst=number("Times the median."),
                    round_trip_s=_FIGURE,
                    per_posted_s=_FIGURE,
                    hops=whole("Between the nodes of the pair that was measured; 0: not known."),
                    hop_s=_FIGURE,
                    hop_s_per_byte=_FIGURE,
                    ranges=listed(_COSTS, "By size of messages; factors but where times are named."),
                )
            ),
            memory=listed(
                record(bytes_max=maybe(whole("null: any size.")), copy_s_per_byte=_FIGURE, combine_s_per_byte=_FIGURE)
            ),
            switch_core_s=_FIGURE,
            distances=record(
                looks=whole("How often each pair of cores was measured."),
                changes=whole("Pairs whose distance was not the same each time."),
                classes=listed(
                    record(
                        round_trip_s=_FIGURE,
                        write_s_per_byte=_FIGURE,
                        read_s_per_byte=_FIGURE,
                        groups=listed(listed(whole()), "Cores within which it holds, but for nearer ones."),
                    ),
                    "Nearest first.",
                ),
            ),
        ),
    ),
    "machine show": answer_form(
        "machine show",
        "A network",
        record(
            network=text(),
            kind=text("What it was read from."),
            nodes=whole(),
            rank_nodes=whole("That take ranks."),
            switches=whole("0: the nodes themselves."),
            links=whole("Each one way; of large networks at most so many."),
            diameter=whole("In hops."),
            mean_hops=number(),
            bisection=number("Links each way; 0 where it is not known."),
            spreads=flag("Routes are spread over several ways."),
            hops_from_first=listed(record(hops=whole(), nodes=whole()), "How many nodes are how far from node 0."),
            hosts=listed(_HOST, "Of --nodes."),
            remarks=listed(text()),
        ),
    ),
    "machine check": answer_form(
        "machine check",
        "Where an MPI library contradicts itself",
        record(
            mpi=text(),
            ranks=whole(),
            nodes=whole(),
            guidelines=whole("That were checked."),
            violations=listed(
                record(
                    call=text(),
                    bytes=whole("Of a unit."),
                    seconds=number(),
                    instead=text("What achieves as much."),
                    instead_seconds=number(),
                    use=text("What Thalweg runs there."),
                    use_seconds=maybe(number()),
                ),
                "The worst first.",
            ),
        ),
    ),
    "nic check": answer_form(
        "nic check",
        "Whether a host can run collectives on its network device",
        record(findings=listed(record(is_good=flag(), text=text()))),
    ),
    "nic status": answer_form(
        "nic status",
        "What a host's agent serves",
        record(
            address=text(),
            hook=text(),
            aggregator=text("Empty, self, or the address of the one above."),
            starts=whole(),
            ups=whole("Packets up."),
            downs=whole("Packets down."),
            refused=whole(),
            held_back=whole(),
            operators=listed(any_value("An operator of users, as the agent says it.")),
            groups=listed(any_value("A group of ranks, as the agent says it.")),
        ),
    ),
}
