"""The divide-and-conquer method: its G and steps for the worked example, agreement with the null space, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from oracle.reaction_columns import draft_of_reference, equilibrium
from reactions.mechanisms import overconstrained

import symgen
from symgen.errors import InputError
from symgen.reactions.assembly_method import AssemblyMethod
from symgen.reactions.self_stress import self_stresses
from symgen.reactions.wrenches import wrench_system
from symgen.simulate.start.initial import assembled

HERE = Path(__file__).resolve().parent
#: Random mechanisms; the default tier takes some of them.
MANY = 1000


@pytest.mark.parametrize("name", ["dca_example", "fourbar_spatial"])
def test_the_method_says_what_the_reference_data_say(name: str) -> None:
    reference = json.loads((HERE / "references" / f"{name}.json").read_text(encoding="utf-8"))
    wanted = reference["verdicts"]["dca"]
    groups = {",".join(each): each for each in map(list, wanted["groups"])}
    draft = draft_of_reference(reference["model"], name)
    found = symgen.reactions(symgen.Mechanism.from_dict(draft), tool="dca", sets=groups)
    assert found.status == "OK"
    assert found.assemblies is not None
    assert (found.assemblies.size, found.assemblies.rank) == (wanted["G_size"], wanted["G_rank"])
    assert found.assemblies.ground == {joint: each["unique"] for joint, each in wanted["ground_joints"].items()}
    assert found.assemblies.joints == wanted["propagated"]
    for text, letters in groups.items():
        each = wanted["groups"]["".join(letters)]
        assert (found.sets[text].effect_unique, found.sets[text].unique) == (each["unique"], each["unique_components"])


def test_the_matrix_of_the_ground_is_that_of_dense_elimination(repository: Path) -> None:
    """G = T^T Phi T up to the units of its columns: eliminate the inner joints from M and all constraints at once."""
    file = repository / "tests" / "reactions" / "references" / "dca_example.json"
    draft = draft_of_reference(json.loads(file.read_text(encoding="utf-8"))["model"], "dense")
    columns, slices, _ = equilibrium(draft)
    inner = [name for name, joint in draft["joints"].items() if "ground" not in joint["bodies"]]
    ground = [name for name in draft["joints"] if name not in inner]
    rows, poses = assembled(symgen.Mechanism.from_dict(draft))
    # All bodies have mass one and, in units of the size, inertia one.
    lighter = np.diag([1.0, 1.0, 1.0, *[1.0 / rows.size**2] * 3] * len(draft["bodies"]))
    a_in = np.hstack([columns[:, slices[name]] for name in inner])
    a_out = np.hstack([columns[:, slices[name]] for name in ground])
    compound = lighter - lighter @ a_in @ np.linalg.solve(a_in.T @ lighter @ a_in, a_in.T @ lighter)
    wanted = a_out.T @ compound @ a_out
    units = np.sqrt(np.diag(wanted))
    method = AssemblyMethod(wrench_system(rows, poses))
    np.testing.assert_allclose(method.matrix, wanted / np.outer(units, units), rtol=0, atol=1e-11)
    assert method.matrix.shape == (18, 18)
    sizes = np.linalg.svd(method.matrix, compute_uv=False)
    assert sizes[16] > 1e-3
    assert sizes[17] < 1e-14


def test_the_steps_are_told_in_order(repository: Path) -> None:
    found = symgen.reactions(repository / "examples" / "reactions" / "spatial_parallelogram.toml", tool="dca")
    numbers = [step.split(":")[0].split(",")[0] for step in found.steps]
    assert numbers[0] == "step 1"
    assert "step 3" in numbers
    assert numbers.index("step 2") < numbers.index("step 3") < numbers.index("step 4") < numbers.index("step 6")
    text = "\n".join(found.steps)
    assert "Phi of the whole 36 x 36, T 36 x 18, G = T^T Phi T 18 x 18" in text
    assert "rank G = 17 of 18; not unique on the ground: A, C, E, G" in text
    assert "rod10 has one joint, R, which is unique" in text
    assert "step 4, A: rank G_T + rank G_R = 3 + 15 > 17 = rank G: not unique" in text
    assert "step 4, K: rank G_T + rank G_R = 3 + 14 = 17 = rank G: unique" in text


@pytest.mark.parametrize("name", ["spatial_parallelogram", "bricard", "bennett", "door", "slider_crank"])
def test_the_null_space_of_the_ground_goes_back_down_the_tree(repository: Path, name: str) -> None:
    """What it gives every joint, drives too, is in equilibrium at every body, and is all that is."""
    mechanism = symgen.load(repository / "examples" / "reactions" / f"{name}.toml")
    rows, poses = assembled(mechanism)
    system = wrench_system(rows, poses)
    found, general = AssemblyMethod(system).stresses, self_stresses(system)
    assert found.redundant == general.redundant > 0
    for one, other in zip(found.blocks, general.blocks, strict=True):
        assert np.abs(other.block.matrix @ one.null).max(initial=0.0) < 1e-10  # G squares the condition
        np.testing.assert_allclose(one.null @ one.null.T, other.null @ other.null.T, atol=1e-10)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("seed", range(MANY))
@pytest.mark.usefixtures("looked_at_nearby_once")
def test_it_agrees_with_the_null_space_or_says_that_it_cannot(seed: int) -> None:
    mechanism = symgen.Mechanism.from_dict(overconstrained(np.random.default_rng(seed)))
    general = symgen.reactions(mechanism)
    try:
        found = symgen.reactions(mechanism, tool="dca")
    except InputError as error:
        if "general method" not in str(error):
            raise
        return
    assert found.assemblies is not None
    assert found.status == general.status
    assert found.assemblies.joints == {
        name: each.unique for name, each in {**general.joints, **general.drives}.items() if each.directions
    }


def test_many_random_mechanisms_are_within_its_reach() -> None:
    reached = 0
    for seed in range(40):
        try:
            symgen.reactions(symgen.Mechanism.from_dict(overconstrained(np.random.default_rng(seed))), tool="dca")
            reached += 1
        except InputError:
            continue
    assert reached > 10


def test_an_internal_loop_is_refused(repository: Path) -> None:
    with pytest.raises(InputError, match=r"close.* a loop between moving bodies.*general method"):
        symgen.reactions(repository / "examples" / "reactions" / "internal_loop.toml", tool="dca")
