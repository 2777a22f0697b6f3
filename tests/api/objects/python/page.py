# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
from mpi4py import MPI

import thalweg

WIDTH = 16  # of a block, with one more cell around it on each side


class Block(thalweg.Element):
    def __init__(self) -> None:
        self.now = np.zeros((WIDTH + 2, WIDTH + 2))
        self.now[1, 1] = 1 + sum(self.at)
        self.step = 0
        self.faces = thalweg.Inbox()

    def neighbors(self) -> list[tuple[int, tuple[int, int]]]:
        x, y = self.at
        around = enumerate([(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)])
        return [(side, at) for side, at in around if all(0 <= c < s for c, s in zip(at, self.array.shape, strict=True))]

    def face(self, step: int, side: int, row: np.ndarray) -> None:  # an entry method
        self.faces.put(step, (side, row))

    async def run(self, steps: int) -> None:  # another one, which waits for messages
        for _ in range(steps):
            now = self.now
            rows = (now[1, 1:-1], now[-2, 1:-1], now[1:-1, 1], now[1:-1, -2])
            for side, at in self.neighbors():
                self.array[at].face(self.step, side ^ 1, rows[side])  # returns at once
            outer = (now[0, 1:-1], now[-1, 1:-1], now[1:-1, 0], now[1:-1, -1])
            for _ in self.neighbors():
                side, row = await self.faces.take(self.step)  # other blocks run meanwhile
                outer[side][:] = row
            around = now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]
            now[1:-1, 1:-1] = (now[1:-1, 1:-1] + around) / 5
            self.step += 1
        most = await self.reduce(float(self.now.max()), "max")  # of all blocks of all ranks
        if self.at == (0, 0):
            print(f"step {self.step}: at most {most:.4f}")


with thalweg.Array(Block, (4, 4), MPI.COMM_WORLD) as blocks:  # 16 of them, however many ranks there are
    for _ in range(4):
        if blocks.rank == 0:
            blocks.broadcast.run(5)
        blocks.fence()  # all have run; blocks move to where there is time, if that pays
