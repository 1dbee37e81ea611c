"""Wrong commands: exit 2, and one line that says what is right; wrong data: exit 1.

Nothing is written, and no input is lost.
"""

import re
import shlex
from pathlib import Path

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TARGET, TREES, call, write
from tests.cli.test_train_augmented import BACKWARDS, ROOTS, TEXT
from tests.parsing.small_treebank import TREEBANK

from wordorder.samples import sample_path

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
score /dev/stdin -i - => only one input can be standard input
score REFERENCE -i - /dev/stdin => only one input can be standard input
align /dev/stdin /dev/stdin => only one input can be standard input
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
score TARGET -i SOURCE -m cder --language de => --language is for --aligner
score TARGET -i SOURCE --aligner exact+synonym => -O aligner-synonyms
score TARGET -i SOURCE -m frs --aligner exakt => did you mean 'exact'?
score TARGET -i SOURCE -m frs --aligner exact,stem => joins its modules by +: exact+stem
score TARGET -i SOURCE -m cder --aligner exact => which no metric here reads
score TARGET -i SOURCE -m meteor --aligner exact => -O meteor.language=...
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
score TARGET -i SOURCE -m '0.5*cder+0.5*bleu' => 'mix(formula=0.5*cder+0.5*bleu,better=higher)'
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
reference ALIGNMENTS --source SOURCE --check -O max-unaligned=nan => a share from 0 to 1
tree => Missing argument 'PERMUTATION'
tree '2 1' 3 => unexpected extra argument
path a => Missing argument 'REFERENCE'
path a b --svg - --format tsv => would mix
path a b --metrics long-jump --direction candidate => --direction and --substitution are for -m cder
list nothing => 'nothing' is not
demo extra => unexpected extra argument
analyze REFERENCE => --trees && -i FILE
analyze REFERENCE -i SYSTEM => --source FILE
analyze THREE --trees TREES => --trees cannot be combined with -i
analyze THREE --rules R5 => --rules cannot be combined with -i
analyze THREE -m frs => -m is for the grid
analyze THREE --focus head => unknown system 'head' && head-final
analyze THREE -O sentence-metric=uas => uas does not compare orders
analyze THREE -O sentence-metric=fsr => unknown metric 'fsr' && 'frs'
analyze THREE -O pictures=3 => -O pictures is for --html
analyze THREE --html a.html --sentence 73 => --sentence 73 && 72
analyze THREE --html - => --html needs a file
analyze THREE --html SOURCE => is an input too
analyze THREE --rule lrscore => --rule is for alignments
analyze THREE -i - --target - => only one input can be standard input
analyze ALIGNMENTS -i SYSTEM --source SOURCE --reference-alignments ALIGNMENTS
  => already holds alignments
analyze REFERENCE --trees TREES --rules R9 => R9 && `wordorder list rules`
analyze THREE --tokenizer 13a => --tokenizer is for translations && --input text
analyze THREE -r SOURCE => -r is for translations && --input text
analyze THREE --aligner exact => --aligner is for translations && --input text
analyze THREE --lowercase => --lowercase is for translations && --input text
analyze r.en => -i
analyze r.en -i a.en --gold-trees SOURCE => --gold-trees is for orders && --input orders
analyze r.en -i a.en --rules R5 => --rules is for orders && --input orders
analyze r.en -i a.en --parser en => --parser is for orders && --input orders
analyze r.en -i a.en -O word=the => -O word is for orders
analyze r.en -i a.en -O sentence-metric=frs => -O sentence-metric is for orders
analyze r.en -i a.en --rule lader => --rule lader is for orders && lrscore
analyze r.en -i a.en -m uas => uas compares dependency trees
analyze r.en -i a.en -m aer => aer compares alignments with gold
analyze r.en -i one=a.en --focus on => unknown system 'on' && 'one'
analyze r.en -i a.en --language other --aligner agreement => --source
analyze r.en -i a.en --language xx => language && 'xx'
analyze r.en -i a.en -O pictures=3 => -O pictures is for --html
analyze r.en -i a.en --html a.en => is an input too
analyze r.en -i a.en --html x.html --sentence 5 => 4 sentences
correlate => SET
correlate JUDGED --human mqm
  => unknown human score of judged ja-en 'mqm'; legal names: human, rankings
