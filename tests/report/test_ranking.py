from wordorder.report.scores import cluster_reading, rank_table

NAMES = ["none", "rules", "tree", "reversed"]
RANGES = [(2, 3), (1, 1), (2, 3), (4, 4)]
VALUES = [0.61, 0.8, 0.62, 0.1]


def test_clusters_stand_apart() -> None:
    assert rank_table(NAMES, VALUES, RANGES, [(1,), (2, 0), (3,)]).split("\n") == [
        *("rank  system     value", "----  --------  ------", "1     rules     0.8000", ""),
        *("2-3   tree      0.6200", "2-3   none      0.6100", "", "4     reversed  0.1000"),
    ]


def test_one_cluster() -> None:
    lines = rank_table(["a", "b"], [50.0, 49.5], [(1, 2), (1, 2)], [(0, 1)], decimals=1).split("\n")
    assert lines == [
        "rank  system  value",
        "----  ------  -----",
        "1-2   a        50.0",
        "1-2   b        49.5",
    ]


def test_readings() -> None:
    assert cluster_reading(NAMES, [(1,), (2, 0), (3,)]) == (
        "The test tells 3 groups apart (95 %), best first: rules; tree and none; reversed."
    )
    assert cluster_reading(["a", "b"], [(1, 0)]) == (
        "The test does not tell groups apart (95 %): b and a stay together."
    )
    assert cluster_reading(["a"], [(0,)]) == "There is only one system to rank."
