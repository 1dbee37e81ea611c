#!/usr/bin/env bash
# Runs every verb of an installed package in an empty folder: installed.sh BIN WORK
set -euo pipefail
bin=$1
mkdir -p "$2"
cd "$2"
"$bin/python" -c 'import wordorder, sys; assert "/src/" not in wordorder.__file__, wordorder.__file__'
interpreted=$("$bin/wordorder" --version | grep -c interpreted || true)
if [ "$interpreted" = 0 ]; then export PYTHONWARNINGS=error; fi
"$bin/python" -c 'import wordorder as wo; [getattr(wo, name) for name in wo.__all__]'
sample=$("$bin/python" -c 'from wordorder.samples import sample_path; print(sample_path(""))')
cp "$sample"/* .
"$bin/wordorder" --help > help.txt
"$bin/wordorder" demo > demo.txt
"$bin/wordorder" list metrics > list.txt
"$bin/wordorder" reference alignments.talbot --source source.en -o made.orders
cmp made.orders reference.orders
"$bin/wordorder" reference alignments.talbot --source source.en --target target.ja --check \
  --max-unaligned 0.1 > check.txt
"$bin/wordorder" score made.orders -i unchanged.orders head-final.orders -m all \
  --confidence --segments --format json > score.json
"$bin/wordorder" compare made.orders -i unchanged.orders reversed.orders head-final.orders \
  --test randomization --resamples 200 > compare.txt
"$bin/wordorder" tree "2 4 5 6 1 3" --forest --svg tree.svg > tree.txt
echo "every verb ran"