correlate JUDGED -m blue => did you mean 'bleu'
correlate JUDGED --statistic consistency => of which people compared pairs of outputs, not
correlate JUDGED --test williams --unit segment => --test williams is for pearson
correlate JUDGED --unit document => does not say which segments form a document
correlate JUDGED JUDGED => two sets are called 'judged ja-en'
correlate JUDGED --reference refB => did you mean 'ref'
correlate JUDGED --html no/such/page.html => cannot be created: no folder no/such
correlate JUDGED --html - => --html needs a file: standard output has the tables
correlate JUDGED --html JUDGED => judged.toml: is an input too
correlate JUDGED --fit lr-kb1.alpha -O curve=JUDGED => is an input too
correlate JUDGED --level 95 => --level
correlate JUDGED --scores - => --scores reads its files twice: they must be files
correlate no-such-set --figures no/pictures => cannot be created: no folder
evaluate REFERENCE => no trees: give --trees P1=FILE && --parser
evaluate REFERENCE --parser en => --source FILE
evaluate REFERENCE --trees TREES --rule R5 => (did you mean --rules?)
evaluate REFERENCE --trees TREES TREES => two && NAME=
evaluate REFERENCE --trees TREES --parser trees=en --source SOURCE => 'trees' && NAME=
evaluate REFERENCE --trees TREES --rules R1 R1 => rule sets && 'R1'
evaluate REFERENCE --trees TREES --rules R9 => R9 && `wordorder list rules`
evaluate REFERENCE --trees TREES --rules my.tmol => 'my.tmol' && files of rules end in .toml
evaluate REFERENCE --trees TREES --rule lrscore => --rule is for alignments
evaluate REFERENCE --trees TREES -O unaligned=drop => -O unaligned is for alignments
evaluate REFERENCE --trees TREES --one-based => --one-based is for alignments
evaluate ALIGNMENTS --trees TREES --rule aligned => lrscore -O unaligned=drop
evaluate ALIGNMENTS --trees TREES --rule lader -O unaligned=drop => lader && drop
evaluate REFERENCE --trees TREES -m bleu => bleu does not compare orders
evaluate REFERENCE --trees TREES -m nothing => nothing
evaluate REFERENCE --trees TREES -O beta=1 => beta
evaluate - --trees - => standard input
evaluate REFERENCE --trees TREES -O triangles=all --format tsv => -O triangles
evaluate --trees TREES REFERENCE => no REFERENCE && --trees takes all names that follow
evaluate REFERENCE --trees TREES -O frs.ties=rank --sensitivity => start with one way for all
score REFERENCE -i SYSTEM --fail-under frs=0.5 --compat moses => --fail-under
score REFERENCE -i SYSTEM --fail-under frs=0.5 --engine local -O plan => --fail-under needs scores
score REFERENCE -i SYSTEM --fail-under frs => expected METRIC=VALUE
score REFERENCE -i SYSTEM --fail-under frs= => expected METRIC=VALUE
score REFERENCE -i SYSTEM --fail-under frs=nan => expected METRIC=VALUE
score REFERENCE -i SYSTEM --fail-under =0.5 => expected METRIC=VALUE
score REFERENCE -i SYSTEM --fail-under kendal=0.5
  => unknown metric of --fail-under 'kendal' (did you mean 'kendall'?)
