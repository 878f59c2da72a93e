"""Splits a text into pieces for the encoder, by the same rules as src/llm/encoder/pieces.ts."""

import re
import unicodedata

PAD, UNKNOWN, START, END = 0, 1, 2, 3
SPECIAL = ['[pad]', '[unk]', '[cls]', '[sep]']
MAX_WORD = 64
MAX_CJK_PIECE = 8

# Han characters, kana with the long-vowel sign, and the iteration marks: written without spaces.
CJK = '\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff'
_RUN = re.compile(f'(?P<cjk>[{CJK}]+)|(?P<word>[^\\W_{CJK}]+)|(?P<sign>[^\\s\\w]|_)')


def fold(text):
    """NFKC, lower case, without accents of Latin letters (kana keep their voicing marks), with spaces for invisible characters."""
    text = re.sub('[\ufe00-\ufe0f]', '', text)
    text = ''.join(' ' if unicodedata.category(c)[0] == 'C' else c for c in text)
    folded = unicodedata.normalize('NFKC', text).lower()
    parts = unicodedata.normalize('NFD', folded)
    return unicodedata.normalize('NFC', re.sub('[\u0300-\u036f]', '', parts))


class Pieces:
    def __init__(self, pieces):
        self.pieces = pieces
        self.ids = {piece: i for i, piece in enumerate(pieces)}

    def encode(self, text, limit):
        """Ids including the start and end marks, at most `limit`."""
        ids = [START]
        for match in _RUN.finditer(fold(text)):
            if len(ids) >= limit:
                break
            if match['cjk']:
                self._cjk(match['cjk'], ids)
            elif match['word']:
                self._word(match['word'], ids)
            else:
                ids.append(self.ids.get(match['sign'], UNKNOWN))
        return ids[: limit - 1] + [END]

    def _cjk(self, run, ids):
        at = 0
        while at < len(run):
            for size in range(min(MAX_CJK_PIECE, len(run) - at), 0, -1):
                found = self.ids.get(run[at : at + size])
                if found is not None or size == 1:
                    ids.append(UNKNOWN if found is None else found)
                    at += size
                    break

    def _word(self, word, ids):
        at, begun = 0, len(ids)
        while at < len(word):
            for end in range(min(len(word), at + MAX_WORD), at, -1):
                found = self.ids.get(word[at:end] if at == 0 else '##' + word[at:end])
                if found is not None:
                    ids.append(found)
                    at = end
                    break
            else:
                del ids[begun:]
                ids.append(UNKNOWN)
                return
