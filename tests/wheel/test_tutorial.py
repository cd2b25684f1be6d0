"""The commands of docs/tutorial.md, to the letter, with what pip installed and gcc."""
import re
import subprocess

from installed import folder, python
from testing import LIMIT, ROOT, clean_environment, expect

COMMANDS = ("mkdir ", "cp ", "gcc ", "time ", "sed ", "forestgomp ", "OMP_")


def test_the_tutorial():
    page = (ROOT / "docs" / "tutorial.md").read_text()
    lines = [line for line in re.findall(r"^    (\S.*)$", page, re.M) if line.startswith(COMMANDS)]
    done = subprocess.run(["bash", "-ec", "\n".join(lines)], capture_output=True, text=True, timeout=LIMIT, cwd=folder(),
                          env={**clean_environment(), "PATH": f"{python().parent}:/usr/bin:/bin"})
    expect(len(lines) > 10 and done.returncode == 0, f"{lines} {done.stdout[-500:]} {done.stderr[-500:]}")
    told = done.stdout.splitlines()
    expect(len(told) > 3 and told[0] == told[1] == told[2], f"the integrals differ: {told[:3]}")
    # The page shows these rows; only their figures are the machine's own.
    for row in re.findall(r"^    (\w+ +\w+\.c:\d+) ", page, re.M):
        expect(" ".join(row.split()) in " ".join(done.stderr.split()), f"{row!r} is not in {done.stderr!r}")
    expect(done.stdout.count("predicted time") == 3 and (folder() / "tutorial" / "t.html").is_file(), done.stdout)
