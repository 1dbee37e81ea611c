"""What tuning found, for every format."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from wordorder.messages import counted, number
from wordorder.report.document import Columns, Document, Output, Part, Table, Verbatim, fields_of
from wordorder.report.tables import Cell, columns_tsv, estimate
from wordorder.training.tuning.weights_file import Round, Tuned, TunedRounds

# As Moses prints them.
DECIMALS = 6

_BRIEF = ("objective", "value", "weights", "interval", "spread")


def tuning_output(tuned: Tuned, *, brief: bool) -> Output:
    """Show value and weights; JSON is brief where other programs read it alone."""
    found = _weights(tuned)
    return Output(
        lambda: _tuning_data(tuned, brief=brief),
        lambda: found,
        lambda: _tuning_document(tuned, found),
        lines=lambda: _unended(found),
    )


def _tuning_document(tuned: Tuned, found: Columns) -> Document:
    best = max(tuned.starts) if tuned.value >= tuned.before else min(tuned.starts)
    reached = _same(best, tuned.starts)
    lines = [
        tuned.objective,
        f"{_shown(tuned.value, tuned.interval)} ({number(tuned.before, DECIMALS)} before), "
        f"{counted(tuned.sentences, 'sentence')}, {counted(tuned.candidates, 'candidate')}",
    ]
    if _same(tuned.before, tuned.starts) == len(tuned.starts) > 1:
        lines.append(f"none of the {len(tuned.starts)} starts found a better value")
    elif len(tuned.starts) > 1:
        lines.append(f"{reached} of {len(tuned.starts)} starts reached it")
    parts = Verbatim("\n".join(lines), code=False), _table(found)
    return Document(parts, legends=True)


def _same(wanted: float, values: Sequence[float]) -> int:
    """Count the values that are printed like the wanted one."""
    return sum(abs(value - wanted) < 0.5 * 10.0**-DECIMALS for value in values)


def _shown(value: float, bounds: tuple[float, float] | None) -> str:
    """Write a value, and its interval if there is one."""
    return number(value, DECIMALS) if bounds is None else estimate(value, *bounds, DECIMALS)


def _table(found: Columns) -> Table:
    return replace(Table.of(found), decimals=DECIMALS)


def _unended(found: Columns) -> str:
    """Write columns as TSV without a last line end."""
    return columns_tsv(found).removesuffix("\n")


def _weights(tuned: Tuned | TunedRounds) -> Columns:
    """Return the weights of the features, with their intervals if there are any."""
    found: dict[str, list[Cell]] = {"feature": [*tuned.names], "weight": tuned.weights.tolist()}
    if isinstance(tuned, Tuned) and tuned.spread is not None:
        found |= {"low": tuned.spread[:, 0].tolist(), "high": tuned.spread[:, 1].tolist()}
    return found


def _data(tuned: Tuned | TunedRounds, more: dict[str, Any]) -> dict[str, Any]:
    found = {
        **fields_of(tuned, "objective value"),
        "weights": tuned.weights.tolist(),
        "features": list(tuned.names),
        **fields_of(tuned, "before method"),
        **more,
    }
    if tuned.interval is not None:
        found["interval"] = list(tuned.interval)
    return found


def _tuning_data(tuned: Tuned, *, brief: bool) -> dict[str, Any]:
    more = {"starts": list(tuned.starts), **fields_of(tuned, "sentences candidates")}
    found = _data(tuned, more)
    if tuned.spread is not None:
        found["spread"] = tuned.spread.tolist()
    return {key: each for key, each in found.items() if not brief or key in _BRIEF}


def round_line(made: Round, run: int | None = None) -> str:
    """Write what one round of tuning a decoder found; `run` is the number of its run."""
    where = f"round {made.number}" if run is None else f"run {run}, round {made.number}"
    many = counted(made.candidates, "candidate", commas=True)
    return f"{where}: {number(made.value, DECIMALS)}, {many} ({made.new:,} new)"


def rounds_output(tuned: TunedRounds) -> Output:
    """Show value, rounds, runs and weights of a tuned decoder."""
    found = _weights(tuned)
    return Output(
        lambda: _rounds_data(tuned),
        lambda: found,
        lambda: _rounds_document(tuned, found),
        lines=lambda: _unended(found),
    )


def _rounds_document(tuned: TunedRounds, found: Columns) -> Document:
    best = tuned.best
    lines = [
        tuned.objective,
        f"{_shown(tuned.value, tuned.interval)} ({number(tuned.before, DECIMALS)} before), "
        f"{counted(tuned.sentences, 'sentence')}; round {best.best.number} of "
        f"{counted(len(best.rounds) - 1, 'round')} is the best; {tuned.method}",
    ]
    parts: list[Part] = [Verbatim("\n".join(lines), code=False)]
    if len(tuned.runs) > 1:
        rows: list[list[Cell]] = [
            [str(run.seed), str(len(run.rounds) - 1), run.best.value] for run in tuned.runs
        ]
        mean = _shown(float(tuned.values.mean()), tuned.run_interval or (0.0, 0.0))
        parts += [Table(rows, ["seed", "rounds", "value"], DECIMALS), f"mean of the runs: {mean}"]
    return Document((*parts, _table(found)), legends=True)


def _rounds_data(tuned: TunedRounds) -> dict[str, Any]:
    runs = [
        {
            "seed": run.seed,
            "value": run.best.value,
            "weights": run.best.weights.tolist(),
            "rounds": [fields_of(made, "value candidates new") for made in run.rounds],
        }
        for run in tuned.runs
    ]
    found = _data(tuned, {"sentences": tuned.sentences, "seed": tuned.best.seed, "runs": runs})
    if tuned.run_interval is not None:
        found["run_interval"] = list(tuned.run_interval)
    return found
