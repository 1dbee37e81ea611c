#!/usr/bin/env bash
# Runs every verb of the package that is installed for the `python` and `wordorder` on the path, in
# an empty folder: installed.sh WORK
set -euo pipefail
mkdir -p "$1"
cd "$1"
python -c 'import wordorder, sys; assert "/src/" not in wordorder.__file__, wordorder.__file__'
interpreted=$(wordorder --version | grep -c interpreted || true)
if [ "$interpreted" = 0 ]; then export PYTHONWARNINGS=error; fi
python -c 'import wordorder as wo; [getattr(wo, name) for name in wo.__all__]'
sample=$(python -c 'from wordorder.samples import sample_path; print(sample_path(""))')
cp "$sample"/* .
wordorder --help > help.txt
if [ "$interpreted" = 0 ]; then
  wordorder demo > demo.txt
else
  # The same job on the first nine sentences: on all of them it would take as long as all verbs.
  mkdir nine
  for name in source.en target.ja alignments.talbot; do head -9 "$name" > "nine/$name"; done
  awk -v RS= -v ORS='\n\n' 'NR <= 9' trees.conllu > nine/trees.conllu
  python - demo > demo.txt <<'END'
from pathlib import Path
from wordorder import samples
from wordorder.cli.program import run

samples.sample_path = Path("nine").joinpath
raise SystemExit(run())
END
fi
wordorder list metrics > list.txt
wordorder reference alignments.talbot --source source.en -o made.orders
cmp made.orders reference.orders
wordorder reference alignments.talbot --source source.en --target target.ja --check \
  -O max-unaligned=0.1 > check.txt
wordorder score made.orders -i unchanged.orders head-final.orders -m all \
  --confidence --segments --format json > score.json
# Without the extra plot one line says what to install, and nothing is written.
figures=(wordorder score made.orders -i unchanged.orders -m frs --figures figures)
if python -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("matplotlib") is None)'
then
  # Warnings of matplotlib's own imports are not ours.
  PYTHONWARNINGS=default "${figures[@]}" > figures.txt
  test -s figures/scores-frs.pdf
else
  if "${figures[@]}" > figures.txt 2> refused.txt; then exit 1; fi
  grep -q "pip install 'wordorder\[plot\]'" refused.txt
  test ! -e figures
fi
wordorder score made.orders -i unchanged.orders > plain.txt
wordorder score made.orders -i unchanged.orders --engine local --threads 2 > spans.txt
cmp plain.txt spans.txt
wordorder compare made.orders -i unchanged.orders reversed.orders head-final.orders \
  --test randomization --resamples 200 > compare.txt
# The target stands in for a system's translation of itself, the source for a bad one.
wordorder score target.ja -i target.ja source.en -r target.ja -m cder,ter,bleu,nist,0.6*wer+0.4*per \
  --confidence --segments --format json > text.json
wordorder score target.ja -i target.ja -m all --aligner exact+stem > aligned.txt
wordorder score target.ja -i target.ja -m all --source source.en \
  --hypothesis-alignments alignments.talbot --reference-alignments alignments.talbot > lrscore.txt
wordorder compare target.ja -i target.ja source.en -m cder --resamples 200 > texts.txt
wordorder align source.en target.ja --model ibm1 -o made.align --save made.safetensors
wordorder align source.en target.ja --load made.safetensors > loaded.align
cmp made.align loaded.align
wordorder score alignments.talbot -i made.align -m aer,precision,recall > aer.txt
wordorder reference made.align --source source.en --rule lader -o lader.orders
wordorder score alignments.talbot -i lader.orders none --compat lader --source source.en > lader.txt
wordorder score source.en -i source.en --compat ribes > ribes.txt
wordorder list aligners > aligners.txt
wordorder reorder trees.conllu --rules R5 --to orders -o R5.orders
wordorder evaluate made.orders --trees hand=trees.conllu --rules R1 --rules R5 --format json > grid.json
wordorder evaluate alignments.talbot --trees hand=trees.conllu --sensitivity --resamples 100 > ways.txt
wordorder analyze made.orders -i R5.orders head-final.orders --source source.en \
  --gold-trees trees.conllu --resamples 100 --html report.html > analysis.txt
head -4 source.en > lines.en
sed 's/^\([^ ]*\) \(.*\)$/\2 \1/' lines.en > turned.en
wordorder analyze lines.en -i turned.en lines.en --resamples 20 --html lines.html > lines.txt
wordorder rules check R5 head-final > rules.txt
wordorder rules explain R5 --trees trees.conllu --sentence 2 > explained.txt
head -4 source.en > few.en
head -4 alignments.talbot > few.talbot
wordorder train order few.en few.talbot --model linear --epochs 1 -o few.safetensors
wordorder reorder few.en --rules few.safetensors > few.reordered
head -4 target.ja > few.ja
wordorder train translation few.en few.ja --alignments few.talbot --rules few.safetensors \
  -O lm-order=2 -o few.model
wordorder translate few.model few.en --kbest 3 --kbest-output few.nbest --alignment-output few.links > few.out
wordorder tune few.model few.en few.ja -m cder -O rounds=1 -O kbest=2 -O beam=2 -o few.weights
# Two sentences are learnt by heart.
printf '1\tit\t_\tPRON\tPRP\t_\t2\texpl\t_\t_\n2\trains\t_\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n' > trees.conllu
printf '1\tgo\t_\tVERB\tVB\t_\t0\troot\t_\t_\n2\tnow\t_\tADV\tRB\t_\t1\tadvmod\t_\t_\n\n' >> trees.conllu
wordorder train tagger trees.conllu -o tagger.model --model tnt
wordorder train parser trees.conllu -o parser.model --dev trees.conllu --epochs 5
wordorder train parser trees.conllu -o graph.model --algorithm graph --epochs 5
wordorder tag tagger.model trees.conllu > tagged.conllu
printf 'it rains\ngo now\n' | wordorder parse parser.model | grep -v '^#' > parsed.conllu
cmp parsed.conllu trees.conllu
wordorder parse graph.model trees.conllu --kbest 2 > lists.conllu
wordorder list parsers > parsers.txt
echo '( (S (NP-SBJ (PRP It)) (VP (VBZ rains))) )' > it.mrg
wordorder convert it.mrg -o it.conllu
printf '{"de": "es regnet", "en": "it rains"}\n' > data.jsonl
wordorder score data.jsonl#de -i data.jsonl#en data.jsonl --column de -m wer > table.txt
python -m wordorder.schemas score > score.schema.json
printf 'it rains\ngo now\n' > two.txt
printf '0 1\n1 0\n' > two.orders
wordorder select lists.conllu two.orders --rules R5 -o best.conllu
wordorder train rules trees.conllu two.orders --start R5 -o learned.toml
wordorder train parser trees.conllu --self-train two.txt two.orders --rules R5 --epochs 2 -o self.model
wordorder train parser trees.conllu --augment order two.txt -O augment-reference=two.orders \
  --rules R5 --epochs 2 -o augmented.model
printf '0 ||| a b ||| f= 1 2 ||| 0\n0 ||| b a ||| f= 2 1 ||| 0\n' > nbest.txt
wordorder tune nbest.txt <(echo "b a") -m cder -O points=2 -o weights.txt
judged=$(python -c 'from wordorder.samples import sample_path; print(sample_path("judged.toml", "judged"))')
wordorder correlate "$judged" -m per,f1 --human rankings --resamples 20 --html judged.html > judged.txt
wordorder correlate "$judged" -m per,f1 --human human --resamples 5 --test bootstrap --format json > judged.json
wordorder tree "2 4 5 6 1 3" --forest --svg tree.svg > tree.txt
wordorder path "we met at six" "at six we met" --metrics long-jump --svg path.svg > path.txt
printf 'rater\titem\tsystem_a\tsystem_b\tchoice\nx\t1\tA\tB\ta\ny\t1\tA\tB\tb\nx\t2\tA\tB\ta\n' > preferences.tsv
wordorder rank preferences.tsv --by trueskill --resamples 9 --format json > rank.json
wordorder correlate "$judged" --human rankings --fit "0.6*cder + 0.4*per" -O curve=curve.svg > fit.txt
wordorder agreement preferences.tsv --resamples 9 > agreement.txt
# Pages need packages of their own.
if python -c 'import starlette, uvicorn' 2> /dev/null; then
  cat > ask.py <<'EOF'
import sys, urllib.request
page, _, token = sys.argv[1].split()[1].partition("#")
with urllib.request.urlopen(page) as answer:
    assert b"<script" in answer.read()
asked = urllib.request.Request(page + "api/next", headers={"Authorization": f"Bearer {token}"})
print(urllib.request.urlopen(asked).read().decode())
EOF
  serve_once() {
    rm -f link.txt
    wordorder "$@" --port 0 --no-browser > link.txt &
    until [ -s link.txt ]; do kill -0 $!; sleep 0.2; done
    PYTHONWARNINGS= python ask.py "$(head -1 link.txt)" > page.txt
    kill $!
    wait $! || [ "${OS:-}" = Windows_NT ]
  }
  serve_once annotate source.en target.ja -o links.db --alignments alignments.talbot
  serve_once serve links.db --add 1
  serve_once rate source.en target.ja -i one=target.ja two=source.en -o ratings.db \
    --protocol preference -O ratings=1
else
  ! wordorder serve none.db 2> missing.txt
  grep -F 'pip install "wordorder[pages]"' missing.txt
fi
python - <<'END'
from wordorder.people.items import Item, Output
from wordorder.people.project import Project
from wordorder.people.protocol import rating_protocol

outputs = (Output("A", "a"), Output("B", "b"))
items = [Item(n, {"source": "s", "reference": "r"}, outputs) for n in (1, 2)]
with Project.create("made.db", rating_protocol("preference", ratings=1), items, 1) as project:
    rater = project.raters()[0]
    while (task := project.next_task(rater)[0]) is not None:
        project.save(rater, task, task, "AB"[project.task(rater, task).outputs.index("a")])
END
wordorder export made.db > made.tsv
wordorder progress made.db > progress.txt
wordorder rank made.db --resamples 9 > made.txt
echo "every verb ran"
