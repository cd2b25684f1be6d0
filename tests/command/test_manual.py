"""What --help, the man pages and the completions say comes from one table: here it is compared with what the commands accept."""
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from testing import BUILD, LIMIT, ROOT, Missing, complains, expect, forestgomp

COMMANDS = ("run", "doctor", "topo", "sim", "info", "trace", "replay", "pin", "top", "serve", "jupyter")


def help_of(command, columns=100):
    result = forestgomp(command, "--help", env={"COLUMNS": str(columns)})
    expect(result.returncode == 0 and not result.stderr, result.stderr)
    return result.stdout


def options_of(command):
    return re.findall(r"^  (?:-(\w),|   ) --([\w-]+)( \S+)?", help_of(command), re.M)


def needs(program):
    if not shutil.which(program):
        raise Missing(f"{program} (scripts/install-deps test)")


def test_each_option_of_the_help_is_accepted():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        each_option_is_accepted({"XDG_RUNTIME_DIR": folder})  # top finds no board there, and ends


def each_option_is_accepted(env):
    for command in COMMANDS:
        options = options_of(command)
        expect(options, f"{command}: no options in {help_of(command)!r}")
        for letter, name, value in options:
            for word in [f"--{name}"] + ([f"-{letter}"] if letter else []):
                ends = ["--status"] if command == "serve" and not value else []  # else it serves until it is ended
                result = forestgomp(command, word, *ends, env=env)
                expect("no option is called" not in result.stderr, f"{command} {word}: {result.stderr}")
                if value:
                    expect(f"{word} needs a value" in result.stderr, f"{command} {word}: {result.stderr}")


def test_the_writers_of_pages_have_a_help():
    for command in ("man", "completion", "limit"):
        for word in ("-h", "--help"):
            result = forestgomp(command, word)
            expect(result.returncode == 0 and result.stdout.startswith(f"Usage: forestgomp {command} "), f"{command} {word}: {result}")


def test_unknown_options():
    for command in COMMANDS:
        name = options_of(command)[0][1]
        wrong = name[:2] + name[3:]
        result, status = forestgomp(command, f"--{wrong}"), 125 if command == "run" else 2
        expect(result.returncode == status and f"did you mean '--{name}'?" in result.stderr, f"{command} --{wrong}: {result.stderr}")
        result = forestgomp(command, "--quite-another-thing")
        expect(result.returncode == status and "no option is called '--quite-another-thing'" in result.stderr, result.stderr)


def test_each_variable_is_in_the_help():
    variables = re.findall(r'^  (FGOMP_\w+) ', forestgomp("info").stdout, re.M)
    page = forestgomp("man", "variables").stdout
    told = re.findall(r"sets (\w+)", help_of("run"))
    expect(len(variables) > 10 and set(variables) <= set(told), f"{variables}, {told}")
    expect(all(f".B {name}\n" in page for name in variables), page)


def test_help_fits_the_terminal():
    for command in COMMANDS:
        for columns in (60, 80, 120):
            wide = [line for line in help_of(command, columns).splitlines() if len(line) > columns and "/" not in line]
            expect(not wide, f"{command}, {columns} columns: {wide}")


def test_man_pages():
    needs("groff")
    for page in ("forestgomp", "variables", *COMMANDS, "limit", "man", "completion"):
        source = forestgomp("man", page).stdout
        told = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=source, capture_output=True, text=True, timeout=LIMIT)
        expect(told.returncode == 0 and not told.stderr, f"{page}: {told.stderr}")
        if page in COMMANDS:
            text = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", told.stdout).replace("‐\n", "").replace("−", "-")
            for _, name, _ in options_of(page):
                expect(f"--{name}" in text, f"--{name} is not on the page of {page}: {text}")


def test_mandoc_has_no_complaint():
    needs("mandoc")
    for page in ("forestgomp", "variables", *COMMANDS, "limit", "man", "completion"):
        told = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=forestgomp("man", page).stdout, capture_output=True, text=True, timeout=LIMIT)
        expect(told.returncode == 0 and not told.stdout and not told.stderr, f"{page}: {told.stdout}{told.stderr}")


def test_further_words():
    """They are not ignored. No help has two empty lines in a row."""
    for words in (("man", "run", "sim"), ("help", "run", "sim"), ("completion", "bash", "zsh"), ("--version", "run")):
        complains(forestgomp(*words), 2, words[-1])
    for command in (*COMMANDS, "limit", "man", "completion"):
        expect("\n\n\n" not in help_of(command), command)


def completed(*words, where=None):
    """What bash offers for the last word."""
    array = " ".join(f"'{word}'" for word in ("forestgomp", *words))
    script = f'eval "$({forestgomp_path()} completion bash)"; COMP_WORDS=({array}); COMP_CWORD={len(words)}; _forestgomp; printf "%s\\n" "${{COMPREPLY[@]}}"'
    result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=LIMIT, cwd=where)
    expect(not result.stderr, result.stderr)
    return result.stdout.splitlines()


def forestgomp_path():
    return BUILD / "bin" / "forestgomp"