score REFERENCE -i SYSTEM --fail-under ulam=0.5 => legal names: frs, kendall
score REFERENCE -i SYSTEM -m frs,kendall --fail-under ulam=0.5 => legal names: frs, kendall
score REFERENCE -i SYSTEM -m frs --fail-under kendall=0.5 => unknown metric of --fail-under
reorder => reorder needs --rules NAME
reorder --rules R5 --by REFERENCE => one of the two
reorder --rules R55 => unknown rule set 'R55' (did you mean 'R5'?)
reorder --by REFERENCE --parser en => needs no parser
reorder --by REFERENCE --tokenizer model => given orders do not need
reorder --rules R5 -O missing=end => -O missing is for --by
reorder --by REFERENCE -O missing=drop --to conllu => a tree cannot lose words
reorder --by - => only one input can be standard input
reorder --by REFERENCE --alignments ALIGNMENTS => --alignment-output FILE, or --to alignment
reorder --by REFERENCE --to alignment => alignment to reorder: --alignments FILE names it
reorder --by REFERENCE --alignment-output x => --alignments FILE names it
reorder --rules R1 -O side=target => -O side is for --alignments
reorder --rules R1 --one-based => --one-based is for --alignments
reorder --by REFERENCE --alignment-format lader => --alignment-format is for --alignments
reorder --by REFERENCE --orders-output - => two outputs have one name
reorder --by REFERENCE --factors form,tag => unknown factor 'tag'
reorder --by REFERENCE --factors form --tokenizer english => tokenised already
reorder TREES --by REFERENCE --factors form => factors are for text
reorder --rules R5 --parser no-such => no-such
reorder --rules R5 --parser udpipe:no-such => udpipe
reorder --by a.orders --orders-output a.orders => is an input too
reorder a.en --by a.orders -o a.en => is an input too
reorder a.en --rules r.toml -o r.toml => is an input too
reorder TREES --rules R2 -O strict => -O strict is for
score REFERENCE -i REFERENCE -O strict => -O strict is for
rules chek => unknown action 'chek' (did you mean 'check'?); legal names: check, explain
rules check => Missing argument 'FILE...'
rules check - - => only one input can be standard input
rules check R1 r5 => unknown rule set 'r5' (did you mean 'R5'?)
rules show => Missing argument 'NAME'
rules show R9 => unknown built-in rule set 'R9' && `wordorder list rules`
rules explain R5 => explain needs --text TEXT or --trees FILE, one of the two
rules explain R5 --text a --trees b => one of the two
rules explain R5 --text a --sentence 1 => --sentence is for --trees FILE
rules explain R5 --trees TREES --sentence 0 => a number from 1
rules explain R5 --trees TREES --sentence b => expected a number from 1, or sent_id=ID
rules explain R5 --trees TREES --tokenizer english => --tokenizer is for --text
rules explain - --trees - => only one input can be standard input
rules explain R9 --text a => unknown rule set 'R9' && `wordorder list rules`
rules explain R5 --text a --parser none => none: no such model or file
train parsers => unknown kind of model 'parsers' (did you mean 'parser'?)
train parser -o m => Missing argument 'TRAIN...'
train parser TREES => Missing option '-o'
train parser a.conllu -o a.conllu => is an input too
train parser TREES -o m --add m 0 => --add
train parser - -o m --dev - => only one input
train parser TREES -o m --recipe P1 --beam 4 => has beam 1, not 4
train parser TREES -o m --algorithm graph --beam 4 => beam is for
train parser TREES -o m --tagger none --tags jackknife => tags are jackknifed
train parser TREES -o m -O shards=99 => 99 shards of 72 instances
train parser TREES -o m --package 'Wordorder DE' => expected lower case, digits and -: wordorder-de
train parser TREES -o m --package wordorder-en => en is the model that comes with wordorder
train parser TREES -o m --package toy --tagger none => --package needs a tagger
train parser none.conllu -o no/m => no/m: cannot be created: no folder
train parser none.conllu -o . => cannot be created
train parser none.conllu -o m.gz => not compressed
train parser none.conllu -o - => -o needs the name of a file
train tagger none.conllu -o no/m => no/m: cannot be created: no folder
train tagger none.conllu -o . => cannot be created
train tagger none.conllu -o m.gz => not compressed
train tagger none.conllu -o - => -o needs the name of a file
train tagger TREES -o m -O known-words=open => is for model=tnt
train tagger TREES -o m --model tnt --epochs 2 => model=perceptron
train tagger TREES -o m --model tnt --resume => resume is for model=perceptron
AUGMENTED --augment order text.txt => 0 -O augment-reference for 1 --augment order
AUGMENTED -O kbest=4 => -O kbest is for --self-train and --augment
AUGMENTED --rules R5 => --rules is for --self-train and --augment
AUGMENTED --augment root roots.conllu --rules R5 => the loss order needs rules
AUGMENTED --augment none text.txt => unknown cost 'none' && arc-length,
AUGMENTED -O primary=order => unknown cost 'order'
AUGMENTED -O primary=las -O augment-start=4 => begin after 4 epochs && has 4;
AUGMENTED -O primary=las --epochs 1 => the further losses begin after 1 epoch,
AUGMENTED -O primary=bleu => bleu does not judge trees
AUGMENTED -O ratio=1 => -O ratio is for --augment
AUGMENTED --augment root roots.conllu -O ratio=0 => a ratio is a number
AUGMENTED --augment root roots.conllu -O ratio=1 -O ratio=2 => 2 -O ratio
AUGMENTED --augment root roots.conllu -O grow=4 => lists of 8 && to 4
AUGMENTED --augment root roots.conllu -O split-hyphens => -O && split-hyphens
AUGMENTED --augment nowhere:cost text.txt => 'nowhere:cost' cannot be loaded
AUGMENTED --one-based => --one-based is for --self-train and --augment
AUGMENTED --augment root roots.conllu -O unaligned=drop => --augment order
FOR_ORDER augment-reference=text.orders -O unaligned=drop => -O unaligned is for alignments
AUGMENTED --augment las train.conllu --self-train a b => one of the two
AUGMENTED -O grow=8 --self-train a b => -O grow is for --augment
AUGMENTED --augment root roots.conllu -m tau => -m is for --augment order
AUGMENTED --augment root - --augment las - => one input can be standard
AUGMENTED --augment root roots.conllu --tagger none -O data-tags=predict
  => -O data-tags=predict needs a tagger
