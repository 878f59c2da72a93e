"""Writes a checkpoint as the data file that src/llm/encoder reads, and reads it back; weights.ts there describes the format.

    python datafile.py --checkpoint FILE --out FILE
"""

import argparse
import struct

import numpy as np
import torch
from torch import nn

from student import Student, load_student

MAGIC, VERSION = b'OMOIENC\0', 1
HEADS = 8


class Writer:
    def __init__(self, file):
        self.file = file

    def put(self, data):
        self.file.write(data)
        self.file.write(b'\0' * (-len(data) % 16))

    def floats(self, tensor):
        self.put(tensor.detach().float().contiguous().numpy().astype('<f4').tobytes())

    def rows(self, weight, refine):
        """Returns rows of int8 and their scales; a scale below that of the largest value may have a smaller error."""
        weight = weight.detach().float()
        most = weight.abs().amax(1, keepdim=True).clamp_min(1e-12)
        best, scale = None, None
        for share in (1.0, 0.95, 0.9, 0.85, 0.8) if refine else (1.0,):
            trial = most * share / 127
            error = ((weight / trial).round().clamp(-127, 127) * trial - weight).pow(2).sum(1, keepdim=True)
            if best is None:
                best, scale = error, trial
            else:
                scale = torch.where(error < best, trial, scale)
                best = torch.minimum(best, error)
        self.floats(scale[:, 0])
        self.put((weight / scale).round().clamp(-127, 127).to(torch.int8).numpy().tobytes())


def write(model, pieces, path):
    assert not any('\n' in piece for piece in pieces)
    shape = model.shape
    text = '\n'.join(pieces).encode()
    with open(path, 'wb') as file:
        head = model.head.weight.shape[0]
        fields = (VERSION, len(pieces), shape['width'], len(model.layers), len(model.positions.weight), head, len(text))
        inner = [layer.up.out_features for layer in model.layers]
        writer = Writer(file)
        writer.put(MAGIC + struct.pack(f'<7I{len(inner)}I', *fields, *inner))
        writer.put(text)
        writer.rows(model.tokens.weight, False)
        writer.floats(model.positions.weight)
        writer.floats(model.norm.weight)
        writer.floats(model.norm.bias)
        for layer in model.layers:
            for linear in (layer.qkv, layer.out, layer.up, layer.down):
                writer.rows(linear.weight, True)
                writer.floats(linear.bias)
            for norm in (layer.norm1, layer.norm2):
                writer.floats(norm.weight)
                writer.floats(norm.bias)
        writer.rows(model.head.weight, True)
        writer.floats(model.head.bias)


def read(path):
    """Returns the model and its pieces, as load_student does for a checkpoint."""
    with open(path, 'rb') as file:
        data = file.read()
    assert data[: len(MAGIC)] == MAGIC, f'{path} is not an encoder.'
    version, count, width, layers, positions, head, size = struct.unpack_from('<7I', data, len(MAGIC))
    assert version == VERSION
    inner = struct.unpack_from(f'<{layers}I', data, len(MAGIC) + 28)
    at = 0

    def take(length):
        nonlocal at
        part = data[at : at + length]
        at = -(-(at + length) // 16) * 16
        return part

    def floats(*shape):
        return torch.from_numpy(np.frombuffer(take(4 * int(np.prod(shape))), '<f4').reshape(shape).copy())

    def rows(number, inputs):
        scales = floats(number, 1)
        values = np.frombuffer(take(number * inputs), np.int8).reshape(number, inputs).astype(np.float32)
        return torch.from_numpy(values) * scales

    def fill(linear):
        linear.weight.data, linear.bias.data = rows(*linear.weight.shape), floats(linear.out_features)

    take(len(MAGIC) + 28 + 4 * layers)
    pieces = take(size).decode().split('\n')
    model = Student(count, positions, width, layers, HEADS, inner[0])
    model.tokens.weight.data = rows(count, width)
    model.positions.weight.data = floats(positions, width)
    model.norm.weight.data, model.norm.bias.data = floats(width), floats(width)
    for layer, neurons in zip(model.layers, inner):
        layer.up, layer.down = nn.Linear(width, neurons), nn.Linear(neurons, width)
        for linear in (layer.qkv, layer.out, layer.up, layer.down):
            fill(linear)
        for norm in (layer.norm1, layer.norm2):
            norm.weight.data, norm.bias.data = floats(width), floats(width)
    fill(model.head)
    assert at == len(data) and model.head.out_features == head
    return model, pieces


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--checkpoint', required=True)
    parser.add_argument('--out', required=True)
    args = parser.parse_args()
    model, pieces = load_student(args.checkpoint)
    write(model, pieces, args.out)


if __name__ == '__main__':
    main()
