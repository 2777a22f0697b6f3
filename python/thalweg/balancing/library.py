# SPDX-License-Identifier: BSD-3-Clause
"""The C interface of balancers (include/thalweg/balance.h) as Python calls it."""

import ctypes
from typing import Any

from thalweg import prototypes
from thalweg.enumerations import BalanceScheme, BalanceSpread
from thalweg.libraries import balance_library
from thalweg.runtime_library import RuntimeLibrary, RuntimeLibraryError, load_for
from thalweg.structures import HEADER_VERSION, BalancerOptions

SCHEMES = {one.name.lower(): one.value for one in BalanceScheme}
SPREADS = {one.name.lower(): one.value for one in BalanceSpread}


class BalanceError(RuntimeLibraryError):
    """What went wrong in a call of a balancer: the whole line for people, and its parts."""


class BalanceLibrary(RuntimeLibrary):
    """The library with its functions declared."""

    error = BalanceError

    def __init__(self, path: str, communicator: type[ctypes.c_int | ctypes.c_void_p]) -> None:
        """Load the library; `communicator` is what MPI_Comm is."""
        super().__init__(path, communicator)
        self.declare(prototypes.of_request(communicator), prototypes.of_balance(communicator))

    def create(self, communicator: Any, options: BalancerOptions) -> ctypes.c_void_p:
        """Make a balancer of an mpi4py communicator."""
        balancer = ctypes.c_void_p()
        handle = self.handle_of(communicator)
        self.call("balancer_create_for", HEADER_VERSION, handle, ctypes.byref(options), ctypes.byref(balancer))
        return balancer


def library_of(communicator: Any) -> BalanceLibrary:
    """Find the library for the MPI that an mpi4py communicator belongs to."""
    return load_for(communicator, BalanceLibrary, balance_library, "Balancer")
