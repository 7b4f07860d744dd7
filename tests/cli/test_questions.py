"""`edgewise pair`, `plan`, `compare` and `diff`: as in Python, in words and tables."""

from __future__ import annotations

import json

import numpy as np
import pytest

import edgewise as ew
from edgewise.methods.registry import registered
from edgewise.simulate import make_chain_precision, sample


class TestPair:
    def test_it_adjusts_for_all_others_and_says_so(self, run_main, csv_file, rows):
        out, err = run_main("pair", csv_file, "b", "a", "--method", "score")
        names = list("abcd")
        expected = ew.partial_test(
            rows, "b", "a", given=["c", "d"], feature_names=names, method="score"
        )
        assert out == expected.sentence() + "\n"
        assert " given c and d is " in out
        assert err == "edgewise: Adjusted for all 2 other columns; --given names fewer, or none.\n"
        out, err = run_main("pair", csv_file, "b", "a", "--given", "none", "--method", "wald")
        expected = ew.partial_test(rows, "b", "a", given=[], feature_names=names, method="wald")
        assert (out, err) == (expected.sentence() + "\n", "")

    def test_json_and_level(self, run_main, csv_file, tmp_path, rows):
        asked = ("pair", csv_file, "a", "c", "--given", "b", "--alpha", "0.01", "--method", "score")
        expected = ew.partial_test(csv_file, "a", "c", given="b", method="score")
        out, _ = run_main(*asked, "--json", "answer.json")
        assert out == expected.sentence(0.99) + "\n"
        answer = json.loads((tmp_path / "answer.json").read_text())
        assert answer["pvalue"] == expected.pvalue

    def test_what_cannot_be_asked(self, run_main, csv_file):
        for arguments, status, fragments in (
            (["a", "a"], 2, ["y: ", "'a' for both"]),
            (["a", "b", "--given", "c,b"], 2, ["given: ", "'b'", "which is y"]),
            (["a", "bb"], 1, ["y: ", "'bb'", "did you mean 'b'?", "'a', 'b', 'c', 'd'"]),
            (["a", "b", "--given", "cc"], 1, ["'cc'", "'c'"]),
            (["a", "b", "--method", "trace"], 2, ["method: ", "'trace'"]),
            (["a", "b", "--alpha", "1"], 2, ["alpha: "]),
            (["a", "b", "--json", "rows.csv"], 1, ["one of the inputs"]),
            (["a"], 2, ["Missing argument 'DATA...'"]),
        ):
            out, err = run_main("pair", csv_file, *arguments, status=status)
            assert out == ""
            for fragment in fragments:
                assert fragment in err


class TestPlan:
    def test_every_method_that_suits_says_how_many_rows(self, run_main, table_of, csv_file, rows):
        terms = {"power": 0.9, "alpha": 0.01}
        out, _ = run_main("plan", csv_file, "--effect", 0.2, "--power", 0.9, "--alpha", 0.01)
        assert out.startswith("To find a partial correlation of 0.2 (power 0.9, alpha 0.01")
        shown = table_of(out)
        for name, (guarantee, finds, typical, hardest) in shown.items():
            plan = ew.plan_sample_size(rows, effect=0.2, method=name, **terms)
            assert guarantee == registered()[name].guarantee
            assert typical == f"{plan.n_samples:,}"
            assert hardest == f"{int(np.nanmax(plan.pairs)):,}"
            effect = ew.detectable_effect(rows, method=name, **terms)
            assert finds == ("none" if np.isnan(effect) else f"{effect:.3f}")
        assert {"score", "batch", "kendall"} < {*shown} < {*registered()}
        missing = ew.plan_sample_size(rows, effect=0.2, method="score", **terms).n_samples - 400
        assert out.endswith(f"Collect {missing:,} more rows, or plan for a larger effect.\n")
        assert [*table_of(run_main("plan", csv_file, "--method", "entrywise")[0])] == ["entrywise"]

    def test_without_an_effect_it_says_what_the_rows_find(self, run_main, csv_file, rows):
        out, err = run_main("plan", csv_file)
        effect = ew.detectable_effect(rows, method="score")
        assert f"Your 400 rows find a partial correlation of {effect:.3f} (score, Holm " in out
        assert err == ""

    def test_what_cannot_be_planned(self, refused, csv_file):
        for arguments, status, fragment in (
            (["--effect", "1"], 2, "--effect: expected a number between 0 and 1, got 1.0"),
            (["--effect", "0.1", "--power", "1"], 2, "--power"),
            (["--effect", "0.1", "--columns", "a"], 1, "minimum of 2"),
        ):
            assert fragment in refused("plan", "rows.csv", *arguments, status=status)


