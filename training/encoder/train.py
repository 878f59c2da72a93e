"""Trains the student; continues from the checkpoint in --out if there is one.

    python train.py --start FILE --data DIR --corpus DIR --out DIR --minutes N [--threads N]

--start  what start.py wrote; or a data file (.bin), which is trained on
"""

import argparse
import json
import math
import os
import random
import time

import numpy as np
import torch
from torch.nn import functional as F

from data import NAMES
from datafile import read as read_data_file
from pieces import Pieces
from student import Student, load_student
from targets import make_targets

MAX_PIECES = 128
TRUNK_RATE, HEAD_RATE = 1.0e-4, 2e-5
ROW_RATE, HAN_ROW_RATE = 8e-4, 3e-4
WARM_STEPS = 30
BANK = 1024
TEMPERATURE = 0.06
# Number of texts of each kind in a step.
MIX = {
    'ja sentence': 56, 'ja long': 9, 'ja word': 20, 'zh sentence': 14, 'zh long': 2, 'zh word': 5,
    'en pair': 16, 'en': 30, 'zh': 32,
}
RELATED, FOLLOWING = 10, 12
SPEAKERS = ['user', 'assistant', 'user', 'assistant', *(name for names in NAMES.values() for name in names)]


class Rows:
    """Adam for the rows of the table that a step uses."""

    def __init__(self, table, rates):
        self.table, self.rates = table, rates
        self.mean = torch.zeros_like(table.weight.data)
        self.square = torch.zeros(len(table.weight), 1)
        self.times = torch.zeros(len(table.weight), 1)

    @torch.no_grad()
    def step(self, scale):
        grad = self.table.weight.grad.coalesce()
        ids, g = grad.indices()[0], grad.values()
        self.times[ids] += 1
        n = self.times[ids]
        m = self.mean[ids].mul_(0.9).add_(g, alpha=0.1)
        s = self.square[ids].mul_(0.98).add_(g.pow(2).mean(1, keepdim=True), alpha=0.02)
        self.mean[ids], self.square[ids] = m, s
        step = (m / (1 - 0.9**n)) / ((s / (1 - 0.98**n)).sqrt() + 1e-10)
        self.table.weight.data[ids] -= step * self.rates[ids] * scale
        self.table.weight.grad = None

    def state(self):
        return {'mean': self.mean.half(), 'square': self.square, 'times': self.times}

    def load(self, state):
        self.mean, self.square, self.times = state['mean'].float(), state['square'], state['times']


class Source:
    """Repeats the items in random order without end."""

    def __init__(self, items, chance):
        self.items, self.chance, self.at = list(items), chance, 0
        chance.shuffle(self.items)

    def take(self, count):
        if self.at + count > len(self.items):
            self.chance.shuffle(self.items)
            self.at = 0
        self.at += count
        return self.items[self.at - count : self.at]


def sources(items, targets, chance):
    """Returns (text, target) by kind."""
    kinds = {kind: [] for kind in MIX}
    for kind, language, text, other, other_text, own, row in items['pairs']:
        target = (other, row, own)
        kinds[f'{language} {kind}'].append((text, target))
        if kind == 'sentence' and other == 'en':
            kinds['en pair'].append((other_text, ('en', row, -1)))
    for language, text, row in items['alone']:
        kinds[language].append((text, (language, row, -1)))
    return {kind: Source(some, chance) for kind, some in kinds.items()}


def spoken(text, chance):
    """Adds a speaker to some texts, as turns are stored with one."""
    if ': ' in text[:16] or len(text) < 12 or chance.random() > 0.2:
        return text
    return f'{chance.choice(SPEAKERS)}: {text}'


def target_of(targets, target):
    language, row, own = target
    vector = targets[language][row]
    if own < 0:
        return language, vector
    both = 0.6 * targets['zh'][own] + 0.4 * vector
    return 'zh', both / np.linalg.norm(both)


def embed_all(model, encoded):
    with torch.autocast('cpu', dtype=torch.bfloat16):
        return model(encoded)


def rank_loss(cosines, labels):
    """CoSENT loss: of two pairs, the more related one should have the higher cosine."""
    difference = (cosines[None, :] - cosines[:, None]) * 20
    wanted = labels[:, None] > labels[None, :]
    return torch.logsumexp(torch.cat([torch.zeros(1), difference[wanted]]), 0)


def relation_loss(vectors, wanted, bank):
    """KL divergence of similarities to a bank of teacher vectors from the teacher's own."""
    teacher = F.softmax(wanted @ bank.T / TEMPERATURE, 1)
    return F.kl_div(F.log_softmax(vectors @ bank.T / TEMPERATURE, 1), teacher, reduction='batchmean')


