"""SANY reads the model-checking module of every form of config, nightly ones included."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.found import mechanisms
from tests.nights import only
from wheelproof import project
from wheelproof.checks.context import Context
from wheelproof.java import QUICK_START
from wheelproof.project.mechanism import Config
from wheelproof.tlc import archive, jar, java, mc

ROOT = Path(__file__).resolve().parents[2]
MECHANISMS = mechanisms()


def forms(mechanism: project.Mechanism) -> list[Config]:
    """A config for each form of a generated module: its modules and its behaviour formula."""
    found = {}
    for config in mechanism.configs.values():
        form = (config.module, config.fair is None, config.specification, *config.constants)
        found.setdefault(form, config)
    return list(found.values())


def refused(mechanism: project.Mechanism, folder: Path) -> str:
    """What SANY reports of these modules; empty where it accepts them."""
    modules = []
    for config in forms(mechanism):
        name = f"MC{mechanism.module}_{config.name}"
        described = Context(mechanism, folder).describe(name, config, deadlock=False)
        modules.append(mc.generate(described, folder, bare=True).module.name)
    runtime, tools = java.locate(), jar.locate()
    options = (*QUICK_START, *archive.options(runtime, tools), "-cp", str(tools.path))
    command = [str(runtime.executable), *options, "tla2sany.SANY", *modules]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    out = done.stdout + done.stderr
    return out if done.returncode or "Error" in out else ""


@pytest.mark.parametrize(
    "mechanism", only(MECHANISMS, "partition_leader", "system_timer", "system_timer_reaper")
)
def test_the_module_of_every_form_of_config_is_well_formed(mechanism, tmp_path):
    assert not refused(MECHANISMS[mechanism], tmp_path)


def test_a_module_that_names_an_unknown_operator_is_refused(tmp_path):
    """A refinement module that extends the algorithm alone has no Fairness."""
    mechanism = MECHANISMS["atomic"]
    config = replace(mechanism.configs["refines_unfair"], module="AtomicInOneStep")
    planted = replace(mechanism, configs={config.name: config})
    assert "Unknown operator: `Fairness'" in refused(planted, tmp_path)
