"""Checks the text of sources and pages, for scripts/check_floors.py: files and names of ours that comments and pages name must exist,
lines of C sources have at most 120 columns, and the glossary stays small, with one sense for each word and the field's word beside it.

Read for names are the comments of C sources, and all pages. A path may begin at any of its folders: "loop.c", "loop/loop.c" and "src/exec/loop/loop.c"
are the same file. A name in capitals, as in "tests/unit/NAME.c", stands for any."""
import pathlib
import re

# The folders that hold files of ours, those whose comments are read, and the ends of names of sources.
FOLDERS = (".ci", "bench", "docs", "python", "examples", "include", "scripts", "share", "src", "tests", "tools")
SPEAKING = ("bench", "examples", "include", "src", "tests", "tools")
SOURCES = (".c", ".cpp", ".h", ".S")
COLUMNS, TAB = 120, 8  # as .clang-format has them
NARROW = ("bench", "include", "src", "tests", "tools")
GLOSSARY, ROWS = "docs/glossary.md", 130  # a word of ours must be worth its row
READ = re.compile(r"// (env|threads|args):")  # tests/programs/run_programs.py reads such a line, which may be long

# Files that are named but are not ours: headers of the compiler and of the C library, and what examples in pages read or write.
FOREIGN = re.compile(r"(omp|openacc|fenv)\.h|demo\.c|train\.py|libgomp\.c/\S+|data\.table")

FILE = re.compile(r"(?<![\w/.<$~*+-])(?:\.\./)*((?:[\w.+-]+/)*[\w+-][\w.+-]*\.(?:c|cpp|h|S|py|md|dot|js|map|build|table))\b(?![\w/*])")
NAME = re.compile(r"(?<![\w<*-])(?:fg_|FG_|fgomp_)\w+\b(?!\*)")
CAPITALS = re.compile(r"[A-Z]+$")
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


class House:
    """The files of ours by their paths from the root, with their text."""

    def __init__(self, root):
        self.root = root
        paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))]
        paths = [*sorted(root.glob("*")), *paths]
        self.paths = [str(path.relative_to(root)) for path in paths if path.is_file() and "__pycache__" not in path.parts]
        self.pages = [path for path in self.paths if path.endswith(".md")]
        self.sources = [path for path in self.paths if path.endswith(SOURCES)]
        self.text = {path: self.read(path) for path in [*self.pages, *self.sources]}

    def read(self, path):
        return (self.root / path).read_text(errors="replace")

    def spoken(self):
        """(path, line, text) of each page and of each comment."""
        for path in self.pages:
            yield path, 1, self.text[path]
        for path in self.sources:
            if path.startswith(SPEAKING):
                for match in COMMENT.finditer(self.text[path]):
                    if match[0][0] == "/":
                        yield path, self.text[path].count("\n", 0, match.start()) + 1, match[0]


def stands_for_any(name):
    return bool(CAPITALS.match(pathlib.PurePath(name).stem))


def named(house, pattern):
    """(path, line, name) of each match of the pattern in what is spoken."""
    for path, line, text in house.spoken():
        for match in pattern.finditer(text):
            yield path, line + text.count("\n", 0, match.start()), match[match.lastindex or 0]


def folders_of(paths):
    """Each folder of ours, by each way to begin its path."""
    found = set()
    for path in paths:
        parts = path.split("/")[:-1]
        found.update("/".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1))
    return found


def missing_files(house):
    ends, folders = set(), folders_of(house.paths)
    for path in house.paths:
        parts = path.split("/")
        ends.update("/".join(parts[i:]) for i in range(len(parts)))
    for path, line, name in named(house, FILE):
        if name not in ends and not stands_for_any(name) and not FOREIGN.fullmatch(name):
            yield f"{house.root / path}:{line}: names the file {name}, which does not exist"
    known = folders | ends | {end.rsplit(".", 1)[0] for end in ends}
    tops = "|".join(sorted({folder for folder in folders if re.fullmatch(r"\w+", folder)}))
    inner = re.compile(rf"(?<![\w/.<$~*+-])(?:{tops})(?:/[\w+-]+(?:\.\w+)*)+(?![\w*/(-])")
    for path, line, name in named(house, inner) if tops else ():
        if name not in known and not stands_for_any(name) and not FILE.fullmatch(name):
            yield f"{house.root / path}:{line}: names {name}, which does not exist"


def missing_names(house):
    known = set()
    for path in house.paths:
        if not path.endswith((*SOURCES, ".build", ".map", ".py")) and "." in path.rsplit("/", 1)[-1]:
            continue
        text = house.text.get(path) or house.read(path)
        known.update(re.findall(r"\w+", COMMENT.sub(lambda match: match[0] if match[0][0] == '"' else " ", text)))
    for path, line, name in named(house, NAME):
        if name not in known and not CAPITALS.search(name):
            yield f"{house.root / path}:{line}: names {name}, which does not exist"


def long_lines(house):
    for path in house.sources:
        if path.startswith(NARROW):
            for number, line in enumerate(house.text[path].split("\n"), 1):
                columns = len(line.expandtabs(TAB))
                if columns > COLUMNS and not READ.match(line):
                    yield f"{house.root / path}:{number}: has {columns} columns, and {COLUMNS} is the limit"


def words_of(cell):
    """The words that a row explains: "to ride, rider (of a PU)" has two."""
    return [word.strip() for word in re.sub(r"\([^)]*\)", "", cell).split(",")]


def glossary(house):
    """The offences of the glossary's rows: four cells, none of them empty, and no word with a second sense."""
    rows, seen = 0, {}
    for number, line in enumerate(house.text.get(GLOSSARY, "").split("\n"), 1):
        if not line.startswith("|") or re.match(r"\|( word |[-|]+$)", line):
            continue
        at, cells, rows = f"{house.root / GLOSSARY}:{number}", [cell.strip() for cell in line.strip("|").split("|")], rows + 1
        if len(cells) != 4 or not all(cells):
            yield f"{at}: has an empty cell, or not four: word, meaning, the field's word or the nearest thing, place"
        elif re.search(r"\b(Elsewhere|Also)\b", cells[1]):
            yield f"{at}: '{cells[0]}' has two senses; the rarer one needs another word"
        for word in words_of(cells[0]):
            if word in seen:
                yield f"{at}: '{word}' has a row already, in line {seen[word]}"
            seen[word] = number
    if rows > ROWS:
        yield f"{house.root / GLOSSARY}:1: has {rows} rows, and {ROWS} is the limit: use the field's words"


def offences(root):
    house = House(root)
    yield from long_lines(house)
    yield from missing_files(house)
    yield from missing_names(house)
    yield from glossary(house)
