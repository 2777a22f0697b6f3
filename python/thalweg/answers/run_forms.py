# SPDX-License-Identifier: BSD-3-Clause
"""Schemas of what commands say of runs: one, two beside each other, and all of a center."""

from thalweg.answers.forms import (
    answer_form,
    any_value,
    flag,
    listed,
    maybe,
    named,
    number,
    record,
    text,
    whole,
)

_PAIR = record(
    name=text(),
    before_ns=maybe(number("null where a run has no such calls.")),
    after_ns=maybe(number()),
    factor=maybe(number("By how much the second run is faster.")),
)
_LOSS = {
    "jobs": whole(),
    "rank_ns": number("Of all ranks' time, as all times here."),
    "mpi_ns": number(),
    "waiting_ns": number("For late ranks."),
    "untuned_ns": number("In collectives that the MPI library ran, without waiting."),
}
_RUN = record(
    wall_s=number(), cpu_s=number(), memory_bytes=whole("Of the largest process; the largest run's beside medians.")
)

FORMS = {
    "try": answer_form(
        "try",
        "A program natively and under Thalweg, in turns",
        record(
            command=listed(text()),
            pairs=listed(record(native=_RUN, thalweg=_RUN), "In their order."),
            median=record(native=_RUN, thalweg=_RUN),
            wall=record(
                factor=number("Times as fast under Thalweg."),
                is_sure=flag("A rank-sum test is sure of a difference."),
                said=text(),
            ),
            start_s=number("That thalweg run takes before it starts the job."),
            reasons=listed(text()),
            outputs=record(are_equal=flag(), said=text(), missing=listed(text("A line of the native runs."))),
            report=text("That was kept; empty for none."),
        ),
    ),
    "compare": answer_form(
        "compare",
        "Two runs beside each other",
        record(
            before=text("The report's file."),
            after=text(),
            slower=number("By how much the second run's wall time is longer: 0.1 is a tenth."),
            whole=listed(_PAIR, "Wall time, time in MPI and waiting; means of ranks."),
            sites=listed(_PAIR, "Call sites: the largest difference first."),
            remarks=listed(text(), "Where the runs are not of one kind."),
        ),
    ),
    "site": answer_form(
        "site",
        "Where the jobs of a center lose time",
        record(
            **_LOSS,
            not_ended_by_finalize=whole("Jobs."),
            users=listed(record(user=text(), **_LOSS)),
            programs=listed(record(program=text(), **_LOSS)),
            calls=listed(record(program=text(), source=text(), function=text(), **_LOSS)),
            unread=listed(text(), "Files that are no logs of jobs."),
        ),
    ),
    "top": answer_form(
        "top",
        "Running jobs",
        record(
            jobs=listed(record(pid=whole(), report=named(any_value("A key of reports."), "See thalweg schema report.")))
        ),
    ),
}
