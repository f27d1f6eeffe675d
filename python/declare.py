# SPDX-License-Identifier: BSD-3-Clause
"""Reads the public header and writes the module evenkeel._api: declare.py HEADER OUT

The build runs it, so the declarations of the package cannot differ from those of the library that
it contains. The result is data: enumerators, members of structs, arguments of functions, all as
names of ctypes, and the comment in front of each function that a docstring of the package shows. It
knows no C beyond the style of this one header, and stops where it meets something else.
"""

import pathlib
import re
import sys

SIMPLE = {
    "int": "c_int",
    "unsigned": "c_uint",
    "double": "c_double",
    "size_t": "c_size_t",
    "int64_t": "c_int64",
    "uint64_t": "c_uint64",
    "char": "c_char",
    "void": None,
}
WORD = r"[A-Za-z_][A-Za-z_0-9]*"


def fail(what):
    sys.exit("declare.py: cannot read " + repr(what))


def c_type(text, enums):
    """Returns the name of the ctypes type of a declaration without its identifier."""
    text = " ".join(text.replace("const", " ").split())
    stars = text.count("*")
    base = text.replace("*", "").strip()
    if stars:
        return "c_char_p" if base == "char" and stars == 1 else "c_void_p"
    if base in SIMPLE:
        return SIMPLE[base]
    if base in enums:
        return "c_int"
    return fail(text)


def split_declaration(text):
    """Splits "const void *data" into its type and its identifier."""
    match = re.fullmatch(rf"(.*?)({WORD})", text.strip(), re.S)
    return (match[1], match[2]) if match else fail(text)


def callback(text, enums):
    """Returns name, result and arguments of "int (*progress)(void *user, int64_t done)"."""
    match = re.fullmatch(rf"(.*?)\(\*({WORD})\)\((.*)\)", " ".join(text.split()))
    if not match:
        fail(text)
    arguments = []
    for argument in split_arguments(match[3]):
        # A function given to a callback is an address.
        kind = "c_void_p" if "(*" in argument else c_type(split_declaration(argument)[0], enums)
        arguments.append(kind)
    return match[2], c_type(match[1], enums), arguments


def split_arguments(text):
    """Splits a list of arguments at the commas outside parentheses."""
    parts, depth, begin = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append(text[begin:at])
            begin = at + 1
    parts.append(text[begin:])
    return [] if text.strip() == "void" else [part.strip() for part in parts]


def members(body, struct, enums, callbacks):
    """Returns name, type and number of elements of each member of a struct."""
    result = []
    for line in filter(str.strip, body.split(";")):
        if "(*" in line:
            name, returns, arguments = callback(line, enums)
            callbacks[f"{struct}.{name}"] = [returns, arguments]
            result.append((name, "c_void_p", 1))
            continue
        first, *others = line.strip().split(",")
        before = re.match(rf"((?:const\s+)?{WORD})\s*(.*)", first, re.S)
        for declarator in [before[2], *others]:
            match = re.fullmatch(rf"\s*(\**)\s*({WORD})\s*(?:\[(\d+)\])?\s*", declarator)
            if not match:
                fail(line)
            kind = c_type(before[1] + match[1], enums)
            result.append((match[2], kind, int(match[3] or 1)))
    return result


def comments(text):
    """Replaces each comment by its number between two bytes, and returns all comments."""
    found = []

    def number(match):
        lines = [re.sub(r"^\s*\* ?", "", line) for line in match[0][2:-2].split("\n")]
        found.append("\n".join(lines).strip())
        return f"\x01{len(found) - 1}\x02"

    return re.sub(r"/\*.*?\*/", number, text, flags=re.S), found


def parse(header):
    text, found = comments(header)
    version = [
        re.search(rf"#define EK_VERSION_{part} (\d+)", text)[1]
        for part in ("MAJOR", "MINOR", "PATCH")
    ]
    text = re.sub(r"^#(.*\\\n)*.*$", "", text, flags=re.M)  # directives
    text = re.sub(r'extern "C" \{', "", text)
    text = re.sub(r"static inline [^{]*\{.*?^\}", "", text, flags=re.S | re.M)
    text = re.sub(r"EK_NOT_READ\(\d\)", "", text)
    bare = re.sub(r"\x01\d+\x02", " ", text)
    enums, constants = set(), {}
    for body, name in re.findall(rf"enum\s*(?:{WORD})?\s*\{{(.*?)\}}\s*({WORD})?\s*;", bare, re.S):
        enums.add(name)
        for item in filter(str.strip, body.split(",")):
            match = re.fullmatch(rf"\s*({WORD})\s*=\s*(-?\w+)\s*", item)
            constants[match[1]] = int(match[2], 0) if match else fail(item)
    structs, callbacks = {}, {}
    for name, body in re.findall(rf"typedef struct ({WORD}) \{{(.*?)\}}", bare, re.S):
        structs[name] = members(body, name, enums, callbacks)
    functions, docs, previous = {}, {}, None
    # What is left between semicolons: a prototype, with the comments before it.
    flat = re.sub(r"\{.*?\}", "", text, flags=re.S)
    for piece in flat.split(";"):
        match = re.fullmatch(
            rf"(.*?)((?:const )?{WORD} \**)(ek_\w+)\((.*)\)\s*", piece.strip(" \n}"), re.S
        )
        if not match or "typedef" in match[2]:
            previous = None
            continue
        name, arguments = match[3], []
        plain = re.sub(r"\x01\d+\x02", " ", match[4])
        for argument in split_arguments(" ".join(plain.split())):
            if "(*" in argument:
                which, returns, given = callback(argument, enums)
                callbacks[f"{name}.{which}"] = [returns, given]
                arguments.append([which, "c_void_p"])
            else:
                kind, which = split_declaration(argument)
                arguments.append([which, c_type(kind, enums)])
        returns = match[2].strip()
        functions[name] = [
            "ek_status" if returns == "ek_status" else c_type(returns, enums),
            arguments,
        ]
        # A comment that begins in the line of the last function's semicolon is about that function.
        behind = re.match(r"[ \t]*\x01(\d+)\x02", piece)
        if behind and previous:
            docs[previous] = found[int(behind[1])]
        before = re.findall(r"\x01(\d+)\x02\s*$", match[1][behind.end() :] if behind else match[1])
        # Several functions may share the comment before the first of them.
        docs[name] = found[int(before[0])] if before else docs.get(previous, "")
        previous = name
    return {
        "VERSION": ".".join(version),
        "CONSTANTS": constants,
        "STRUCTS": structs,
        "CALLBACKS": callbacks,
        "FUNCTIONS": functions,
        "DOCS": docs,
    }


def shown():
    """The functions of the library that modules of the package name as texts, as @header does."""
    modules = (pathlib.Path(__file__).parent / "src" / "evenkeel").glob("*.py")
    return {name for path in modules for name in re.findall(r'"(ek_\w+)"', path.read_text("utf-8"))}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        tables = parse(file.read())
    names = shown()
    tables["DOCS"] = {name: text for name, text in tables["DOCS"].items() if name in names}
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write('"""Declarations of evenkeel/ek.h; declare.py wrote this file from it."""\n')
        for name, table in tables.items():
            if isinstance(table, dict):
                rows = "".join(f"    {key!r}: {value!r},\n" for key, value in table.items())
                file.write(f"{name} = {{\n{rows}}}\n")
            else:
                file.write(f"{name} = {table!r}\n")


if __name__ == "__main__":
    main()
