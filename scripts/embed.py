#!/usr/bin/env python3
"""Makes a C header that holds text files as strings.  Usage: scripts/embed.py OUT NAME=FILE ..."""
import sys

out, *parts = sys.argv[1:]
with open(out, "w", encoding="ascii") as header:
    header.write("/* Made by scripts/embed.py. */\n#pragma once\n")
    for part in parts:
        name, path = part.split("=", 1)
        with open(path, "rb") as file:
            text = file.read()
        if 0 in text:
            sys.exit(f"embed: {path} holds a zero byte")
        header.write(f"static const char {name}[] = {{\n")
        for at in range(0, len(text), 24):
            header.write("\t" + " ".join(f"{byte}," for byte in text[at:at + 24]) + "\n")
        header.write("\t0};\n")