class TestCompare:
    def test_the_methods_that_suit_have_a_line(self, run_main, table_of, csv_file, rows):
        asked = ("--alpha", "0.3", "--correction", "bh", "--columns", "a,b,c")
        out, err = run_main("compare", "rows.csv", *asked)
        assert err == ""
        shown = table_of(out)
        for line in ew.compare_methods(rows[:, :3], 0.3, "bh", ["score", "batch", "kendall"]):
            assert shown[line.label][2] == str(line.result.n_edges)
        assert "bounds on all entries at once, which need many rows: --all" in out
        assert "Use method 'score'" in out
        out, _ = run_main("compare", "rows.csv", *asked, "--all")
        # A level that one method refuses is that method's line.
        assert table_of(out)["spectral, trace"][1:] == ["–"] * 3
        assert "0.2151" in out

    def test_more_columns_than_rows(self, run_main, tmp_path):
        """One method has a result, all others one sentence between them; the advice names it."""
        np.save(tmp_path / "wide.npy", np.random.default_rng(0).standard_normal((40, 50)))
        out, err = run_main("compare", "wide.npy")
        (refusal,) = [line for line in out.splitlines() if "more rows than columns" in line]
        assert refusal.startswith("score, wald, batch, kendall, ")
        assert "\nUse method 'nodewise', which assumes a sparse graph" in out
        assert err == ""

    def test_null_is_what_python_says(self, run_main, table_of, csv_file, rows):
        asked = ("--null", "--shuffles", 10, "--alpha", 0.2, "--seed", 3, "--columns", "a,b,c")
        out, err = run_main("compare", csv_file, *asked)
        assert err.startswith("Next: shuffle 100 times")
        lines = ew.check_null(rows[:, :3], n_shuffles=10, alpha=0.2, random_state=3)
        shown = table_of(out)
        assert list(shown) == [line.label for line in lines]
        for line in lines:
            guarantee, with_edge, share, band, _ = shown[line.label]
            assert guarantee == line.guarantee
            assert with_edge == f"{line.n_with_edges}/10"
            assert share == f"{100 * line.share:.3g} %"
            assert band == " to ".join(f"{100 * end:.3g} %" for end in line.band)
        assert out.startswith("10 shuffles of 400 rows, without any edges\n")
        # So few shuffles recommend nothing.
        assert "No method significantly exceeded 20 %." in out
        assert "Shuffling also breaks any dependence between rows" in out

    def test_refusals(self, refused, csv_file):
        for arguments, status, sentence in (
            (["--alpha", "2"], 2, "--alpha: expected a number between 0 and 1, got 2.0."),
            (["--columns", "a"], 1, "minimum of 2"),
            (["--null", "--shuffles", "0"], 2, "--shuffles: expected a whole number from 1 on"),
            (["--null", "--all"], 2, "--null has none"),
            (["--null", "--transform", "normal-scores"], 2, "leave --transform out"),
            (["--shuffles", "5"], 2, "--shuffles and --seed are options of --null; add --null."),
        ):
            assert sentence in refused("compare", "rows.csv", *arguments, status=status)