def fit_head(model, tokenizer, kinds, targets):
    """The head's initial weights: least squares from the output of the layers to the targets."""
    texts = [item for kind, count in (('zh', 2500), ('en', 2500), ('ja sentence', 1500), ('zh sentence', 700), ('ja word', 300)) for item in kinds[kind].take(count)]
    encoded = [tokenizer.encode(text, MAX_PIECES) for text, _ in texts]
    xs, ys = [], []
    with torch.no_grad(), torch.autocast('cpu', dtype=torch.bfloat16):
        for at in range(0, len(texts), 200):
            xs.append(model.pooled(encoded[at : at + 200]).float())
            ys.append(torch.tensor(np.stack([target_of(targets, target)[1] for _, target in texts[at : at + 200]])))
    x, y = torch.cat(xs).double(), torch.cat(ys).double()
    test = torch.rand(len(x), generator=torch.Generator().manual_seed(1)) < 0.1
    mx, my = x[~test].mean(0), y[~test].mean(0)
    a = x[~test] - mx
    gram = a.T @ a
    weight = torch.linalg.solve(gram + 0.01 * gram.diagonal().mean() * torch.eye(len(gram)), a.T @ (y[~test] - my))
    model.head.weight.data = weight.T.float().contiguous()
    model.head.bias.data = (my - mx @ weight).float()
    found = F.normalize((x[test] - mx) @ weight + my, dim=1)
    print('head fitted; cosine on texts left out', round(float((found * y[test]).sum(1).mean()), 4), flush=True)


def rotation_to(model, tokenizer, kinds, targets):
    """The rotation of the targets to where the student's vectors are: the principal components of other texts are others."""
    texts = [item for kind, count in (('zh', 2000), ('en', 2000), ('ja sentence', 1000), ('zh sentence', 500)) for item in kinds[kind].take(count)]
    wanted = np.stack([target_of(targets, target)[1] for _, target in texts])
    with torch.no_grad():
        encoded = [tokenizer.encode(text, MAX_PIECES) for text, _ in texts]
        found = torch.cat([embed_all(model, encoded[at : at + 200]) for at in range(0, len(texts), 200)]).numpy()
    u, _, v = np.linalg.svd(wanted.T @ found)
    rotation = (u @ v).astype(np.float32)
    print('targets turned; cosine of the student with them', round(float((wanted @ rotation * found).sum(1).mean()), 4), flush=True)
    return rotation


