"""A ring of Hodgkin-Huxley cells for NEURON.

A spike reaches the next cell 1 ms later, and so all ranks gather spikes every 1 ms of the model.
"""

import sys

from neuron import h  # type: ignore[import-not-found]  # comes from PyPI into a folder of its own

CELLS = 32
STOP_MS = float(sys.argv[-1])

h.nrnmpi_init()
h.load_file("stdrun.hoc")
context = h.ParallelContext()
rank, ranks = int(context.id()), int(context.nhost())

cells = {}
for number in range(rank, CELLS, ranks):
    soma = h.Section(name=f"soma{number}")
    soma.L = soma.diam = 20
    soma.insert("hh")
    synapse = h.ExpSyn(soma(0.5))
    synapse.tau = 2
    context.set_gid2node(number, rank)
    spikes_out = h.NetCon(soma(0.5)._ref_v, None, sec=soma)  # noqa: SLF001 - NEURON's way to name a variable
    context.cell(number, spikes_out)
    cells[number] = (soma, synapse, spikes_out)

kept = []
for number, (_, synapse, _) in cells.items():
    connection = context.gid_connect((number - 1) % CELLS, synapse)
    connection.weight[0], connection.delay = 0.05, 1
    kept.append(connection)
    if number % 8 == 0:
        stimulus = h.NetStim()
        stimulus.number, stimulus.start = 1, 1 + number / 8
        kick = h.NetCon(stimulus, synapse)
        kick.weight[0], kick.delay = 0.05, 0.1
        kept += [stimulus, kick]

times, numbers = h.Vector(), h.Vector()
context.spike_record(-1, times, numbers)
context.set_maxstep(10)
h.finitialize(-65)
context.psolve(STOP_MS)
spikes = [spike for part in context.py_allgather(list(times)) for spike in part]
if rank == 0:
    sums = f"spikes={len(spikes)} last={max(spikes):.4f} sum={sum(spikes):.4f}"
    print(f"answer: ranks={ranks} {sums}", flush=True)
context.barrier()
h.quit()
