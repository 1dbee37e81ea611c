"""Wrong commands: exit 2, and one line that says what is right."""

import shlex

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TARGET, call

# Each command with parts of what it is answered; what is indented goes on.
WRONG = """
scor => unknown command 'scor' (did you mean 'score'?) && `wordorder --help` lists all
--nothing => No such option '--nothing'
score => Missing argument 'REFERENCE'
score REFERENCE => there is no system: -i FILE names one, or pipe it
score REFERENCE -i => requires an argument
score REFERENCE -i -m frs => '-i' requires an argument
score REFERENCE -i SYSTEM -m kendal => did you mean 'kendall'?
score REFERENCE -i SYSTEM -m , => names no metric
score REFERENCE -i SYSTEM -m frs,frs => a metric twice
score REFERENCE -i SYSTEM -O ties => expected [METRIC.]KEY=VALUE
score REFERENCE -i SYSTEM -O ties=x => legal names: best, rank
score REFERENCE -i SYSTEM -O frs.tie=rank => did you mean 'ties'?
score REFERENCE -i SYSTEM -O pet.ties=rank => not among the metrics
score REFERENCE -i SYSTEM -O beta=0.5 => has an option 'beta'
score REFERENCE -i SYSTEM -m pets -O average=micro => pets has
score REFERENCE -i SYSTEM -m all -O beta=nan => not nan
score REFERENCE -i SYSTEM --threads 0 => 0 is not in the range
score REFERENCE -i SYSTEM --seed -1 => -1 is not in the range
score REFERENCE -i SYSTEM --level 1 => '--level'
score REFERENCE -i SYSTEM --format xml => '--format'
score REFERENCE -i SYSTEM -O match=first-unmatched => --source
score - -i - => only one input can be standard input
score REFERENCE -i SOURCE --input text => needs --source
score TARGET -i SOURCE -m cde => did you mean 'cder'?
score TARGET -i SOURCE -m cder --language de => is for --aligner
score TARGET -i SOURCE -m unaligned => --hypothesis-alignments
score TARGET -i SOURCE -m aer,cder => GOLD.align -i SYS.align -m aer
score ALIGNMENTS -i ALIGNMENTS -m wer => does not compare alignments
score REFERENCE -i SYSTEM -m cder => taken for orders
score REFERENCE -i SYSTEM -r TARGET => -r is for translations
score REFERENCE -i SYSTEM --lowercase => --lowercase is for translations
score REFERENCE -i SYSTEM --aligner exact => --aligner is for
score REFERENCE -i SYSTEM --one-based => --one-based is for alignments
score TARGET -i SOURCE --one-based => is for --hypothesis-alignment
score TARGET -i SOURCE --rule talbot => is for --hypothesis-alignment
score TARGET -i SOURCE --language de => --language is for --aligner
score TARGET -i SOURCE --aligner exact+synonym => -O aligner-synonyms
score TARGET -i SOURCE -m frs --aligner exakt => did you mean 'exact'?
score TARGET -i SOURCE -m frs --aligner exact,stem => joins its modules by +: exact+stem
score TARGET -i SOURCE --aligner exact => which no metric here reads
score TARGET -i SOURCE -m meteor --aligner exact => -O meteor.language=...
score TARGET -i SOURCE -m bleu --tokenizer zh
  => --tokenizer does not reach bleu && -O bleu.tokenize=zh
score TARGET -i SOURCE -m 'ter,0.5*ter+0.5*ter' --tokenizer 13a => --tokenizer does not reach ter:
score TARGET -i TARGET -m cder --source SOURCE --hypothesis-alignments ALIGNMENTS
  => alignments make word orders, which no metric here reads
score REFERENCE -i SYSTEM --level 0.9 => --level is for --confidence
score REFERENCE -i SYSTEM --resamples 9 => --resamples is for --confidence
score REFERENCE -i SYSTEM --seed 1 => --seed is for --confidence
score ALIGNMENTS -i none --compat beer --source SOURCE --seed 1 => --seed is for --confidence
score TARGET -i SOURCE -m cder+per => 1*cder+1*per
score TARGET -i SYSTEM -m cder => unchanged.orders is named as orders are && is taken for text;
score TARGET -i ALIGNMENTS -m cder => alignments.talbot is named as alignments are
score TARGET -i SOURCE -m '0.5*cder+0.5*bleu' => mix(formula=...,better=higher)
score TARGET -i SOURCE -m TRE => did you mean 'ter'? && `wordorder list metrics` lists all
score TARGET -i SOURCE -m comet => unknown metric 'comet'; `wordorder list
score REFERENCE -i SYSTEM --lowercase => reference.orders holds orders
score REFERENCE -i SYSTEM -O links=sure => -O links is for translations
score TARGET -i TARGET --compat literalness --source SOURCE
  => needs --hypothesis-alignments, one per system
score TARGET -i TARGET --compat literalness --source SOURCE
  --hypothesis-alignments ALIGNMENTS --reference-alignments ALIGNMENTS
  => no use for --reference-alignment
align SOURCE TARGET --load - => --load needs the name of a file
score TARGET -i SOURCE --tokenizer x => '--tokenizer'
score TARGET -i SOURCE -m 'cder(penalty=x)' => legal names: length,
score TARGET -i SOURCE -m 'cder(penalty=length' => parentheses do not match
score TARGET -i SOURCE -m '0.5*cder+' => expected number*name
score TARGET -i SOURCE -m '0.5*cder+0.5*bleu' => change the sign of a weight
score - -i TARGET -m nist => nist reads the references twice
score TARGET -i SOURCE -r - -m nist => they must be files
score TARGET -i TARGET --hypothesis-alignments ALIGNMENTS => need --source
score TARGET -i TARGET SOURCE --hypothesis-alignments ALIGNMENTS --source SOURCE
  => --hypothesis-alignments names 1 file for 2 systems
score TARGET -i TARGET --reference-alignments ALIGNMENTS --source SOURCE
  => --reference-alignments needs --hypothesis-alignment
score TARGET -i TARGET --hypothesis-alignments ALIGNMENTS --source SOURCE --aligner exact
  => word orders come from one of them
score ALIGNMENTS -i none --compat lader => --compat lader needs the source
score ALIGNMENTS -i none --compat ladder --source SOURCE
  => did you mean 'lader'? && legal names: beer,
score ALIGNMENTS -i none --compat beer --source SOURCE -m frs => -m cannot be combined with --compat
score ALIGNMENTS -i none --compat beer --source SOURCE --lowercase
  => --lowercase cannot be combined with --compat
score TARGET -i TARGET --compat beer --source SOURCE
  --hypothesis-alignments ALIGNMENTS --reference-alignments ALIGNMENTS
  => are for moses
reference ALIGNMENTS --source SOURCE --blocks keep => --blocks is gone
reference ALIGNMENTS --source SOURCE --rule lader -O unaligned=drop
  => joins each unaligned word to a neighbour
score -r SOURCE TARGET -i SOURCE => put REFERENCE before it
score REFERENCE -i SOURCE TARGET --source - => --source is read more than once
score ALIGNMENTS -i SOURCE --compat lader --source - => --source is read more than once
compare REFERENCE -i SYSTEM --resamples 0 => '--resamples'
compare REFERENCE -i SYSTEM --test t => '--test'
reference ALIGNMENTS => Missing option '--source'
reference ALIGNMENTS --source SOURCE --rule x => '--rule'
reference ALIGNMENTS --source SOURCE -O unaligned=x => '-O unaligned'
reference ALIGNMENTS --source SOURCE -O max-unaligned=1 => --check
reference - --source - => only one input can be standard input
reference ALIGNMENTS --source SOURCE --check --max-unaligned nan => a share from 0 to 1
tree => Missing argument 'PERMUTATION'
tree '2 1' 3 => unexpected extra argument
path a => Missing argument 'REFERENCE'
path a b --svg - --format tsv => would mix
path a b --metrics long-jump --direction candidate => --direction and --substitution are for -m cder
list nothing => 'nothing' is not
demo extra => unexpected extra argument
"""
FILES = {"REFERENCE": REFERENCE, "SYSTEM": SYSTEMS[0], "ALIGNMENTS": ALIGNMENTS}
FILES |= {"SOURCE": SOURCE, "TARGET": TARGET}


@pytest.mark.parametrize("row", WRONG.replace("\n  ", " ").strip().split("\n"))
def test_a_wrong_command_exits_2_and_says_what_is_right(row: str) -> None:
    command, _, said = row.partition(" => ")
    args = [FILES.get(word, word) for word in shlex.split(command)]
    call(*args).refused(2, *said.split(" && "))


def test_metrics_are_named_in_any_case() -> None:
    args = ("score", REFERENCE, "-i", SYSTEMS[0], "--format", "tsv", "-O")
    plain = call(*args, "frs.ties=rank", "-m", "frs,kendall").good()
    other = call(*args, "FRS.ties=rank", "-m", "FRS,Kendall", "--fail-under", "Frs=0.01").good()
    assert other.text == plain.text
    call(*args, "ties=rank", "-m", "FRS,frs").refused(2, "-m names a metric twice")
