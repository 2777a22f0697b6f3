# SPDX-License-Identifier: BSD-3-Clause
"""The schemas of all answers, by the command that gives them."""

from thalweg.answers import machine_forms, place_forms, run_forms, simulation_forms, strategy_forms
from thalweg.answers.forms import Form

SCHEMAS: dict[str, Form] = (
    strategy_forms.FORMS | machine_forms.FORMS | run_forms.FORMS | place_forms.FORMS | simulation_forms.FORMS
)