def test_bash_completes():
    expect(set(completed("")) >= set(COMMANDS), str(completed("")))
    for command in COMMANDS:
        expect(set(completed(command, "--")) == {f"--{name}" for _, name, _ in options_of(command)} | {"--help"}, str(completed(command, "--")))
    expect(completed("run", "--sched", "af") == ["affinity"], str(completed("run", "--sched", "af")))
    expect(completed("run", "--bind", "cl") == ["close"], str(completed("run", "--bind", "cl")))
    expect(completed("run", "--sched", "mem") == ["memory"] == completed("replay", "--sched", "mem"), "a policy is missing")
    # Bash takes a '=' for a word of its own.
    expect(completed("run", "--sched", "=", "af") == ["affinity"] == completed("sim", "--sched", "=", "af"), "behind a '='")
    expect(completed("run", "--memory", "=", "h") == ["hints"] and completed("run", "--mpi", "=", "m") == ["mpich"], "a value that may be left out")
    expect(completed("sim", "--compare", "global,af") == ["global,affinity"], "the second of a list")
    for command in ("help", "man"):
        expect({*COMMANDS, "limit"} <= {*completed(command, "")}, f"{command}: {completed(command, '')}")
    expect(completed("completion", "") == ["bash", "zsh", "fish"] and completed("limit", "") == [""], str(completed("limit", "")))
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "run.pin").touch()
        for option in ("--pin", "--learnt", "--trace"):
            expect(completed("run", option, "", where=folder) == ["run.pin"], option)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a b", "a*", "ab"):
            (pathlib.Path(folder) / name).touch()
        expect(sorted(completed("trace", "a", where=folder)) == ["a b", "a*", "ab"], str(completed("trace", "a", where=folder)))
        expect(sorted(completed("trace", "-o", "a", where=folder)) == ["a b", "a*", "ab"], "the value of an option")


def test_zsh_and_fish_know_each_option():
    for shell in ("zsh", "fish"):
        needs(shell)
        text = forestgomp("completion", shell).stdout
        checked = subprocess.run([shell, "-n", "/dev/stdin"], input=text, capture_output=True, text=True, timeout=LIMIT)
        expect(checked.returncode == 0 and not checked.stderr, f"{shell}: {checked.stderr}")
        for command in COMMANDS:
            for _, name, _ in options_of(command):
                wanted = f"from {command}' -l {name}" if shell == "fish" else f"'*--{name}"
                expect(wanted in text, f"{shell}: {command} --{name}")


def test_fish_completes():
    needs("fish")
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "program").touch(mode=0o755)
        for line, word in (("run ./pro", "./program"), ("run --memory=h", "--memory=hints"), ("run --sched af", "affinity"), ("help d", "doctor"),
                           ("man var", "variables"), ("completion z", "zsh")):
            done = subprocess.run(["fish", "-c", f"{forestgomp_path()} completion fish | source; complete -C 'forestgomp {line}'"], capture_output=True,
                                  text=True, timeout=LIMIT, cwd=folder, env={**os.environ, "HOME": folder})
            expect(word in [offered.split("\t")[0] for offered in done.stdout.splitlines()], f"{line}: {done}")


def test_words_that_are_offered_are_accepted():
    for command in ("man", "help"):
        for word in completed(command, ""):
            expect(forestgomp(command, word).returncode == 0, f"{command} {word}")


def called(path):
    """(LINE, command, options before the program) of each call of the command that a page shows."""
    for line in path.read_text().splitlines():
        for command, rest in re.findall(r"(?:^    |`|\| )(?:\$ )?(?:[\w./]*/|python3? -m )?forestgomp ([a-z]+)([^`|#]*)", line):
            words = itertools.takewhile(lambda word: word.startswith("-") or command != "run", rest.split(" | ")[0].split())
            yield line, command, [word.split("=")[0] for word in words if re.match(r"--[a-z]", word)]


def test_pages_call_what_there_is():
    """README's first screen, the tutorial and the other pages: each command exists, and has each option that they give it."""
    known = {*COMMANDS, "limit", "man", "completion", "help"}
    count = 0
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for line, command, options in called(path):
            expect(command in known, f"{path.name}: {line.strip()!r}: there is no command {command}")
            help_text = forestgomp(command, "--help").stdout if options else ""
            unknown = [option for option in options if option not in ("--", "--help") and not re.search(rf" {option}(?![\w-])", help_text)]
            expect(not unknown, f"{path.name}: {line.strip()!r}: {command} has no {unknown}")
            count += 1
    expect(count > 50, f"{count} calls")


def test_the_list_of_commands():
    """The overview, the complaint about an unknown command, and the pages of man name the same commands."""
    listed = re.findall(r"^  forestgomp (\w+)", forestgomp("--help").stdout, re.M)
    expect(set(listed) == {*COMMANDS, "limit", "man", "completion"}, f"{listed}")
    expect(f"known: {', '.join(listed)}\n" in forestgomp("nothing-like-it").stderr, forestgomp("nothing-like-it").stderr)
    told = forestgomp("man").stdout
    expect(all(name in told for name in listed), told)
    meson = (ROOT / "tools" / "manual" / "meson.build").read_text()
    expect(all(f"'{name}'" in meson for name in listed), "tools/manual/meson.build lacks a page")
