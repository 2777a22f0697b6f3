# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of objects for programs with mpi4py and numpy: elements call each other wherever they are, wait, and move.

What arrays promise is in docs/objects.md.
"""

from thalweg.objects.array import Array, checkpoint, restore
from thalweg.objects.association import Association
from thalweg.objects.calls import Section
from thalweg.objects.element import Element, Future, Inbox
from thalweg.objects.library import FenceOutcome, ObjectsError

__all__ = [
    "Array",
    "Association",
    "Element",
    "FenceOutcome",
    "Future",
    "Inbox",
    "ObjectsError",
    "Section",
    "checkpoint",
    "restore",
]