class TestDiff:
    @pytest.fixture(scope="class")
    @classmethod
    def folder(cls, tmp_path_factory, write_csv):
        made = tmp_path_factory.mktemp("diff")
        a = sample("t5", make_chain_precision(4, -0.45), 400, rng=1)
        b = sample("t5", make_chain_precision(4), 500, rng=2)
        write_csv(made / "a.csv", "wxyz", a)
        write_csv(made / "b.csv", "zyxw", b[:, ::-1])
        labels = np.repeat(["drug", "placebo"], [400, 500]).astype(object)
        both = np.column_stack([labels, np.concatenate([a, b]).astype(object)])
        write_csv(made / "trial.csv", ["arm", *"wxyz"], both)
        subjects = np.repeat(np.arange(100), 9)[:, np.newaxis]
        subjects[:400] -= 1000
        write_csv(made / "subjects.csv", ["arm", *"wxyz", "subject"], np.hstack([both, subjects]))
        both[:, 0] = np.arange(900) % 3
        write_csv(made / "three.csv", ["arm", *"wxyz"], both)
        return made

    def test_two_files(self, run_edgewise, folder):
        done = run_edgewise("diff", "a.csv", "b.csv", cwd=folder)
        expected = ew.compare_groups(folder / "a.csv", folder / "b.csv", group_names=("a", "b"))
        shown = " ".join(done.stdout.split())
        assert expected.headline() in shown
        assert "That any pair differs: p " in shown
        assert shown.count(" – ") == expected.n_edges

    def test_by_a_column(self, run_edgewise, folder, tmp_path, require):
        done = run_edgewise(
            *("diff", folder / "trial.csv", "--by", "arm", "--permutations", 99, "--seed", 7),
            *("--json", tmp_path / "d.json", "--csv", tmp_path / "d.csv", "--exclude", "z"),
        )
        result = ew.compare_groups(
            folder / "trial.csv", by="arm", permutations=99, random_state=7, exclude="z"
        )
        assert json.loads((tmp_path / "d.json").read_text()) == json.loads(result.to_json())
        assert "99 permutations" in " ".join(done.stdout.split())
        frame = require("pandas").read_csv(tmp_path / "d.csv")
        assert list(frame["source"]) == [pair.source for pair in result.pairs()]
        assert list(frame["difference"]) == [pair.difference for pair in result.pairs()]
        assert "of the difference" in (tmp_path / "d.csv.notes.txt").read_text(encoding="utf-8")

    def test_pairs_clusters_a_page_and_a_picture(self, folder, run_edgewise, tmp_path):
        (tmp_path / "pairs.csv").write_text("source,target\nw,x\nx,y\n", encoding="utf-8")
        asked = ["--given", "z", "--pairs", f"{tmp_path}/pairs.csv", "--clusters", "subject"]
        outputs = ["--report", tmp_path / "d.html", "--plot", tmp_path / "d.svg"]
        done = run_edgewise("diff", "subjects.csv", "--by", "arm", *asked, *outputs, cwd=folder)
        shown = " ".join(done.stdout.split())
        assert "of 2 chosen pairs among 3 variables, adjusted for z," in shown
        assert "(400 rows in 45 clusters)" in shown
        assert "adjusted for z" in (tmp_path / "d.html").read_text(encoding="utf-8")
        assert (tmp_path / "d.svg").stat().st_size > 1000

    def test_three_levels(self, folder, run_edgewise):
        def printed(*more):
            return run_edgewise("diff", "three.csv", "--by", "arm", *more, cwd=folder).stdout

        shown = " ".join(printed().split())
        assert "3 groups, each against all others pooled" in shown
        assert shown.count("'all but ") == 3
        found = json.loads(printed("--json", "-", "--method", "wald"))
        assert len(found["compared"]) == 3
        lines = printed("--csv", "-").splitlines()
        assert {"source", "group_a", "group_b"} < {*lines[0].replace('"', "").split(",")}
        assert len(lines) == 1 + 3 * 6

    def test_states(self, run_edgewise, folder, tmp_path):
        for name in "ab":
            data = folder / f"{name}.csv"
            how = ("--n-batches", 50, "--columns", "w,x,y,z")
            run_edgewise("accumulate", data, "-o", tmp_path / name, *how)
        done = run_edgewise("diff", tmp_path / "a", tmp_path / "b")
        assert "method 'batch'" in " ".join(done.stdout.split())

    def test_refused(self, folder, run_edgewise):
        for arguments, status, words in (
            (["a.csv"], 2, "expected two groups, got 1"),
            (["a.csv", "b.csv", "trial.csv"], 2, "--by COLUMN"),
            (["a.csv", "b.csv", "--json", "-", "--csv", "-"], 2, "only one of them"),
            (["a.csv", "a.csv"], 1, "the file 'a.csv' in both"),
            (["a.csv", "missing.csv"], 1, "group 'missing': data: there is no file"),
            (["trial.csv", "--by", "ram"], 1, "did you mean 'arm'?"),
            (["a.csv", "b.csv", "--method", "score"], 2, "--method: "),
            (["a.csv", "b.csv", "--permutations", "3"], 2, "--permutations: expected at least 19"),
            (["a.csv", "b.csv", "--csv", "a.csv"], 1, "one of the inputs"),
        ):
            done = run_edgewise("diff", *arguments, cwd=folder, status=None)
            assert (done.returncode, done.stdout) == (status, ""), done.stderr
            assert words in done.stderr.splitlines()[-1]