def unseen_pairs(corpus, count=300):
    pairs = {'ja': [], 'zh': []}
    with open(os.path.join(corpus, 'corpus.tsv'), encoding='utf8') as file:
        for line in file:
            language, split, _, foreign, english = line.rstrip('\n').split('\t')
            if split == 'unseen':
                pairs[language].append((foreign, english))
    return {language: some[:: max(1, len(some) // count)][:count] for language, some in pairs.items()}


@torch.no_grad()
def measure(model, tokenizer, held, unseen, targets):
    result = {}
    for language, items in held.items():
        vectors = embed_all(model, [tokenizer.encode(text, MAX_PIECES) for text, _ in items])
        wanted = torch.tensor(np.stack([target_of(targets, target)[1] for _, target in items]))
        own, teacher = (vectors @ vectors.T).flatten(), (wanted @ wanted.T).flatten()
        result[language] = round(float((vectors * wanted).sum(1).mean()), 3)
        result[language + ' sims'] = round(float(torch.corrcoef(torch.stack([own, teacher]))[0, 1]), 3)
    for language, pairs in unseen.items():
        a, b = (embed_all(model, [tokenizer.encode(t, MAX_PIECES) for t in side]) for side in zip(*pairs))
        right = torch.arange(len(pairs))
        found = [((x @ y.T).argmax(1) == right).float().mean() for x, y in ((a, b), (b, a))]
        result[language + '-en'] = round(float(sum(found) / 2), 3)
    return result


def main():
    parser = argparse.ArgumentParser()
    for name in ('start', 'data', 'corpus', 'out'):
        parser.add_argument('--' + name, required=True)
    parser.add_argument('--minutes', type=float, required=True, help='length of the schedule')
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--only-start', action='store_true', help='fits the head, measures and ends')
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    torch.set_num_threads(args.threads)
    torch.manual_seed(16)
    chance = random.Random(16)
    targets, items, agreement = make_targets(args.data)
    print('teachers agree on translations', round(agreement, 3), flush=True)
    checkpoint = os.path.join(args.out, 'last.pt')
    resumed = os.path.exists(checkpoint)
    continues = args.start.endswith('.bin')
    start = checkpoint if resumed else args.start
    model, pieces = read_data_file(start) if start.endswith('.bin') else load_student(start)
    tokenizer = Pieces(pieces)
    kinds = sources(items, targets, chance)
    held = {language: kinds[language].take(250) for language in ('en', 'zh')}
    held['ja'] = kinds['ja sentence'].take(250)
    for language, source in (('en', 'en'), ('zh', 'zh'), ('ja', 'ja sentence')):
        out = {text for text, _ in held[language]}
        kinds[source].items = [item for item in kinds[source].items if item[0] not in out]
        kinds[source].at = 0
    unseen = unseen_pairs(args.corpus)
    if continues:
        turned = os.path.join(args.out, 'turned.npy')
        if not resumed:
            np.save(turned, rotation_to(model, tokenizer, kinds, targets))
        targets = {language: vectors @ np.load(turned) for language, vectors in targets.items()}
    elif not resumed:
        fit_head(model, tokenizer, kinds, targets)
        first = {'pieces': pieces, 'model': model.state_dict(), 'shape': model.shape}
        torch.save(first, os.path.join(args.out, 'first.pt'))
    print('start', measure(model, tokenizer, held, unseen, targets), flush=True)
    if args.only_start:
        return
    model.tokens.sparse = True
    han = torch.tensor([1.0 if len(p) == 1 else 0.0 for p in pieces])[:, None]
    rows = Rows(model.tokens, HAN_ROW_RATE * han + ROW_RATE * (1 - han))
    trunk = [p for name, p in model.named_parameters() if not name.startswith(('tokens', 'head'))]
    optimizer = torch.optim.AdamW(
        [{'params': trunk, 'rate': TRUNK_RATE}, {'params': list(model.head.parameters()), 'rate': HEAD_RATE}],
        lr=TRUNK_RATE, betas=(0.9, 0.98), weight_decay=0.0,
    )
    step, spent, read = 0, 0.0, 0
    if resumed:
        state = torch.load(os.path.join(args.out, 'optimizer.pt'), weights_only=False)
        optimizer.load_state_dict(state['optimizer'])
        rows.load(state['rows'])
        step, spent, read = state['step'], state['spent'], state['read']
    related, following = Source(items['jsick'], chance), {
        language: Source([f for f in items['follows'] if f[0] == language], chance) for language in ('ja', 'zh', 'en')
    }
    if resumed:
        chance.seed(16 + step)
        for source in kinds.values():
            chance.shuffle(source.items)

    def save():
        torch.save({'pieces': pieces, 'model': model.state_dict(), 'shape': model.shape}, checkpoint + '.new')
        torch.save(
            {'optimizer': optimizer.state_dict(), 'rows': rows.state(), 'step': step, 'spent': spent, 'read': read},
            os.path.join(args.out, 'optimizer.pt'),
        )
        os.replace(checkpoint + '.new', checkpoint)

    begun, saved, sums = time.time() - spent * 60, time.time(), {}
    measured = time.time()
    while spent < args.minutes:
        spent = (time.time() - begun) / 60
        progress = min(1.0, spent / args.minutes)
        scale = min(1.0, (step + 1) / WARM_STEPS) * max(0.02, 1 - progress)
        batch = [item for kind, count in MIX.items() for item in kinds[kind].take(count)]
        pairs = related.take(RELATED)
        turns = [f for language, source in following.items() for f in source.take(FOLLOWING // 3)]
        texts = [spoken(text, chance) for text, _ in batch]
        texts += [t for a, b, _ in pairs for t in (a, b)] + [t for _, a, b in turns for t in (a, b)]
        encoded = [tokenizer.encode(text, MAX_PIECES) for text in texts]
        vectors = embed_all(model, encoded)
        found = [target_of(targets, target) for _, target in batch]
        wanted = torch.tensor(np.stack([vector for _, vector in found]))
        own = vectors[: len(batch)]
        loss_cosine = (1 - (own * wanted).sum(1)).mean()
        loss_relation = 0
        for language in ('en', 'zh'):
            here = torch.tensor([i for i, (space, _) in enumerate(found) if space == language])
            bank = torch.tensor(targets[language][np.random.randint(len(targets[language]), size=BANK)])
            bank = torch.cat([bank, wanted[here]])
            loss_relation = loss_relation + relation_loss(own[here], wanted[here], bank) * len(here) / len(batch)
        v = vectors[len(batch) :]
        a, b = v[0 : 2 * len(pairs) : 2], v[1 : 2 * len(pairs) : 2]
        loss_related = rank_loss((a * b).sum(1), torch.tensor([label for *_, label in pairs]))
        v = v[2 * len(pairs) :]
        scores = v[0::2] @ torch.cat([v[1::2], own.detach()]).T / 0.07
        loss_following = F.cross_entropy(scores, torch.arange(len(turns)))
        loss = 2 * loss_cosine + 0.06 * loss_relation + 0.01 * loss_related + 0.01 * loss_following
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trunk, 1.0)
        for group in optimizer.param_groups:
            group['lr'] = group['rate'] * scale
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        rows.step(scale)
        step += 1
        read += sum(map(len, encoded))
        parts = dict(cos=loss_cosine, rel=loss_relation, jsick=loss_related, follow=loss_following)
        for name, value in parts.items():
            sums[name] = sums.get(name, 0) + float(value.detach())
        if step % 20 == 0:
            print(step, f'{spent:.1f} min {read / 1e6:.2f}M', {k: round(v / 20, 3) for k, v in sums.items()}, flush=True)
            sums = {}
        if time.time() - measured > 300:
            print('measured', step, measure(model, tokenizer, held, unseen, targets), flush=True)
            measured = time.time()
            np.random.seed(step)
        if time.time() - saved > 150:
            save()
            saved = time.time()
    save()
    print('end', step, measure(model, tokenizer, held, unseen, targets), flush=True)


if __name__ == '__main__':
    main()
