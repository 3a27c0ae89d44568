"""Scripts: their modules are loaded a second time, without a guard of `__main__`, too."""

import subprocess
import sys
import textwrap

import pytest

from tests import forked

COUNTER = """
    import threading, wheelproof

    count, lock = 0, threading.Lock()

    def program():
        def add():
            global count
            with lock:
                count += 1
        threads = [threading.Thread(target=add) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert count == 2
"""

ONCE = """
    def main():
        print(wheelproof.explore(program).answer)

    main()
    print("end")
"""

TWICE = f"{ONCE}    print(wheelproof.explore(program).answer)\n"


@pytest.fixture
def script(tmp_path):
    def write(end):
        file = tmp_path / "script.py"
        file.write_text(textwrap.dedent(COUNTER) + textwrap.dedent(end), encoding="utf-8")
        return file

    return write


def called(file):
    return subprocess.run([sys.executable, str(file)], capture_output=True, text=True)


def commanded(file):
    out, err = file.with_name("out"), file.with_name("err")
    code = forked.run(["explore", f"{file.name}::program"], file.parent, {}, out, err)
    return code, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8")


def test_a_script_without_a_guard_explores_once(script):
    done = called(script(ONCE))
    assert (done.returncode, done.stdout) == (0, "exhausted\nend\n"), done.stderr


def test_a_second_exploration_needs_a_guard(script):
    done = called(script(TWICE))
    assert done.returncode == 1 and done.stdout == "exhausted\nend\n"
    last = done.stderr.splitlines()[-1]
    assert "is called while program is explored" in last and "below `if __name__ == " in last
    assert f"{script(TWICE)}:19: " in last


def test_the_command_refuses_a_module_that_explores_while_it_is_imported(script):
    code, printed, errors = commanded(script(ONCE))
    assert (code, printed) == (2, ""), errors
    assert "script.py:21: wheelproof.explore(...) is called while script is imported" in errors
    assert "Traceback" not in errors and len(errors.splitlines()) == 1


def test_the_command_refuses_a_module_that_starts_threads_while_it_is_loaded(script):
    code, printed, errors = commanded(script("program()\n"))
    assert code == 2 and "script.py:17: a thread is started while the module is loaded" in printed
    assert "Traceback" not in printed + errors


@pytest.mark.parametrize("call", ["main()", "program()"])
def test_the_command_explores_a_script_with_a_guard(script, call):
    guarded = ONCE.replace("main()\n    print", f"if __name__ == '__main__': {call}\n    print")
    code, printed, errors = commanded(script(guarded))
    assert code == 0 and "exhausted" in printed, errors
