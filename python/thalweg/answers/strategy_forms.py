# SPDX-License-Identifier: BSD-3-Clause
"""Schemas of what commands say of strategies and settings."""

from thalweg.answers.forms import answer_form, any_value, choice, flag, listed, maybe, number, record, text, whole

_PARAMETER = record(
    name=text(),
    kind=text("What its values are: sizes, numbers, or one of some choices."),
    default=text("As it is given in a selection."),
    min=text(),
    max=text(),
    choices=listed(text()),
    description=text(),
)
_STRATEGY = record(
    operation=text(),
    name=text(),
    summary=text(),
    wins_when=text(),
    source=text("The paper that it is from."),
    promises=listed(choice("keeps_rank_order", "unequal_blocks", "in_place", "uses_nodes"), "What it supports."),
    parameters=listed(_PARAMETER),
)
_PROOF = record(
    "What the verifier found.",
    faults=listed(text()),
    messages=whole(),
    blocks_moved=whole(),
    in_rank_order=flag("Operands are combined in rank order."),
    same_on_all_ranks=flag("The result is the same on all ranks, bit for bit."),
    unequal_blocks=flag("Blocks may have unequal sizes."),
)

FORMS = {
    "config": answer_form(
        "config",
        "Settings in effect",
        record(
            settings=listed(
                record(
                    setting=text("Its name; of settings with several values, name.operation."),
                    value=any_value("A text, a number, true or false; null where nothing is set."),
                    origin=text("The flag, variable or file that it comes from."),
                )
            )
        ),
    ),
    "strategies list": answer_form("strategies list", "Strategies", record(strategies=listed(_STRATEGY))),
    "strategies show": answer_form(
        "strategies show",
        "A strategy's schedule",
        record(
            operation=text(),
            strategy=text(),
            problem=text("The problem in words."),
            ranks=whole(),
            root=whole(),
            ranks_per_node=whole("0: all on one node."),
            unit_bytes=whole(),
            schedules=listed(record(rank=whole(), steps=listed(text("A line of the schedule's language.")))),
            proof=_PROOF,
        ),
    ),
    "strategies verify": answer_form(
        "strategies verify",
        "Proofs of strategies",
        record(
            strategies=whole("That were proven."),
            ranks=listed(whole(), "The numbers of ranks."),
            problems=whole(),
            faults=listed(text()),
            seconds=number(),
        ),
    ),
    "tune explain": answer_form(
        "tune explain",
        "What runs, and why",
        record(
            "A call on a communicator.",
            kind={"const": "call"},
            call=text(),
            bytes=whole("Of a unit."),
            degree=number("To how many others a rank has something; 0: to all."),
            ranks=whole(),
            nodes=whole(),
            machine=text("Whose figures the predictions stand on."),
            machine_file=text("Empty for the built-in figures."),
            candidates=listed(
                record(
                    candidate=text("As --use takes it."),
                    predicted_s=number(),
                    is_bound=flag("The time is at least so long."),
                    cpu_s=number("Of processor time a rank."),
                    measured_s=maybe(number()),
                ),
                "In the model's order.",
            ),
            native_s=maybe(number("What the library's own takes, where it was measured.")),
            pick=text("What runs."),
            reason=text(),
        ),
        record(
            "A finished run.",
            kind={"const": "report"},
            report=text("The file."),
            command=listed(text()),
            mpi=text(),
            tuning=text("The tuning file's part in that run."),
            machine=text(),
            machine_file=text(),
            calls=listed(
                record(
                    call=text(),
                    where=text("File and line."),
                    bytes=number("Of a unit, in the mean."),
                    ranks=whole("Of the communicator."),
                    calls=whole("Of all ranks."),
                    ran=listed(record(strategy=text(), calls=whole())),
                    time_ns=number("Sum over ranks; of nonblocking calls what they exposed."),
                    share=number("Of all ranks' time."),
                    hidden=maybe(number("Part of nonblocking calls' time beside the program's work; null of others.")),
                    would_hide=maybe(number("The same of the pick, as it was tuned; null where it was not.")),
                    would_run=text("In a run of now."),
                    gain=maybe(number("Part of the run that it would save.")),
                    gain_max=maybe(number("Part of the run that tuning may save at most; null where it cannot.")),
                    why=text(),
                ),
                "The longest first.",
            ),
            gain_max=number("Part of the run that tuning may save at most."),
            next=listed(text(), "Commands that help."),
        ),
        record(
            "Where ranks would be placed.",
            kind={"const": "placing"},
            placings=listed(
                record(
                    pattern=text("The recorded file."),
                    command=text(),
                    ranks=whole(),
                    run_s=number("That the recorded run took."),
                    phases=whole(),
                    bytes=number(),
                    findings=listed(text()),
                )
            ),
        ),
    ),
}