AUGMENTED -O data-tags=auto => -O data-tags is for --self-train and --augment
FOR_ORDER augment-reference=text.orders -o text.txt => text.txt: is an input too
FOR_ORDER augment-reference=text.orders -o text.orders => text.orders: is an input too
FOR_ORDER augment-reference=text.orders --rules r.toml -o r.toml => r.toml: is an input too
ORDER --trees TREES --parser en => --trees or --parser, not both
ORDER --model consensus --tagger en => consensus reads trees
ORDER --model linear --member linear 1 => --member is for --model consensus
ORDER --model consensus --member R9 1 => unknown member 'R9'
ORDER -m bleu => bleu does not compare orders; legal names: exact, frs,
ORDER -m frss => did you mean
ORDER --resume -O restart => one of the two
ORDER --rule topdown-btg -O unaligned=next => take the rule
train rules TREES REFERENCE -o m.toml -m bleu => bleu
train rules TREES REFERENCE -o m.toml -m frs,kendall => one metric
train rules TREES REFERENCE -o m.toml --start R55 => R55
train rules TREES REFERENCE -o m.toml -O held-out=.7 => held-out
train rules TREES REFERENCE -o m.toml -O 'name=my rules'
  => -O name='my rules': expected 1 to 100 characters
train rules TREES REFERENCE -o r.toml --start r.toml => r.toml: is an input too
train rules TREES REFERENCE -o m.toml --resume -O restart => one of the two
MODEL => -o
MODEL -o - => -o needs the name of a file
train translation - - -o m => only one input can be standard input
MODEL -o m --rules R55 => R55 && R5
MODEL -o m --parser en => name the rules
MODEL -o m --aligner giza => giza && agreement
MODEL -o m --symmetrize gdfa => gdfa && grow-diag-final-and
MODEL -o m -O max-phrase=9 => 9
MODEL -o m --reordering none => none && msd && maxent
MODEL -o m -O seed=2 => -O seed is for --reordering maxent
MODEL -o no/such/m => no/such
train translation a.en a.de -o a.de => is an input too
translate => Missing argument 'MODEL'
translate absent => absent: no such file
score TREES -i TREES -m uas,cder => uas compares dependency trees, in a run of its own: `wordorder
score TREES -i TREES -m 0.5*uas-0.5*cder => mix compares dependency trees, in a run of its own
score TREES -i TREES -m all,cder
  => cder does not read trees, as which  && name metrics of one kind
score TREES -i TREES --lowercase => --lowercase is for translations, but && name some with -m
score TREES -i TREES --source TREES => --source is for translations, but
score TREES -i TREES --aligner exact => --aligner is for translations, but
score TREES -i TREES -m uas --one-based => --one-based is for translations, but
score TREES -i TREES -m uas --input text => uas compares dependency trees
score TREES -i TREES -m label-f1 => label-f1 needs a label
score TREES -i TREES -m nsubj:pass -O subtypes=drop => nsubj:pass has a subtype
score REFERENCE -i REFERENCE -m uas => uas compares dependency
score a.en -i a.en -m wer -O multiple-roots => is for trees
tune => expected NBEST and REFERENCE
tune nbest => expected NBEST and REFERENCE
tune nbest r.one -m lrscor => did you mean 'lrscore'?
tune nbest r.one -m lrscore => --aligner exact+stem
tune nbest r.one -m bleu,ter => several metrics
tune nbest r.one --method mira -O points=3 => -O points is for
tune nbest r.one --resamples 3 => --resamples is for --confidence
tune nbest r.one --resume => are for -o
tune nbest r.one -o nbest => is an input too
tune nbest r.one -r r.one -o r.one => is an input too
tune nbest r.one -r r.one --reranked r.one => is an input too
tune nbest r.one -o - => -o needs the name of a file
tune nbest r.one --reranked - => --reranked needs the name of a file
tune nbest r.one -o no/w => no/w: cannot be created: no folder
tune nbest r.one --reranked no/w => no/w: cannot be created: no folder
tune nbest r.one -o . => .: cannot be created: not a file
tune nbest r.one --reranked . => .: cannot be created: not a file
tune nbest r.one -o w --reranked ./w => weights and lists need files of their own
tune - - => only one input can be standard input
tune - r.one --nbest - => only one input can be standard input
tune - r.one --start - => only one input can be standard input
tune a.en r.one -O rounds=2 => -O rounds is for a translation model
tune a.en r.one -O runs=2 => -O runs is for a translation model
tune a.en r.one -O kbest=2 => -O kbest is for a translation model
tune a.en r.one -O beam=2 => -O beam is for a translation model
tune a.en r.one -O window=2 => -O window is for a translation model
align a.en a.de --model giza => unknown aligner 'giza'
align a.en a.de --symmetrize grow-all => --symmetrize
align a.en a.de --load m -O iterations=3 => --load uses a model as it is
align a.en a.de --load m --save n => --load uses a model as it is
align a.en a.de --load m --model hmm => --load uses a model as it is
align a.en a.de --load m => m: no such file
align a.en a.de --save - => the name of a file
align a.en a.de --save x.gz => x.gz: a model is written to a file that is not compressed
align a.en a.de --save no/such/x => no folder no/such
align a.en a.de --save x -o x => two names
align a.en a.de -O iterations=0 => -O iterations
align a.en a.de -o a.en => is an input too
align a.en a.de --save a.de => is an input too
align - - => only one input
path - - => only one input can be standard input
path three.en three.de --svg - => three.en has 3 && --sentence
path three.en three.de --sentence 3 --svg three.de => is an input too
path three.en 'we met at six' => three.en is a file && --literal
path 'we met at six' three.de => three.de is a file && --literal
path 'a b' 'b a' --sentence 1 => --sentence is for files
path three.en three.de --literal --sentence 1 => --sentence is for files
tree '1 2' --svg - --format json => would mix
tree '2 1' --sentence 1 => --sentence is for files
tree SYSTEM --svg x.svg => one permutation && --sentence
tree permutation --svg permutation => is an input too
convert => TREES
convert a.mrg -o a.mrg => is an input too
convert - - => is listed twice
parse en a.mrg => convert them first: `wordorder convert
reference links --source a.en -o links => is an input too; give the output another name
reference links --source a.en -o a.en => is an input too; give the output another name
reference links --source a.en -o symlink => is an input too; give the output another name
reference ALIGNMENTS --source SOURCE --check -o - => standard output
score a.en -i x=a.en -o a.en => is an input too
score a.en -i a.en -o no/x => no folder
score a.en -i a.en -o . => not a file
score a.en -i a.en -m nosuch -o x => nosuch
reference links --source a.en -O linsk=sure => unknown setting 'linsk' (did you mean 'links'?)
reference links --source a.en -O links => -O links needs a value: -O links=all|sure
reference links --source a.en -O links=some => -O links=some: expected all, sure, or
reference links --source a.en -O strict=perhaps => -O strict=perhaps: legal values: yes, no
reference links --source a.en -O unalinged=drop
  => unknown setting 'unalinged' (did you mean 'unaligned'?
reference links --source a.en -O rule=lader => unknown setting 'rule' (did you mean '--rule'?)
score a.en -i a.en -O normalise=NFC => unknown setting 'normalise' (did you mean 'normalize'?
score a.en -i a.en -O tokeniser=13a => unknown setting 'tokeniser' (did you mean '--tokenize
score a.en -i a.en -O resamples=5 => unknown setting 'resamples' (did you mean '--resamples'
score a.en -i a.en -m cder -O ties=rank => has an option 'ties'
score a.en -i a.en -O penalti=length => has an option 'penalti' (did you mean 'penalty'?)
score a.en -i a.en -O cder.penalti=mean => option of cder 'penalti' (did you mean 'penalty'?)
score a.en -i a.en -m cder,bleu -O blue.smooth=exp
  => 'blue' is not among the metrics cder,bleu (did you me
# An option of other metrics, and almost one of the command.
score a.en -i a.en -m cder -O tokenize=13a => 'tokenize'; this command has --tokenizer
score a.en -i a.en --tok zh => sacreBLEU's; here: --tokenizer
score a.en -i a.en -w 4 => sacreBLEU's; here: four decimals
analyze a.en b.en c.en => unexpected extra arguments && -i names systems
score a.en -i a.en --tokenise 13a => No such option '--tokenise' (did you mean --tokenizer?)
score a.en -i a.en --strct => No such option '--strct' (did you mean -O strict?)
score a.en -i a.en --qqqq => No such option '--qqqq'; `wordorder score --help-all` has all
score a.en -i a.en --engine local -O workers=2
  => unknown setting 'workers' (did you mean '--threads'?)
score a.en -i a.en --engine local --jobs 2 => No such option '--jobs' (did you mean --threads?)
# Near the old name, not the new one.
tag a --multipl-roots => No such option '--multipl-roots'; `wordorder tag --he
translate a b --kbst 3 => No such option '--kbst' (did you mean --kbest?)
explain => unknown command 'explain' (did you mean 'rules explain'?)
tagger => unknown command 'tagger' (did you mean 'train tagger'?)
scroe => unknown command 'scroe' (did you mean 'score'?)
"""
WRONG_DATA = """
correlate no-such-set => no-such-set: No such file
correlate no-such:en-de => no-such: no such folder; expected a folder of mt-metrics-eval
rules explain R5 --text ' ' => the sentence: no words; expected a sentence
rules explain R5 --text '' => the sentence: no words; expected a sentence
rules explain R5 --trees TREES --sentence 73 => 72 sentences; expected a num
rules explain R5 --trees TREES --sentence sent_id=x => no sentence with sent_id 'x'
rules explain R5 --trees none.conllu => none.conllu: No such file
rules explain none.toml --trees TREES => none.toml: No such file
rules explain R5 --trees bare.conllu => a sentence without a tree; expected heads, or
train parser none.conllu -o m => none.conllu: No such file
train tagger none.conllu -o m => none.conllu: No such file
train tagger bare.conllu -o m => bare.conllu: words without tags
train rules bare.conllu one.orders -o m.toml => bare.conllu:1: no head
train rules empty.conllu empty.orders -o m.toml => empty.orders
train order TREES links -o m => links
train order short links -o m --trees TREES => trees.conllu
train translation SOURCE none -o m => none
train translation SOURCE short -o m => source.en: 72 lines, but short has 1
train order push.en ALIGNMENTS -o m --trees TREES => sentence 1: the word
train rules TREES ten.orders -o m.toml => ten.orders: 10 sentences, but
train rules TREES beyond72.orders -o m.toml
  => beyond72.orders:2: position 12, but the sentence has
train rules TREES none72.orders -o m.toml => no sentence has two words to order
train rules TREES twice72.orders -o m.toml => twice72.orders:1
train parser roots.conllu -o m
  => no head && trees given in part are for `wordorder train parser --augment`
AUGMENTED --augment root missing.conllu => missing.conllu
AUGMENTED --augment root empty.txt => empty.txt: no words
AUGMENTED --augment root text.txt => text.txt: no heads; expected some, for the loss
FOR_ORDER augment-reference=short.orders => short.orders: 26 rows, but && has more sentences
FOR_ORDER augment-reference=long.orders => long.orders: more rows than the 27 sentences
FOR_ORDER augment-reference=beyond.orders => beyond.orders:27: position 99 && 7 words
train translation short short -o m --alignments ALIGNMENTS => 72 && short
train translation short short -o m --alignments far => far:1 && 5
train translation special special -o m => special:1: the word <s>
translate SOURCE SOURCE => source.en
reorder two.en --by two.orders -o b --alignments two.align --alignment-output c
  => two.align:2:1: link 2-0 points past the source (2 tokens)
reorder two.en --by past.orders
  => past.orders:2: position 2, but the sentence has 2 words; expected positions below 2
score two.orders -i two.en => two.en:1:1:  && for reordered source lines, give --source
evaluate long72.orders --trees TREES => long72.orders && 73 sentences, but && trees.conllu has 72
evaluate beyond72.orders --trees TREES => beyond72.orders:2: position 12, but the sentence has
evaluate REFERENCE --trees TREES push.conllu
  => push.conllu: sentence 1 && word 1: 'Push' && 'Press'
evaluate REFERENCE --trees TREES a.conllu => a.conllu: 1 sentence, but && trees.conllu has 72
evaluate REFERENCE --trees lists.conllu
  => lists.conllu && tree 2 has # rank = 2 && one tree per sent
evaluate one.align --trees TREES => one.align && 72
evaluate far72.align --trees TREES => far72.align:1 && 99
evaluate SOURCE --trees TREES => source.en:1:1 && --input alignments
evaluate links.txt --trees TREES => links.txt:1:3 && --input alignments
evaluate REFERENCE --trees SOURCE => source.en:1
evaluate REFERENCE --trees no.conllu => no.conllu
analyze REFERENCE -i one.orders --source SOURCE => one.orders && 1 && 72
analyze one.orders -i SYSTEM --source SOURCE => one.orders && 1 && 72
analyze REFERENCE -i SYSTEM --source SOURCE --target one.orders => one.orders && 1 && 72
analyze REFERENCE --trees TREES --target one.orders => one.orders && 1 line, but && trees.conllu has
analyze REFERENCE --trees TREES --source one.orders => one.orders && 1 && 72
analyze REFERENCE -i beyond72.orders --source SOURCE => beyond72.orders:2 && position 12
analyze REFERENCE -i push.en --source SOURCE => push.en:1 && Push && .orders
analyze REFERENCE -i SYSTEM --source SOURCE --gold-trees push.conllu
  => push.conllu && Push && Press
analyze ALIGNMENTS --trees TREES --target a72.ja => alignments.talbot:1 && a72.ja
tune nbest nbestx => No such file
tune broken r.one -o w --reranked r => broken:2: 'nan'; expected a number
tune beyond r.one => beyond:1: sentence 99, but && has 1 line
tune long r.one => long:1:  && expected the number of a sentence
align a.en short -o x => a.en: 4 lines, but short has 1
align a.en a.de --load a.en => no model file
align a.en none => No such file
align odd word --format talbot => word:1: a single unaligned target word
align many many => 5000 and 5000 words && split the sentences
align latin latin => latin:2:3: byte 0xff
path a.en short => a.en: 4 lines, but short has 1
path three.en three.de --sentence 4 => three.en: 3 lines && not 4
tree three --sentence 2 => three:2: no permutation
tree three --sentence 4 => three: 3 lines && not 4
tree '1 1' => permutation:3: 1 is listed twice
tree '5 6' => permutation:1: 5 is out of range
tree '0 2' => permutation:3: 2 is out of range
tree '' => permutation: no numbers
tree '1 -2' => permutation:3: '-2'
tree 100000000000000000000 => permutation:1:
tree 'no such file' => no such file: neither a file nor a permutation
tree ' word word word word word word word word word word word word word word word word word word'
  => word word...: neither a file nor a permutation
score bad.orders -i bad.orders => bad.orders:2:4:
compare bad.orders -i bad.orders => bad.orders:2:4:
reference links --source a.en --one-based => links:1:1:  && below 1
reference bad.align --source a.en -o x => bad.align:2:6:
reference bad.align --source a.en --check => bad.align:2:6:
reference bad.talbot --source a.en => bad.talbot:2:3:
reference links --source short --check => links: 4 lines, but short has 1
reference far --source short --check => far:1:1: link 5-0 points past the source (2 tokens)
reference far --source short -O strict => far:1:1: link 5-0 points past the source (2 tokens)
tree missing.txt => missing.txt: neither a file nor a permutation
tree 'no such file' --literal => permutation:1: 'no'
tree '1 2' --words 'a b c' => 3 words; expected 2
convert none.mrg => none.mrg
convert torn.mrg -o b.conllu => torn.mrg:2: && lacks 1 ')'
reference ALIGNMENTS --source SOURCE --check -O allow=none => No such file
reference ALIGNMENTS --source SOURCE --check -O allow=latin => latin:2:3: byte 0xff
"""
# What stands for files of the sample, and for the beginning of a command.
NAMES = {"REFERENCE": REFERENCE, "SYSTEM": SYSTEMS[0], "ALIGNMENTS": ALIGNMENTS, "TREES": TREES}
NAMES |= {"SOURCE": SOURCE, "TARGET": TARGET, "JUDGED": str(sample_path("judged.toml", "judged"))}
NAMES |= {"HEAD_FINAL": SYSTEMS[2]}
BEGINNINGS = {
    "THREE": "REFERENCE -i SYSTEM HEAD_FINAL --source SOURCE",
    "FOR_ORDER": "AUGMENTED --augment order text.txt --rules R5 -O",
    "AUGMENTED": "train parser train.conllu -o m --epochs 4",
    "ORDER": "train order SOURCE ALIGNMENTS -o m",
    "MODEL": "train translation SOURCE TARGET",
}
# All but the first line.
UNCHANGED = Path(SYSTEMS[0]).read_text().partition("\n")[2]
X = "\t_\tX\tX\t_\t0\troot\t_\t_"
SHORT = "".join(BACKWARDS.splitlines(keepends=True)[:-1])
FILES: dict[str, str | bytes] = {
    "a.en": "the house\nthe book\n\na book\n",
    "a.de": "das haus\ndas buch\nx\nein buch\n",
    "r.en": "a house\nthat book\nyes\nthe book\n",
    "short": "a b\n",
    "odd": "\n",
    "word": "x\n",
    "many": "a " * 5000 + "\n",
    "latin": b"a\nb \xff\n",
    "special": "a <s>\n",
    "links": "0-0\n0-0\n\n0-0\n",
    "far": "5-0\n",
    "bad.align": "0-0\n0-0  0--1\n\n0-0\n",
    "bad.talbot": "0,1\n0,--1,1\n\n0\n",
    "bad.orders": "0 1\n0  1-a\n",
    "a.orders": "1 0\n1 0\n\n1 0\n",
    "one.orders": "1 0\n",
    "empty.orders": "",
    "empty.conllu": "",
    "a.conllu": "1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n\n",
    "bare.conllu": "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
    "r.toml": '[[rule]]\norder = ["*", "self"]\n',
    "nbest": "0 ||| a b ||| f= 1 2 ||| 0\n0 ||| b a ||| f= 2 1 ||| 0\n",
    "broken": "0 ||| a ||| f= 1\n0 ||| a ||| f= nan\n",
    "beyond": "99 ||| a ||| f= 1\n",
    "long": "0" * 5000 + "1 ||| a ||| f= 1\n",
    "r.one": "b a\n",
    "three.en": "b a\n\non tuesday we met at six\n",
    "three.de": "a b\nyes\nwe met at six on tuesday\n",
    "three": "2 4 1 3\n\n1 0\n",
    "permutation": "2 4 1 3\n",
    "a.mrg": "( (S (NP-SBJ (PRP It)) (VP (VBZ rains))) )\n",
    "torn.mrg": "( (S (NP-SBJ (PRP It)) (VP (VBZ rains))) )\n(S",
    "two.en": "a b\nc d\n",
    "two.align": "0-0\n2-0\n",
    "two.orders": "1 0\n1 0\n",
    "past.orders": "1 0\n0 1 2\n",
    "ten.orders": "0\n" * 10,
    "none72.orders": "\n" * 72,
    "twice72.orders": f"0 0\n{UNCHANGED}",
    "long72.orders": f"0 1 2\n{UNCHANGED}0\n",
    "beyond72.orders": "0 1 2\n" + UNCHANGED.replace("\n", " 12\n", 1),
    "one.align": "0-0\n",
    "far72.align": "99-0\n" + "\n" * 71,
    "links.txt": Path(ALIGNMENTS).read_bytes(),
    "a72.ja": "a\n" * 72,
    "push.en": Path(SOURCE).read_text().replace("Press", "Push"),
    "push.conllu": Path(TREES).read_text().replace("\tPress\t", "\tPush\t"),
    "lists.conllu": "".join(f"# rank = {n}\n# score = 0\n1\ta{X}\n\n" for n in (1, 2)),
    "empty.txt": "",
    "text.txt": TEXT,
    "train.conllu": TREEBANK,
    "roots.conllu": ROOTS,
    "text.orders": BACKWARDS,
    "short.orders": SHORT,
    "beyond.orders": f"{SHORT}99 0\n",
    "long.orders": f"{BACKWARDS}0\n",
}


def rows(table: str) -> list[str]:
    lines = table.replace("\n  ", " ").strip().split("\n")
    return [line for line in lines if not line.startswith("#")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("files")
    for name, content in FILES.items():
        write(made, name, content)
    (made / "symlink").symlink_to("links")
    return made


def places(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Return of each file which it is, its size and when it was written."""
    found = {path.name: path.stat() for path in folder.iterdir()}
    return {name: (at.st_ino, at.st_size, at.st_mtime_ns) for name, at in found.items()}


@pytest.mark.parametrize(
    ("row", "status"),
    [*((row, 2) for row in rows(WRONG)), *((row, 1) for row in rows(WRONG_DATA))],
)
def test_a_wrong_command_says_what_is_right(
    row: str, status: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = places(folder)
    command, _, said = row.partition(" => ")
    for name, beginning in BEGINNINGS.items():
        command = re.sub(rf"\b{name}\b", beginning, command)
    args = [re.sub(r"[A-Z_]+$", lambda n: NAMES.get(n[0], n[0]), w) for w in shlex.split(command)]
    call(*args).refused(status, *said.split(" && "))
    assert places(folder) == before


def test_metrics_are_named_in_any_case() -> None:
    args = ("score", REFERENCE, "-i", SYSTEMS[0], "--format", "tsv", "-O")
    plain = call(*args, "frs.ties=rank", "-m", "frs,kendall").good()
    other = call(*args, "FRS.ties=rank", "-m", "FRS,Kendall", "--fail-under", "Frs=0.01").good()
    assert other.text == plain.text
    call(*args, "ties=rank", "-m", "FRS,frs").refused(2, "-m names a metric twice")
