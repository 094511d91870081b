"""Compiles 0.py, 1.py, … of a folder to bytecode, by the names that manifest.json gives them.

Run by the interpreter that the bytecode is for; imports nothing else.
"""

import json
import py_compile
import sys


def main(folder: str) -> None:
    with open(f"{folder}/manifest.json", encoding="utf-8") as manifest:
        names = json.load(manifest)
    for number, name in enumerate(names):
        try:
            py_compile.compile(
                f"{folder}/{number}.py",
                f"{folder}/{number}.pyc",
                name,
                doraise=True,
                optimize=0,
                # Never looked at again: the sources in a bundle do not change.
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )
        except py_compile.PyCompileError:  # a template, or of another version of Python
            open(f"{folder}/{number}.pyc", "wb").close()


if __name__ == "__main__":
    main(sys.argv[1])
