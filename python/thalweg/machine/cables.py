# SPDX-License-Identifier: BSD-3-Clause
"""Nodes' own links to their switches."""

from thalweg import _core


def cabled(name: str, nodes: int) -> str:
    """Name a network whose nodes have cables to switches, also on meshes and tori; as labs are built."""
    known = _core.Interconnect(name, nodes)
    shape, comma, options = known.name.partition(",")
    return known.name if known.vertices > known.nodes else f"{shape}*1{comma}{options}"
