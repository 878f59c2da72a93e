"""The encoder during training."""

import torch
from torch import nn
from torch.nn import functional as F

import bert

DIMENSIONS = 384


class StudentLayer(bert.Layer):
    @property
    def width(self):
        return self.out.in_features

    def attend(self, x, mask):
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, -1)
        )
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask.to(q.dtype))
        return self.norm1(x + self.out(mixed.transpose(1, 2).reshape(batch, length, width)))

    def feed(self, x):
        return self.norm2(x + self.down(F.gelu(self.up(x))))

    def forward(self, x, buckets):
        """x: the tokens of all texts, concatenated. Only attention separates texts, padded to the longest of their bucket."""
        qkv = self.qkv(x).float()
        mixed = []
        for part, (at, mask, back) in zip(qkv.split([len(back) for *_, back in buckets]), buckets):
            q, k, v = part[at].view(*at.shape, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            shares = (q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5 + mask).softmax(-1)
            mixed.append((shares @ v).transpose(1, 2).reshape(at.numel(), -1)[back])
        x = self.norm1(x + self.out(torch.cat(mixed)))
        return self.feed(x)


def buckets_of(lengths):
    """Buckets of concatenated texts, sorted by length: (positions of the tokens in the bucket, mask of the padding, indexes without padding)."""
    result, text = [], 0
    while text < len(lengths):
        end = text + 1
        while end < len(lengths) and lengths[end] <= lengths[text] * 1.25 + 3 and (end - text) * lengths[end] < 4000:
            end += 1
        own = torch.tensor(lengths[text:end])
        longest = int(own[-1])
        column = torch.arange(longest)[None, :]
        valid = column < own[:, None]
        starts = torch.cat([torch.zeros(1, dtype=torch.long), own.cumsum(0)[:-1]])
        at = torch.where(valid, starts[:, None] + column, starts[:, None])
        mask = torch.zeros(at.shape).masked_fill(~valid, -1e4)[:, None, None, :]
        result.append((at, mask, valid.flatten().nonzero()[:, 0]))
        text = end
    return result


class Student(nn.Module):
    """Maps ids (batch, length; 0 is padding) to vectors of unit length: the mean token and the first one, projected."""

    def __init__(self, vocabulary, positions, width, layers, heads, inner):
        super().__init__()
        self.shape = dict(
            vocabulary=vocabulary, positions=positions, width=width, layers=layers, heads=heads, inner=inner
        )
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(StudentLayer(width, heads, inner) for _ in range(layers))
        self.head = nn.Linear(2 * width, DIMENSIONS)

    @staticmethod
    def from_teacher(teacher, rows, positions=256):
        width = rows.shape[1]
        layers = teacher.layers
        first = layers[0]
        model = Student(len(rows), positions, width, len(layers), first.heads, first.up.out_features)
        model.tokens.weight.data = rows.clone()
        model.positions.weight.data = teacher.positions.weight.data[:positions].clone()
        model.norm.load_state_dict(teacher.norm.state_dict())
        for own, layer in zip(model.layers, layers):
            own.load_state_dict(layer.state_dict())
        return model

    def pooled(self, texts):
        """Returns the mean token and the first token of each text (a list of ids), in the order of the texts."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        lengths = [len(texts[i]) for i in order]
        ids = torch.tensor([id for i in order for id in texts[i]])
        place = torch.cat([torch.arange(n) for n in lengths])
        text = torch.repeat_interleave(torch.arange(len(order)), torch.tensor(lengths))
        x = self.norm(self.tokens(ids) + self.positions(place))
        buckets = buckets_of(lengths)
        for layer in self.layers:
            x = layer(x, buckets)
        mean = torch.zeros(len(order), x.shape[1]).index_add(0, text, x.float())
        mean = mean / torch.tensor(lengths)[:, None]
        first = x[torch.tensor([0] + lengths[:-1]).cumsum(0)]
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        return torch.cat([mean, first.float()], 1)[back]

    def forward(self, texts):
        return F.normalize(self.head(self.pooled(texts)).float(), dim=1)


def load_student(path):
    saved = torch.load(path, weights_only=True)
    model = Student(**saved['shape'])
    for i, layer in enumerate(model.layers):
        inner = saved['model'][f'layers.{i}.up.weight'].shape[0]
        layer.up, layer.down = nn.Linear(layer.width, inner), nn.Linear(inner, layer.width)
    model.load_state_dict(saved['model'])
    return model, saved['pieces']
