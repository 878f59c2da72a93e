"""The student's target vectors: both teachers in one space of 384 dimensions.

Chinese: bge-small's vectors minus their mean, projected to their 384 principal components. English: MiniLM's vectors, rotated
(orthogonal Procrustes over translations) to be as near to the Chinese ones as possible; a rotation does not change their own cosines.
"""

import json
import os

import numpy as np

DIMENSIONS = 384


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-9)


def make_targets(data):
    zh = np.load(os.path.join(data, 'zh.npy')).astype(np.float32)
    en = np.load(os.path.join(data, 'en.npy')).astype(np.float32)
    items = json.load(open(os.path.join(data, 'items.json'), encoding='utf8'))
    read = zh.any(1)
    centred = zh - zh[read].mean(0)
    _, basis = np.linalg.eigh(centred.T @ centred)
    chinese = unit(centred @ basis[:, ::-1][:, :DIMENSIONS])
    both = [(own, other) for kind, language, _, _, _, own, other in items['pairs'] if language == 'zh']
    a, b = (np.array(rows) for rows in zip(*both))
    u, _, v = np.linalg.svd(en[b].T @ chinese[a])
    english = unit(en @ (u @ v))
    agreement = float((chinese[a] * english[b]).sum(1).mean())
    return {'zh': chinese, 'en': english}, items, agreement
